/* SPDX-License-Identifier: BSD-3-Clause */
/* The arena (shm/arena.h): shrunk blocks, pages given back, refusals, segments, files and mappings.
 */
#include "world.h"
#include "segments.h"

#include "base/fail.h"
#include "create/start.h"
#include "shm/arena.h"
#include "shm/available.h"
#include "shm/ctl.h"
#include "shm/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- failures on demand (linked with --wrap) ---- */

/* calls that still succeed; -1: all */
static int fallocate_fails_after = -1, calloc_fails_after = -1;
static off_t fallocate_interrupted = -1; /* larger pieces than this are, by a signal; -1: none */
static uint64_t available_bytes = 4ull << 30;

/* One call: 1 if it is the one that fails. */
static int is_due(int *fails_after)
{
    return *fails_after >= 0 && (*fails_after)-- == 0;
}

int __real_fallocate(int fd, int mode, off_t offset, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes)
{
    if (mode == 0 && is_due(&fallocate_fails_after)) {
        errno = ENOSPC;
        return -1;
    }
    if (fallocate_interrupted >= 0 && bytes > fallocate_interrupted) {
        errno = EINTR;
        return -1;
    }
    return __real_fallocate(fd, mode, offset, bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return is_due(&calloc_fails_after) ? NULL : __real_calloc(count, bytes);
}

/* Only what the test says, never what the node has: other tests beside this one take gigabytes of
 * it, and with the node's own number a block was refused when they had. */
uint64_t __wrap_proa_memory_available(void);
uint64_t __wrap_proa_memory_available(void)
{
    return available_bytes;
}

uint64_t __wrap_proa_memory_available_lately(void);
uint64_t __wrap_proa_memory_available_lately(void)
{
    return available_bytes;
}

/* A kernel that promises no more than it has. */
static int strict;

int __wrap_proa_memory_is_strict(void);
int __wrap_proa_memory_is_strict(void)
{
    return strict;
}

/* ---- what is known of the segments ---- */

/* Its end is the next block's place; where the books cannot be kept it stays as it was. */
static void shrinks_body(struct world *world)
{
    char *block = proa_arena_alloc(10 * kib, 0), *next;
    (void)world;

    CHECK(block);
    calloc_fails_after = 0;
    proa_arena_shrink(block, 100);
    calloc_fails_after = -1;
    next = proa_arena_alloc(8 * kib, 0);
    CHECK(next && next != block + 128);
    CHECK(proa_arena_free(next));
    proa_arena_shrink(block, 100);
    next = proa_arena_alloc(8 * kib, 0);
    CHECK(next == block + 128);
    CHECK(proa_arena_free(block));
    CHECK(proa_arena_free(next));
    check_all_merged();
}

WORLD_TEST(shrinks, 1)

/* ---- find ---- */

static void find_body(struct world *world)
{
    char *block = proa_arena_alloc(10000, 0), *base = proa_peer_segment(proa_self, 0);
    uint64_t bytes = segment_bytes(0), offset = 0;
    int segment = -1, on_stack = 0;
    (void)world;

    CHECK(block && base);
    CHECK(proa_arena_find(block + 77, 100, &segment, &offset));
    CHECK_EQUAL(segment, 0);
    CHECK_EQUAL(base + offset, block + 77);
    CHECK(proa_arena_find(base, bytes, &segment, &offset));
    CHECK(proa_arena_find(base + bytes - 1, 1, &segment, &offset));
    CHECK_EQUAL(offset, bytes - 1);
    CHECK(!proa_arena_find(base + bytes - 1, 2, &segment, &offset));
    CHECK(!proa_arena_find(base + bytes, 1, &segment, &offset));
    CHECK(!proa_arena_find(base - 1, 1, &segment, &offset));
    CHECK(!proa_arena_find(base - 1, 2, &segment, &offset));
    CHECK(!proa_arena_find(base, bytes + 1, &segment, &offset));
    CHECK(!proa_arena_find(block, SIZE_MAX, &segment, &offset));
    CHECK(!proa_arena_find(&on_stack, sizeof on_stack, &segment, &offset));
    CHECK(!proa_arena_find(NULL, 1, &segment, &offset));
    CHECK(!proa_peer_segment(proa_self, 1));
}

WORLD_TEST(find, 1)

/* ---- pages ---- */

static void touch(char *block, uint64_t bytes, int value)
{
    for (uint64_t i = 0; i < bytes; i += 4096)
        block[i] = (char)value;
}

static void pages_given_back_body(struct world *world)
{
    uint64_t before = bytes_in_use(), bytes = 100 * mib;
    char *one = proa_arena_alloc(bytes, 0), *two;
    (void)world;

    CHECK(one);
    CHECK(bytes_in_use() <= before + mib); /* they come as they are touched */
    touch(one, bytes, 1);
    CHECK(bytes_in_use() >= before + bytes);
    CHECK(proa_arena_free(one));
    CHECK(bytes_in_use() <= before + mib);

    /* Between neighbours that stay: their own pages must not go, nor change. */
    one = proa_arena_alloc(100 * kib, 0);
    two = proa_arena_alloc(bytes, 0);
    char *three = proa_arena_alloc(100 * kib, 0);
    CHECK(one && two && three);
    memset(one, 11, 100 * kib);
    touch(two, bytes, 22);
    memset(three, 33, 100 * kib);
    CHECK(proa_arena_free(two));
    CHECK(bytes_in_use() <= before + 2 * mib);
    for (uint64_t i = 0; i < 100 * kib; i++)
        CHECK(one[i] == 11 && three[i] == 33);
    two = proa_arena_alloc(bytes, 0);
    CHECK(two);
    touch(two, bytes, 44);
    CHECK(bytes_in_use() >= before + bytes);
}

WORLD_TEST(pages_given_back, 1, .kernel = 1)

/* Freed pages stay for the next request, up to a bound. */
static void pages_kept_body(struct world *world)
{
    uint64_t before = bytes_in_use();
    char *blocks[6];
    (void)world;

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 6; i++) {
            blocks[i] = proa_arena_alloc(16 * mib, 4096);
            CHECK(blocks[i]);
            touch(blocks[i], 16 * mib, round);
        }
        for (int i = 0; i < 6; i++)
            CHECK(proa_arena_free(blocks[i]));
        CHECK(bytes_in_use() <= before + 65 * mib);
    }
    blocks[0] = proa_arena_alloc(16 * mib, 4096);
    CHECK(proa_arena_free(blocks[0]));
    check_all_merged();
}

