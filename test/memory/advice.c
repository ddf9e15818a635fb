/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's advice and settings for its memory (madvise, mbind, mlock, mprotect, userfaultfd,
 * protection keys, names, flags of mmap) hold while a window has that memory, and after
 * MPI_Win_free: the kernel notes the same of each page as it would without a window. What would not
 * hold in another mapping keeps the memory in place.
 *
 *   advice before | locked
 *
 * locked: the program locks, protects or registers memory (mlock, mprotect, userfaultfd) while the
 * window lives.
 */
#include "smaps.h"
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 8 /* Linux 6.11 */
#endif
#ifndef SYS_mseal
#define SYS_mseal 462 /* Linux 6.10 */
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41 /* Linux 5.17 */
#define PR_SET_VMA_ANON_NAME 0
#endif

enum { pages = 16, part_first = 4, part_pages = 8, filled = 3 };

enum child { USUAL, ABSENT, WIPED };

struct advice {
    const char *name;
    int (*tell)(char *memory, size_t bytes);
    int number; /* for madvise */
    int map_flags;
    enum child child;       /* what a child sees of the memory */
    int is_readonly, stays; /* stays: it holds for that mapping alone */
};

static int advised; /* the number in question */

static int tell_madvise(char *memory, size_t bytes)
{
    return madvise(memory, bytes, advised);
}

static int tell_bind(char *memory, size_t bytes)
{
    unsigned long nodes = 1;
    return (int)syscall(SYS_mbind, memory, bytes, MPOL_BIND, &nodes, 8 * sizeof nodes, 0);
}

static int tell_lock(char *memory, size_t bytes)
{
    return mlock(memory, bytes);
}

static int tell_lock_on_fault(char *memory, size_t bytes)
{
    return mlock2(memory, bytes, MLOCK_ONFAULT);
}

static int tell_seal(char *memory, size_t bytes)
{
    return (int)syscall(SYS_mseal, memory, bytes, 0);
}

static int tell_name(char *memory, size_t bytes)
{
    return prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, memory, bytes, "halo");
}

static int tell_key(char *memory, size_t bytes)
{
    static int key;
    if (key <= 0)
        key = pkey_alloc(0, 0);
    return key > 0 ? pkey_mprotect(memory, bytes, PROT_READ | PROT_WRITE, key) : -1;
}

/* With a userfaultfd of the program's own, for write protection. */
static int tell_register(char *memory, size_t bytes)
{
    static int fd;
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.range = {(uintptr_t)memory, bytes},
                                    .mode = UFFDIO_REGISTER_MODE_WP};
    if (fd <= 0) {
        fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
        if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0)
            return -1;
    }
    return ioctl(fd, UFFDIO_REGISTER, &range);
}

static int tell_protect(char *memory, size_t bytes)
{
    return mprotect(memory, bytes, PROT_READ);
}

static int tell_nothing(char *memory, size_t bytes)
{
    (void)memory, (void)bytes;
    return 0;
}

