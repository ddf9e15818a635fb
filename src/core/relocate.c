/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See relocate.h.
 *
 * Between protect and the wake at its end no library function is called that might store to memory
 * of the program's, such as malloc: it could be in the piece, and this thread would wait for
 * itself. Mappings are changed by syscall(2): libraries that watch the program's mmap (those for
 * networks) would do more than this allows. They have nothing to learn: memory that a device uses
 * is not moved (core/adopt.c). Bytes go by syscall(2) as well: of a page of the heap the window is
 * a part, and a program's AddressSanitizer takes the C library's pwrite of the rest for a fault.
 */
#include "core/relocate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1 /* Linux 5.11 */
#endif
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM (1 << 12) /* Linux 5.19 */
#endif
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13) /* Linux 6.4 */
#endif

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* ---- system calls ---- */

static int map_file(const struct proa_segment *segment, uint64_t first, uint64_t bytes)
{
    return syscall(SYS_mmap, first, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE | MAP_FIXED, segment->fd, first) == (long)first
               ? 0
               : errno;
}

/* fixed: there, else anywhere. 0 if that fails, with errno set. */
static uint64_t map_private(uint64_t address, uint64_t bytes, int fixed)
{
    long got = syscall(SYS_mmap, address, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | (fixed ? MAP_FIXED : 0), -1, 0);

    return got == -1 ? 0 : (uint64_t)got;
}

static ssize_t write_file(const struct proa_segment *segment, uint64_t position, uint64_t bytes)
{
    return syscall(SYS_pwrite64, segment->fd, at(position), bytes, position);
}

static ssize_t read_file(const struct proa_segment *segment, uint64_t position, uint64_t bytes,
                         uint64_t to)
{
    return syscall(SYS_pread64, segment->fd, at(to), bytes, position);
}

static int is_mapped(uint64_t address)
{
    unsigned char resident;

    return mincore(at(address), 1, &resident) == 0;
}

static void punch(const struct proa_segment *segment, uint64_t first, uint64_t bytes)
{
    fallocate(segment->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first, (off_t)bytes);
}

/* ---- keeping others from storing ---- */