WORLD_TEST(pages_kept, 1, .kernel = 1)

/* A large block of which little has been touched keeps that, and counts for nothing once it is
 * free, neither here nor at the neighbour's; where memory is short that goes back too. */
static void little_kept_body(struct world *world)
{
    struct proa_hello *hellos = (struct proa_hello *)(void *)world->shared;
    uint64_t before = bytes_in_use();
    struct proa_peer *other;
    char *block;

    hellos[world->rank] = proa_hello_of(proa_self);
    world_barrier(world);
    other = proa_peer_attach(&hellos[1 - world->rank]);
    CHECK(other);
    available_bytes = 400 * mib;
    if (world->rank == 1)
        for (int round = 0; round < 3; round++) {
            block = proa_arena_alloc(300 * mib, 4096);
            CHECK(block);
            touch(block, 10 * mib, round);
            CHECK(proa_arena_free(block));
            CHECK(bytes_in_use() >= before + 10 * mib && bytes_in_use() <= before + 11 * mib);
        }
    world_barrier(world);
    if (world->rank == 0)
        CHECK(proa_arena_free(proa_arena_alloc(300 * mib, 4096)));
    world_barrier(world);
    available_bytes = 20 * mib;
    if (world->rank == 1) {
        CHECK(!proa_arena_alloc(200 * mib, 0));
        CHECK(bytes_in_use() <= before + mib);
    }
    world_barrier(world);
    proa_peer_release(other);
}

WORLD_TEST(little_kept, 2, .kernel = 1)

/* Two processes: blocks of both that are not touched yet count as taken, the node counts touched
 * ones itself. */