static const struct advice advices[] = {
    {"MADV_DONTFORK", tell_madvise, MADV_DONTFORK, 0, ABSENT, 0, 0},
    {"MADV_DONTDUMP", tell_madvise, MADV_DONTDUMP, 0, USUAL, 0, 0},
    {"MADV_WIPEONFORK", tell_madvise, MADV_WIPEONFORK, 0, WIPED, 0, 0},
    {"MADV_MERGEABLE", tell_madvise, MADV_MERGEABLE, 0, USUAL, 0, 0},
    {"MADV_HUGEPAGE", tell_madvise, MADV_HUGEPAGE, 0, USUAL, 0, 0},
    {"MADV_NOHUGEPAGE", tell_madvise, MADV_NOHUGEPAGE, 0, USUAL, 0, 0},
    {"MADV_RANDOM", tell_madvise, MADV_RANDOM, 0, USUAL, 0, 0},
    {"MADV_SEQUENTIAL", tell_madvise, MADV_SEQUENTIAL, 0, USUAL, 0, 0},
    {"mbind", tell_bind, 0, 0, USUAL, 0, 1},
    {"mlock", tell_lock, 0, 0, USUAL, 0, 1},
    {"mlock2", tell_lock_on_fault, 0, 0, USUAL, 0, 1},
    {"mprotect", tell_protect, 0, 0, USUAL, 1, 1},
    {"pkey_mprotect", tell_key, 0, 0, USUAL, 0, 1},
    {"userfaultfd", tell_register, 0, 0, USUAL, 0, 1},
    {"mseal", tell_seal, 0, 0, USUAL, 0, 1},
    {"PR_SET_VMA_ANON_NAME", tell_name, 0, 0, USUAL, 0, 0},
    {"MAP_NORESERVE", tell_nothing, 0, MAP_NORESERVE, USUAL, 0, 0},
    {"MAP_DROPPABLE", tell_nothing, 0, MAP_DROPPABLE, WIPED, 0, 0},
    {"MAP_GROWSDOWN", tell_nothing, 0, MAP_GROWSDOWN, USUAL, 0, 1},
};

/* ---- what is to be seen ---- */

/* -1: none is known. */
static int policy_of(char *memory)
{
    unsigned long nodes[16] = {0};
    int mode = -1;
    if (syscall(SYS_get_mempolicy, &mode, nodes, 8 * sizeof nodes, memory, MPOL_F_ADDR) != 0)
        return -1;
    return mode;
}

/* In a child: does it see [memory, memory + bytes) as it should? */
static int child_sees(const char *memory, size_t bytes, enum child child)
{
    unsigned char resident[pages];
    int is_mapped = mincore((void *)(uintptr_t)memory, bytes, resident) == 0;
    if (child == ABSENT)
        return !is_mapped && errno == ENOMEM;
    return is_mapped && memory[0] == (child == WIPED ? 0 : filled);
}

static void check_child(const char *memory, size_t bytes, const struct advice *advice,
                        const char *when)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(child_sees(memory, bytes, advice->child) ? 0 : 1);
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: a child sees %s, %s", advice->name,
          advice->child == ABSENT  ? "memory that is not for children"
          : advice->child == WIPED ? "what should have been wiped"
                                   : "other memory than its parent's",
          when);
}

/* ---- one piece of memory ---- */