/* User mode faults only where the kernel gives no more. */
static int fault_open(void)
{
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

    return fd >= 0 ? fd
                   : (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
}

/* A descriptor with these features, or -1 and errno. */
static int fault_open_with(uint64_t features, uint64_t *has)
{
    struct uffdio_api api = {.api = UFFD_API, .features = features};
    int fd = fault_open();

    if (fd >= 0 && ioctl(fd, UFFDIO_API, &api) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    *has = api.features;
    return fd;
}

int proa_relocate_begin(struct proa_relocation *relocation, const struct proa_segment *segment,
                        long threads)
{
    const uint64_t needed = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM;
    uint64_t has = 0;

    *relocation = (struct proa_relocation){.segment = segment, .fault_fd = -1, .whole = 1};
    if (threads == 1)
        return 0;
    relocation->fault_fd = fault_open_with(needed | UFFD_FEATURE_WP_UNPOPULATED, &has);
    if (relocation->fault_fd < 0 && errno == EINVAL) {
        relocation->whole = 0;
        relocation->fault_fd = fault_open_with(needed, &has);
    }
    if (relocation->fault_fd < 0)
        return errno == EINVAL ? ENOSYS : errno;
    return 0;
}

void proa_relocate_end(struct proa_relocation *relocation)
{
    if (relocation->fault_fd >= 0)
        close(relocation->fault_fd);
    relocation->fault_fd = -1;
}

/* EBUSY: the program has registered that memory itself. */
static int enter(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes)
{
    struct uffdio_register range = {.range = {first, bytes}, .mode = UFFDIO_REGISTER_MODE_WP};

    return relocation->fault_fd < 0 || ioctl(relocation->fault_fd, UFFDIO_REGISTER, &range) == 0
               ? 0
               : errno;
}

static void leave(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes)
{
    struct uffdio_range range = {first, bytes};

    if (relocation->fault_fd >= 0)
        ioctl(relocation->fault_fd, UFFDIO_UNREGISTER, &range); /* wakes as well */
}

static void wake(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes)
{
    struct uffdio_range range = {first, bytes};

    if (relocation->fault_fd >= 0)
        ioctl(relocation->fault_fd, UFFDIO_WAKE, &range);
}

static int protect(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes)
{
    struct uffdio_writeprotect range = {.range = {first, bytes},
                                        .mode = UFFDIO_WRITEPROTECT_MODE_WP};

    if (relocation->fault_fd < 0)
        return 0;
    if (!relocation->whole && madvise(at(first), bytes, MADV_POPULATE_READ) != 0)
        return errno;
    return ioctl(relocation->fault_fd, UFFDIO_WRITEPROTECT, &range) == 0 ? 0 : errno;
}

/* ---- in ---- */

/* All of the page, the neighbours' bytes too, whatever AddressSanitizer takes them for. */
static __attribute__((no_sanitize("address"))) int is_zero(const uint64_t *page, uint64_t bytes)
{
    enum { AT_ONCE = 32 };
    uint64_t any = 0;

    for (uint64_t i = 0; !any && i < bytes / sizeof *page; i += AT_ONCE)
        for (uint64_t k = i; k < i + AT_ONCE; k++)
            any |= page[k];
    return any == 0;
}

/* Pages of zeros stay holes: most were never touched, and cost no memory now either. */
static int copy_in(const struct proa_segment *segment, uint64_t first, uint64_t end)
{
    uint64_t run, page = proa_page_bytes();

    for (uint64_t address = first; address < end; address = run) {
        ssize_t written;

        for (run = address; run < end && !is_zero(at(run), page); run += page)
            continue;
        if (run == address) {
            run += page;
            continue;
        }
        written = write_file(segment, address, run - address);
        if (written < 0 && errno != EINTR)
            return errno;
        run = address + (written > 0 ? (uint64_t)written / page * page : 0);
    }
    return 0;
}

/* Should the kernel have run out of memory after it had taken away what was mapped, private memory
 * takes its place again, with what the file has. */
static int repair(const struct proa_segment *segment, uint64_t first, uint64_t bytes)
{
    if (map_private(first, bytes, 1) == first)
        while (read_file(segment, first, bytes, first) < 0 && errno == EINTR)
            continue;
    return ENOMEM;
}

static int piece_in(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes)
{
    const struct proa_segment *segment = relocation->segment;
    int error = enter(relocation, first, bytes);

    if (error)
        return error;
    error = protect(relocation, first, bytes);
    if (!error)
        error = copy_in(segment, first, first + bytes);
    if (!error) {
        error = map_file(segment, first, bytes);
        if (error && !is_mapped(first))
            error = repair(segment, first, bytes);
    }
    if (error) {
        leave(relocation, first, bytes);
        punch(segment, first, bytes);
    }
    wake(relocation, first, bytes);
    return error;
}

/* ---- out ---- */

/* The file's bytes at `position`, which are mapped at `from`, to `to`. By the kernel, which brings
 * in new pages there without a fault for each, nor one for each where the file is mapped. */
static void copy_bytes(const struct proa_segment *segment, uint64_t position, uint64_t bytes,
                       uint64_t from, uint64_t to)
{
    while (bytes > 0) {
        ssize_t got = read_file(segment, position, bytes, to);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            memcpy(at(to), at(from), bytes);
            return;
        }
        position += (uint64_t)got;
        from += (uint64_t)got;
        to += (uint64_t)got;
        bytes -= (uint64_t)got;
    }
}

/* Up to where the file is known to have data. The kernel looks at each page to find the end of it,
 * so it is not asked again for each piece of it; data does not go away. */
struct known {
    uint64_t data, end;
};

static void known_find(struct known *known, const struct proa_segment *segment, uint64_t position)
{
    off_t data, hole;

    if (position >= known->data && position < known->end)
        return;
    data = lseek(segment->fd, (off_t)position, SEEK_DATA);
    if (data < 0 && errno == ENXIO) {
        known->data = known->end = UINT64_MAX;
        return;
    }
    if (data < 0) /* it does not tell: all of it */
        data = (off_t)position;
    hole = lseek(segment->fd, data, SEEK_HOLE);
    known->data = (uint64_t)data;
    known->end = hole > data ? (uint64_t)hole : UINT64_MAX;
}

/* What the file has of [offset, end), mapped at `from`, to `to`. */
static void copy_data(const struct proa_segment *segment, struct known *known, uint64_t offset,
                      uint64_t end, uint64_t from, uint64_t to)
{
    for (uint64_t position = offset, run; position < end; position = run) {
        known_find(known, segment, position);
        if (known->data >= end)
            return;
        position = known->data > position ? known->data : position;
        run = known->end < end ? known->end : end;
        copy_bytes(segment, position, run - position, from + (position - offset),
                   to + (position - offset));
    }
}

/* Private memory that lies in its pieces as [first, first + bytes) does: then the kernel moves
 * whole page tables, where it would move pages. 0 and errno. */
static uint64_t map_aside(uint64_t first, uint64_t bytes)
{
    uint64_t got, front;

    if (bytes < PROA_RELOCATE_BYTES)
        return map_private(0, bytes, 0);
    got = map_private(0, bytes + PROA_RELOCATE_BYTES, 0);
    if (!got)
        return 0;
    front = (first - got) % PROA_RELOCATE_BYTES;
    if (front)
        syscall(SYS_munmap, got, front);
    syscall(SYS_munmap, got + front + bytes, PROA_RELOCATE_BYTES - front);
    return got + front;
}

/* aside: where private memory for this piece is, filled here. */
static int piece_out(const struct proa_relocation *relocation, struct known *known, uint64_t first,
                     uint64_t bytes, uint64_t aside)
{
    int error = enter(relocation, first, bytes);

    if (error)
        return error;
    error = protect(relocation, first, bytes);
    if (!error) {
        copy_data(relocation->segment, known, first, first + bytes, first, aside);
        if (syscall(SYS_mremap, aside, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, first) == -1)
            error = errno;
    }
    if (error)
        leave(relocation, first, bytes);
    else
        punch(relocation->segment, first, bytes);
    wake(relocation, first, bytes);
    return error;
}

/* ---- both, piece by piece ---- */

static uint64_t piece_end(uint64_t address, uint64_t end)
{
    uint64_t next = address / PROA_RELOCATE_BYTES * PROA_RELOCATE_BYTES + PROA_RELOCATE_BYTES;

    return next < end ? next : end;
}

/* A handler of this thread's that stores into the piece would wait for its own thread, or store
 * into what has been copied already. */
static void signals_block(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

int proa_relocate_in(const struct proa_relocation *relocation, uint64_t first, uint64_t end,
                     uint64_t *done)
{
    sigset_t before;
    int error = 0;

    punch(relocation->segment, first, end - first); /* whatever was there at another time */
    *done = first;
    while (*done < end && !error) {
        uint64_t piece = piece_end(*done, end);

        signals_block(&before);
        error = piece_in(relocation, *done, piece - *done);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!error)
            *done = piece;
    }
    return error;
}

int proa_relocate_out(const struct proa_relocation *relocation, uint64_t first, uint64_t end,
                      uint64_t *done)
{
    uint64_t aside = map_aside(first, end - first);
    struct known known = {0, 0};
    sigset_t before;
    int error = aside ? 0 : errno;

    *done = first;
    while (*done < end && !error) {
        uint64_t piece = piece_end(*done, end);

        signals_block(&before);
        error = piece_out(relocation, &known, *done, piece - *done, aside + (*done - first));
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!error)
            *done = piece;
    }
    if (aside && *done < end)
        syscall(SYS_munmap, aside + (*done - first), end - *done);
    return error;
}

int proa_relocate_copy(const struct proa_segment *segment, uint64_t first, uint64_t end,
                       uint64_t offset)
{
    uint64_t bytes = end - first, aside = map_aside(first, bytes);
    struct known known = {0, 0};

    if (!aside)
        return errno;
    copy_data(segment, &known, offset, offset + bytes, first, aside);
    return syscall(SYS_mremap, aside, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, first) == -1
               ? errno
               : 0;
}