static void promised_body(struct world *world)
{
    struct proa_hello *hellos = (struct proa_hello *)(void *)world->shared;
    struct proa_peer *other;
    char *block = NULL;
    unsigned left = 0;

    hellos[world->rank] = proa_hello_of(proa_self);
    world_barrier(world);
    other = proa_peer_attach(&hellos[1 - world->rank]);
    CHECK(other);
    available_bytes = 100 * mib;
    if (world->rank == 1) {
        block = proa_arena_alloc(50 * mib, 4096);
        CHECK(block);
        CHECK(!proa_arena_alloc(60 * mib, 0)); /* 50 of the 100 are promised */
        CHECK_EQUAL(sscanf(proa_failure(), "out of memory for %*u bytes: %*[^(](%u MiB are", &left),
                    1);
        CHECK(left < 60);
    }
    world_barrier(world);
    if (world->rank == 0) {
        CHECK(!proa_arena_alloc(60 * mib, 0));
        CHECK(strstr(proa_failure(), "out of memory"));
        CHECK(proa_arena_free(proa_arena_alloc(40 * mib, 0)));
    }
    world_barrier(world);
    if (block)
        touch(block, 50 * mib, 1);
    world_barrier(world);
    if (world->rank == 0) /* the node, which is pretended, still has as much */
        CHECK(proa_arena_free(proa_arena_alloc(60 * mib, 0)));
    world_barrier(world);
    proa_peer_release(other);
}

WORLD_TEST(promised, 2)

/* The kept pages of a free block do not pass for those that a promised block still has to get: a
 * neighbour hears of them. */
static void kept_told_body(struct world *world)
{
    struct proa_hello *hellos = (struct proa_hello *)(void *)world->shared;
    struct proa_peer *other;
    char *promised = NULL, *block;

    hellos[world->rank] = proa_hello_of(proa_self);
    world_barrier(world);
    other = proa_peer_attach(&hellos[1 - world->rank]);
    CHECK(other);
    available_bytes = 400 * mib;
    if (world->rank == 1) {
        promised = proa_arena_alloc(50 * mib, 4096);
        block = proa_arena_alloc(300 * mib, 4096);
        CHECK(promised && block);
        touch(block, 20 * mib, 1);
        CHECK(proa_arena_free(block));
    }
    world_barrier(world);
    available_bytes = 100 * mib;
    if (world->rank == 0) {
        CHECK(!proa_arena_alloc(60 * mib, 0));
        CHECK(proa_arena_free(proa_arena_alloc(40 * mib, 0)));
    }
    world_barrier(world);
    CHECK(!promised || proa_arena_free(promised));
    proa_peer_release(other);
}

WORLD_TEST(kept_told, 2, .kernel = 1)

/* A kernel that promises no more than it has: each block has its pages. */
static void strict_kernel_body(struct world *world)
{
    uint64_t before = bytes_in_use();
    char *block;
    (void)world;

    strict = 1;
    block = proa_arena_alloc(24 * mib, 0);
    CHECK(block);
    CHECK(bytes_in_use() >= before + 24 * mib);
    CHECK(proa_arena_free(block));
    check_all_merged();
}

WORLD_TEST(strict_kernel, 1)

/* ---- refusals ---- */

static void check_refused(size_t bytes, size_t align)
{
    uint64_t before = bytes_in_use();
    int segments = segment_count();
    char *block;

    CHECK(!proa_arena_alloc(bytes, align));
    CHECK(strstr(proa_failure(), "out of memory"));
    CHECK_EQUAL(segment_count(), segments);
    CHECK(bytes_in_use() <= before); /* nothing stays reserved for what was refused */
    block = proa_arena_alloc(1000, 0);
    CHECK(block);
    CHECK(proa_arena_free(block));
}