/* MAP_DROPPABLE stands in the place of MAP_PRIVATE. NULL: the kernel does not know the flags. */
static char *fresh(const struct advice *advice)
{
    int kind = advice->map_flags == MAP_DROPPABLE ? 0 : MAP_PRIVATE;
    char *memory = mmap(NULL, pages * page_size(), PROT_READ | PROT_WRITE,
                        MAP_ANONYMOUS | kind | advice->map_flags, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    memset(memory, filled, pages * page_size());
    return memory;
}

/* 0 where the kernel does not take it. */
static int tell(const struct advice *advice, char *memory, size_t bytes)
{
    advised = advice->number;
    return advice->tell(memory, bytes) == 0;
}

/* The kernel's notes where there is no window. 0: it does not take the advice. */
static int expect(const struct advice *advice, size_t first, size_t bytes, struct smaps *smaps,
                  int *policy)
{
    char *memory = fresh(advice);
    int taken = memory && tell(advice, memory + first, bytes);
    if (taken) {
        *smaps = smaps_read(memory, pages * page_size());
        *policy = policy_of(memory + first);
    }
    if (memory)
        munmap(memory, pages * page_size());
    return taken;
}

static void compare(const char *name, char *memory, const struct smaps *expected)
{
    struct smaps now = smaps_read(memory, expected->pages * page_size());
    smaps_compare(expected, &now, name);
    smaps_free(&now);
}

/* While the window lives, of what the kernel was told of. */
static void compare_part(const struct advice *advice, char *memory, size_t first, size_t bytes,
                         const struct smaps *all)
{
    const struct smaps part = {bytes / page_size(), all->flags + first / page_size(), 0};
    char name[60];
    snprintf(name, sizeof name, "%s, in a window", advice->name);
    compare(name, memory + first, &part);
}

/* Memory that was registered while the window lived stays in the file's mapping. */
static void check_registered(char *memory, size_t bytes)
{
    struct smaps now = smaps_read(memory, bytes);
    for (size_t i = 0; i < now.pages; i++)
        CHECK(strstr(now.flags[i], "uw "), "page %zu is not registered any more: \"%s\"", i,
              now.flags[i]);
    smaps_free(&now);
}

/* [first, first + bytes) of the memory is what the kernel is told of. */
static void with(const struct advice *advice, size_t first, size_t bytes, int meanwhile)
{
    struct smaps expected;
    size_t all = pages * page_size();
    int policy = 0;
    if (!expect(advice, first, bytes, &expected, &policy)) {
        printf("skipped: the kernel has no %s\n", advice->name);
        return;
    }
    char *memory = fresh(advice);
    MPI_Win win;
    if (!meanwhile)
        tell(advice, memory + first, bytes);
    MPI_Win_create(memory, (MPI_Aint)all, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (meanwhile)
        CHECK(tell(advice, memory + first, bytes), "%s is refused (%s) while a window lives",
              advice->name, strerror(errno));
    if (!advice->is_readonly)
        window_works(win, memory, 0, first + page_size() / 2, advice->name);
    if (advice->stays && !meanwhile)
        compare_part(advice, memory, first, bytes, &expected);
    check_child(memory + first, bytes, advice, "while a window lives");
    CHECK(policy_of(memory + first) == policy, "%s: policy %d while a window lives, not %d",
          advice->name, policy_of(memory + first), policy);
    MPI_Win_free(&win);
    if (!meanwhile || advice->tell != tell_register)
        compare(advice->name, memory, &expected);
    else
        check_registered(memory + first, bytes);
    check_child(memory + first, bytes, advice, "after MPI_Win_free");
    CHECK(policy_of(memory + first) == policy, "%s: policy %d after MPI_Win_free, not %d",
          advice->name, policy_of(memory + first), policy);
    CHECK(memory[first] == filled, "%s: memory holds %d", advice->name, memory[first]);
    smaps_free(&expected);
    munmap(memory, all);
}

/* ---- large pages ---- */

static void with_large_pages(void)
{
    const size_t large = 2 << 20, bytes = 4 * large;
    char *block = map_pages(bytes + large, 0);
    char *memory = (char *)(((uintptr_t)block + large - 1) / large * large);
    MPI_Win win;
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, filled, bytes);
    struct smaps before = smaps_read(memory, bytes);
    MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    window_works(win, memory, 0, large, "large pages");
    for (size_t i = 0; i < bytes;
         i += large) /* Linux 6.1 maps a collapsed page at the next touch */
        *(volatile char *)(memory + i) = filled;
    struct smaps during = smaps_read(memory, bytes);
    MPI_Win_free(&win);
    struct smaps after = smaps_read(memory, bytes);
    CHECK(during.huge_kib >= before.huge_kib, "%ld KiB in large pages before, %ld in a window",
          before.huge_kib, during.huge_kib);
    CHECK(after.huge_kib >= before.huge_kib, "%ld KiB in large pages before, %ld after a window",
          before.huge_kib, after.huge_kib);
    smaps_free(&before);
    smaps_free(&during);
    smaps_free(&after);
    munmap(block, bytes + large);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    size_t page = page_size();
    int meanwhile = argc > 1 && strcmp(argv[1], "before") != 0;
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++) {
        if (meanwhile && advices[i].tell != tell_lock && advices[i].tell != tell_protect &&
            advices[i].tell != tell_register)
            continue;
        with(&advices[i], 0, pages * page, meanwhile);
        with(&advices[i], part_first * page, part_pages * page, meanwhile);
    }
    if (!meanwhile)
        with_large_pages();
    return finish("advice");
}