static void impossible_sizes_body(struct world *world)
{
    (void)world;
    check_refused(SIZE_MAX, 0);
    check_refused(SIZE_MAX - 100, 4096);
    check_refused(SIZE_MAX / 2, 0);
    check_refused(SIZE_MAX / 4, 0);
    check_refused((size_t)1 << 60, 0);
    check_refused((size_t)1 << 46, 4096);
    check_refused((size_t)1 << 40, 0);
    check_refused(1, (size_t)1 << 62);
    check_refused(1, (size_t)1 << 61);
    check_all_merged();
}

WORLD_TEST(impossible_sizes, 1)

/* More than the node says that it has. */
static void no_memory_left_body(struct world *world)
{
    uint64_t before = available_bytes;
    char *block;
    (void)world;

    available_bytes = 10 * mib;
    check_refused(20 * mib, 0);
    check_refused(200 * mib, 0);
    block = proa_arena_alloc(5 * mib, 0);
    CHECK(block);
    available_bytes = 0;
    check_refused(20 * mib, 0);
    CHECK(proa_arena_free(block));
    available_bytes = before;
    check_all_merged();
}

WORLD_TEST(no_memory_left, 1)

/* So little is had without a look at what there is, and no more, however little is asked for at a
 * time. */
static void first_bytes_body(struct world *world)
{
    uint64_t before = available_bytes, had = 0;
    (void)world;

    available_bytes = 0;
    while (proa_arena_alloc(64 * kib, 0))
        had += 64 * kib;
    CHECK(had >= 512 * kib && had <= mib);
    available_bytes = before;
    CHECK(proa_arena_alloc(2 * mib, 0));
}

WORLD_TEST(first_bytes, 1)

/* The kernel refuses in the middle of a reservation that is made piece by piece: the useless part
 * goes back. */
static void reservation_fails_body(struct world *world)
{
    (void)world;
    strict = 1;
    for (int fails_after = 0; fails_after < 2; fails_after++) {
        /* its chunk stays reserved after the free: a reservation over it has two pieces. The one in
         * front keeps it off the chunk of the process's own block, wherever the segment lies. */
        char *front = proa_arena_alloc(2 * mib, 0), *near = NULL;
        char *island = proa_arena_alloc(64, 32 * mib);

        if (island && island < front + 3 * mib) { /* too near to leave a piece between them */
            near = island;
            island = proa_arena_alloc(64, 32 * mib);
        }
        CHECK(front && island);
        CHECK(proa_arena_free(front));
        CHECK(!near || proa_arena_free(near));
        CHECK(proa_arena_free(island));
        fallocate_fails_after = fails_after;
        check_refused(50 * mib, 0);
        fallocate_fails_after = -1;
    }
    fallocate_fails_after = -1;
    check_all_merged();
}

WORLD_TEST(reservation_fails, 1, .kernel = 1)

/* A timer that ticks before two pages are done, again and again. */
static void interrupted_body(struct world *world)
{
    uint64_t before = bytes_in_use();
    char *block;
    (void)world;

    strict = 1;
    fallocate_interrupted = (off_t)world_pages(1);
    block = proa_arena_alloc(50 * mib + 100, 0);
    fallocate_interrupted = -1;
    CHECK(block);
    CHECK(bytes_in_use() >= before + 50 * mib);
    CHECK(proa_arena_free(block));
    check_all_merged();
}

WORLD_TEST(interrupted, 1, .limit_s = 20)

/* No memory for the arena's own notes, at each place where it asks for some. Notes of what is freed
 * would be there for the next block. */
static void notes_fail_body(struct world *world)
{
    enum { TRIES = 8 };
    char *blocks[TRIES];
    int refused = 0;
    (void)world;

    for (int after = 0; after < TRIES; after++) {
        uint64_t bytes = after % 2 ? 100 * mib : 1000; /* with a new segment, and without */

        calloc_fails_after = after / 2;
        blocks[after] = proa_arena_alloc(bytes, 4 * mib);
        calloc_fails_after = -1;
        refused += !blocks[after];
        CHECK(blocks[after] || strstr(proa_failure(), "out of memory"));
    }
    CHECK(refused >= 3);
    for (int i = 0; i < TRIES; i++)
        CHECK(!blocks[i] || proa_arena_free(blocks[i]));
    check_all_merged();
}

WORLD_TEST(notes_fail, 1)

/* ---- segments ---- */

/* Does the system let files in memory have them? */
static int has_large_pages(void)
{
    char text[128] = "";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "r");

    if (file && !fgets(text, sizeof text, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    return text[0] && !strstr(text, "[never]") && !strstr(text, "[deny]");
}

/* The kernel's flags of the mapping that address is in (proc(5), smaps). */
static void mapping_flags(const void *address, char *flags, size_t room)
{
    char line[512];
    unsigned long first, end;
    int is_in = 0;
    FILE *file = fopen("/proc/self/smaps", "r");

    CHECK(file);
    flags[0] = '\0';
    while (!flags[0] && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            is_in = (uintptr_t)address >= first && (uintptr_t)address < end;
        else if (is_in && strncmp(line, "VmFlags:", 8) == 0)
            snprintf(flags, room, "%.*s", (int)room - 1, line);
    }
    fclose(file);
}

static void several_segments_body(struct world *world)
{
    enum { BLOCKS = 5 }; /* one in the first segment, two in the second */
    char *blocks[BLOCKS];
    (void)world;

    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = proa_arena_alloc(50 * mib, 0);
        CHECK(blocks[i]);
        blocks[i][0] = blocks[i][50 * mib - 1] = (char)i;
    }
    CHECK_EQUAL(segment_count(), 3);
    for (int i = 1; i < segment_count(); i++) {
        CHECK(segment_bytes(i) >= 2 * segment_bytes(i - 1));
        CHECK_EQUAL(segment_of(proa_peer_segment(proa_self, i)), i);
    }
    for (int i = 0; i < BLOCKS; i++) {
        CHECK(blocks[i][0] == i && blocks[i][50 * mib - 1] == i);
        CHECK(proa_arena_free(blocks[i]));
    }
    CHECK(bytes_in_use() < (has_large_pages() ? 40 : 4) * mib);
    check_all_merged();
}

WORLD_TEST(several_segments, 1)

/* One block that is larger than any segment so far. */
static void large_block_body(struct world *world)
{
    uint64_t bytes = 150 * mib + 5;
    char *block = proa_arena_alloc(bytes, 2 * mib), flags[512];
    (void)world;

    CHECK(block);
    CHECK_EQUAL((uintptr_t)block % (2 * mib), 0);
    block[0] = block[bytes - 1] = 1;
    CHECK(segment_of(block) > 0);
    CHECK_EQUAL((uintptr_t)proa_peer_segment(proa_self, segment_of(block)) % (2 * mib), 0);
    mapping_flags(block, flags, sizeof flags);
    CHECK(strstr(flags, " hg") || access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0);
    CHECK(proa_arena_free(block));
    check_all_merged();
}

WORLD_TEST(large_block, 1, .kernel = 1)

/* A limit on the size of files, as of `ulimit -f`: a process that goes beyond is sent SIGXFSZ. */
static void small_files(struct world *world)
{
    struct rlimit files = {3 * mib + 1000, RLIM_INFINITY};
    (void)world;

    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &files), 0);
}

static void file_limit_body(struct world *world)
{
    (void)world;
    CHECK_EQUAL(segment_bytes(0), 3 * mib);
    check_refused(3 * mib + 1, 0);
    CHECK(proa_arena_is_limited(3 * mib + 1));
    CHECK(!proa_arena_is_limited(3 * mib));
    for (int i = 1; i < PROA_SEGMENTS; i++) {
        CHECK(proa_arena_alloc(2 * mib, 0));
        CHECK(segment_bytes(segment_count() - 1) <= 3 * mib);
    }
    while (proa_arena_alloc(2 * mib, 0))
        continue;
    CHECK_EQUAL(segment_count(), PROA_SEGMENTS);
    CHECK(proa_arena_is_limited(2 * mib)); /* there is memory, but no segment left to put it in */
}

WORLD_TEST(file_limit, 1, .before = small_files)

static void small_means_body(struct world *world)
{
    enum { BLOCKS = 10000 };
    static char *blocks[BLOCKS];
    long files = world_open_files(), mappings = world_mappings("memfd:proa");
    (void)world;

    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = proa_arena_alloc(1000 + (size_t)i % 5000, 0);
        CHECK(blocks[i]);
    }
    CHECK_EQUAL(world_open_files(), files);
    CHECK_EQUAL(world_mappings("memfd:proa"), mappings);
    for (int i = 0; i < BLOCKS; i++)
        /* 7 does not divide BLOCKS: all of them, out of order */
        CHECK(proa_arena_free(blocks[i * 7 % BLOCKS]));
    check_all_merged();
}

WORLD_TEST(small_means, 1)

/* ---- the program closes files that are not its own ---- */

/* Its own file under the number of ours: nothing of what the arena does may touch it. */
static void closed_files_body(struct world *world)
{
    enum { FILE_BYTES = 64 << 20 };
    int users = memfd_create("of the user", MFD_CLOEXEC), ours = proa_self->ctl->segments[0].fd;
    char *block = proa_arena_alloc(8 * mib, 0);
    struct stat file;
    (void)world;

    CHECK(ours > 100); /* out of the way of programs that count from 3 on */
    CHECK(block);
    CHECK_EQUAL(ftruncate(users, FILE_BYTES), 0);
    CHECK_EQUAL(fallocate(users, 0, 0, FILE_BYTES), 0);
    CHECK_EQUAL(dup2(users, ours), ours);
    CHECK(proa_arena_free(block));         /* gives pages back */
    block = proa_arena_alloc(32 * mib, 0); /* and has new ones reserved */
    CHECK(block);
    memset(block, 1, 32 * mib);
    CHECK(proa_arena_free(block));
    CHECK(proa_arena_alloc(100 * mib, 0)); /* a new segment has its own file */
    proa_core_stop();
    CHECK_EQUAL(fstat(ours, &file), 0);
    CHECK_EQUAL(file.st_size, FILE_BYTES);
    CHECK_EQUAL((uint64_t)file.st_blocks * 512, FILE_BYTES);
    CHECK_EQUAL(close(ours), 0);

    /* Closed, and nothing in its place. */
    CHECK_OK(proa_core_start());
    CHECK_EQUAL(close(proa_self->ctl->segments[0].fd), 0);
    block = proa_arena_alloc(32 * mib, 0);
    CHECK(block);
    CHECK(proa_arena_free(block));
    proa_core_stop();
    CHECK_EQUAL(fstat(users, &file), 0);
    close(users);
    CHECK_OK(proa_core_start());
}

WORLD_TEST(closed_files, 1)

/* ---- start and stop ---- */

static void started_again_body(struct world *world)
{
    long files, mappings;
    (void)world;

    CHECK(proa_arena_alloc(100 * mib, 0)); /* left to the stop, with its segment */
    proa_core_stop();
    files = world_open_files();
    mappings = world_mappings("memfd:proa");
    CHECK_EQUAL(mappings, 0);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(proa_core_start());
        CHECK(proa_arena_alloc(1000, 0));
        proa_core_stop();
    }
    CHECK_EQUAL(world_open_files(), files);
    CHECK_EQUAL(world_mappings("memfd:proa"), 0);
    CHECK_OK(proa_core_start());
    check_all_merged();
}

WORLD_TEST(started_again, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shrinks),          cmocka_unit_test(find),
        cmocka_unit_test(pages_given_back), cmocka_unit_test(pages_kept),
        cmocka_unit_test(little_kept),      cmocka_unit_test(promised),
        cmocka_unit_test(kept_told),        cmocka_unit_test(strict_kernel),
        cmocka_unit_test(impossible_sizes), cmocka_unit_test(no_memory_left),
        cmocka_unit_test(first_bytes),      cmocka_unit_test(reservation_fails),
        cmocka_unit_test(interrupted),      cmocka_unit_test(notes_fail),
        cmocka_unit_test(several_segments), cmocka_unit_test(large_block),
        cmocka_unit_test(file_limit),       cmocka_unit_test(small_means),
        cmocka_unit_test(closed_files),     cmocka_unit_test(started_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
