/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See remap.h. Sources: mremap(2), userfaultfd(2), ioctl_userfaultfd(2), madvise(2), fork(2),
 * pthread_atfork(3).
 *
 * While a range is empty, no library function is called that might touch memory of the program,
 * such as malloc: this thread would wait for itself. Mappings are changed by syscall(2), as
 * libraries that intercept mmap (those for networks) would do more than is allowed here. They need
 * no notice, because memory that a device uses is not moved (adopt/adopt.c).
 */
#include "adopt/remap.h"
#include "adopt/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4 /* Linux 5.7 */
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif
#ifndef UFFDIO_REGISTER_MODE_MINOR
#define UFFDIO_REGISTER_MODE_MINOR ((uint64_t)1 << 2)
#endif

/* ---- system calls ---- */

/* keep: 1 to leave an empty mapping at the old place. Returns 0 or an errno. */
static int remap(uint64_t from, uint64_t bytes, uint64_t to, int keep)
{
    int flags = MREMAP_MAYMOVE | MREMAP_FIXED | (keep ? MREMAP_DONTUNMAP : 0);

    return syscall(SYS_mremap, from, bytes, bytes, flags, to) == -1 ? errno : 0;
}

static int is_mapped(uint64_t page)
{
    unsigned char resident;

    return mincore(proa_at(page), 1, &resident) == 0;
}

/* Moves [from, from + bytes), which may consist of several mappings, to `to`. Unmapped parts stay
 * unmapped there. Returns 0 or an errno. */
static int remap_all(uint64_t from, uint64_t bytes, uint64_t to)
{
    uint64_t page = proa_page_bytes(), half = bytes / page / 2 * page;
    int error = remap(from, bytes, to, 0);

    if (error != EFAULT)
        return error;
    if (half) {
        error = remap_all(from, half, to);
        return error ? error : remap_all(from + half, bytes - half, to + half);
    }
    if (is_mapped(from))
        return error;
    syscall(SYS_munmap, to, bytes);
    return 0;
}

/* ---- stopping other threads ---- */

/* Returns 0 or an errno; EBUSY if the program has registered that memory itself. */
static int enter(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes,
                 uint64_t mode)
{
    struct uffdio_register range = {.range = {first, bytes}, .mode = mode};

    return relocation->fault_fd < 0 || ioctl(relocation->fault_fd, UFFDIO_REGISTER, &range) == 0
               ? 0
               : errno;
}

/* request: UFFDIO_WAKE, or UFFDIO_UNREGISTER, which wakes as well. */
static void let_go(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes,
                   unsigned long request)
{
    struct uffdio_range range = {first, bytes};

    if (relocation->fault_fd >= 0)
        ioctl(relocation->fault_fd, request, &range);
}

const char *proa_remap_begin(struct proa_relocation *relocation, const struct proa_segment *segment)
{
    relocation->segment = segment;
    relocation->fault_fd = -1;
    if (proa_touched_open(&relocation->touched, relocation->process.swapped_kib) != 0)
        return "/proc/self/pagemap does not show the pages with content";
    if (relocation->process.threads.count == 0)
        return NULL;
    relocation->fault_fd = proa_fault_open();
    if (relocation->fault_fd >= 0)
        return NULL;
    proa_touched_close(&relocation->touched);
    return "the program has other threads, and the kernel offers no userfaultfd that stops them in "
           "system calls (vm.unprivileged_userfaultfd)";
}

void proa_remap_end(struct proa_relocation *relocation)
{
    if (relocation->fault_fd >= 0)
        close(relocation->fault_fd);
    relocation->fault_fd = -1;
    proa_touched_close(&relocation->touched);
}

/* Returns whether another thread sleeps in one of these calls on the range. calls: kinds of calls
 * (PROA_THREADS_WAIT and so on), or-ed. */
static int is_used(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes,
                   int calls)
{
    return proa_threads_look(&relocation->process.threads, first, first + bytes, NULL, NULL) &
           calls;
}

/* Returns whether the program has registered some of the range with a userfaultfd. A mapping that
 * moves loses its registration. */
static int is_registered(const struct proa_relocation *relocation, uint64_t first, uint64_t end)
{
    return relocation->process.has_faults && proa_fault_is_registered(first, end);
}

/* ---- in ---- */

/* Memory with a futex that a thread waits on stays: the kernel identifies the waiters by the page,
 * and after a move they would never be woken. */
static int piece_in(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes,
                    uint64_t aside)
{
    int huge = 0, error = enter(relocation, first, bytes, UFFDIO_REGISTER_MODE_MISSING);

    if (error)
        return error;
    error = remap(first, bytes, aside, 1);
    if (error) {
        let_go(relocation, first, bytes, UFFDIO_UNREGISTER);
        return error;
    }
    error = is_used(relocation, first, bytes, PROA_THREADS_WAIT | PROA_THREADS_WAIT_FIXED)
                ? EBUSY
                : proa_content_in(relocation->segment, &relocation->touched, first, bytes, aside,
                                  &huge);
    if (!error && proa_map_unwatched(first, bytes, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                                     relocation->segment->fd, first) != (long)first)
        error = errno;
    if (error) {
        remap(aside, bytes, first, 1); /* restores it: the mapping in place is removed */
        proa_content_punch(relocation->segment, first, first + bytes);
    } else {
        madvise(proa_at(first), bytes, MADV_DONTFORK);
        madvise(proa_at(aside), bytes, MADV_DONTNEED);
    }
    let_go(relocation, first, bytes, UFFDIO_WAKE);
    if (huge && !error) /* keeps loads as fast as before */
        madvise(proa_at(first), bytes, MADV_COLLAPSE);
    return error;
}

/* ---- out ---- */

/* Pages that move out. */
struct leaving {
    const struct proa_segment *segment;
    uint64_t first, bytes, aside; /* in the file, and so at their first place */
    uint64_t place;               /* address where they are mapped */
};

/* Wakes threads that wait at a word of the file's page before the page is removed, so that they
 * check again. */
static void wake_word(uint64_t word, void *context)
{
    const struct leaving *leaving = context;
    uint64_t page = proa_page_bytes(), offset = word - leaving->place + leaving->first,
             start = offset / page * page;
    long alias = proa_map_unwatched(0, page, PROT_READ | PROT_WRITE, MAP_SHARED,
                                    leaving->segment->fd, start);

    if (alias == -1)
        return;
    syscall(SYS_futex, (uint64_t)alias + (offset - start), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    syscall(SYS_munmap, alias, page);
}

/* Keeps other threads from accessing the range. The file keeps its content. Returns 0 or an errno;
 * EBUSY if a thread now sleeps in a call that would miss the removal of the pages. */
static int stop_others(const struct proa_relocation *relocation, uint64_t first, uint64_t bytes)
{
    int reads = relocation->process.direct == PROA_DIRECT_FILE ? PROA_THREADS_READ : 0;
    int error =
        enter(relocation, first, bytes, UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_MINOR);

    if (error || relocation->fault_fd < 0)
        return error;
    if (madvise(proa_at(first), bytes, MADV_DONTNEED) != 0)
        error = errno;
    else if (is_used(relocation, first, bytes, PROA_THREADS_WAIT_FIXED | reads))
        error = EBUSY;
    if (error)
        let_go(relocation, first, bytes, UFFDIO_UNREGISTER);
    return error;
}

/* Retries, as a read takes some milliseconds. */
static int stop_others_soon(const struct proa_relocation *relocation, uint64_t first,
                            uint64_t bytes)
{
    enum { TRIES = 2000 };
    int error = EBUSY;

    for (int i = 0; i < TRIES && error == EBUSY; i++) {
        if (i > 0)
            usleep(500);
        error = stop_others(relocation, first, bytes);
    }
    return error;
}

static int piece_out(const struct proa_relocation *relocation, struct leaving *piece, int prot,
                     struct proa_data *data)
{
    uint64_t place = piece->place, bytes = piece->bytes;
    int error = stop_others_soon(relocation, place, bytes);

    if (error)
        return error;
    error =
        proa_content_out(piece->segment, piece->first, piece->first + bytes, piece->aside, data);
    if (!error)
        error = remap_all(piece->aside, bytes, place);
    if (error) {
        let_go(relocation, place, bytes, UFFDIO_UNREGISTER);
        return error;
    }
    if (prot != (PROT_READ | PROT_WRITE))
        syscall(SYS_mprotect, place, bytes, prot);
    proa_threads_look(&relocation->process.threads, place, place + bytes, wake_word, piece);
    proa_content_punch(piece->segment, piece->first, piece->first + bytes);
    let_go(relocation, place, bytes, UFFDIO_WAKE);
    return 0;
}

/* ---- both, piece by piece ---- */

/* Returns the end of the piece at `address`; pages without content from there on belong to it.
 * next: address of the next content. */
static uint64_t piece_end(uint64_t address, uint64_t next, uint64_t end)
{
    uint64_t from = next > address ? next : address,
             border = from / PROA_RELOCATE_BYTES * PROA_RELOCATE_BYTES;

    if (border <= address)
        border += PROA_RELOCATE_BYTES;
    return border < end ? border : end;
}

static uint64_t next_touched(const struct proa_relocation *relocation, uint64_t first, uint64_t end)
{
    struct proa_touched_run run;
    int found = proa_touched_next(&relocation->touched, first, end, 1, &run);

    return found > 0 ? run.first : found < 0 ? first : end;
}

uint64_t proa_remap_in(const struct proa_relocation *relocation, uint64_t first, uint64_t end,
                       uint64_t aside)
{
    uint64_t done, piece;

    if (is_registered(relocation, first, end))
        return first;
    proa_content_punch(relocation->segment, first, end); /* removes the content of earlier moves */
    for (done = first; done < end; done = piece) {
        piece = piece_end(done, next_touched(relocation, done, end), end);
        if (piece_in(relocation, done, piece - done, aside + (done - first)) != 0)
            break;
    }
    return done;
}

uint64_t proa_remap_out(const struct proa_relocation *relocation, const struct proa_range *moved,
                        uint64_t place, int prot)
{
    struct proa_data data = {0};
    uint64_t done, next;

    if (is_registered(relocation, place, place + (moved->end - moved->first)))
        return moved->first;
    for (done = moved->first; done < moved->end; done = next) {
        struct leaving piece = {.segment = relocation->segment,
                                .first = done,
                                .aside = moved->aside + (done - moved->first),
                                .place = place + (done - moved->first)};

        proa_content_find(relocation->segment, done, &data);
        next = piece_end(done, data.first, moved->end);
        piece.bytes = next - done;
        if (piece_out(relocation, &piece, prot, &data) != 0)
            break;
    }
    return done;
}

/* ---- fork ---- */

static int copy(const struct proa_segment *segment, const struct proa_range *moved)
{
    uint64_t bytes = moved->end - moved->first;
    struct iovec here = {proa_at(moved->aside), bytes}, there = {proa_at(moved->first), bytes};
    struct proa_data data = {0};

    if (proa_segment_is_open(segment))
        return proa_content_out(segment, moved->first, moved->end, moved->aside, &data);
    /* the program has closed the file: the kernel still copies mapped pages, and reports others */
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes ? 0 : errno;
}

int proa_fork_copy(const struct proa_segment *segment, const struct proa_ranges *moves)
{
    int error = 0;

    for (size_t i = 0; i < moves->count && !error; i++)
        error = copy(segment, &moves->range[i]);
    return error;
}

void proa_fork_wipe(const struct proa_ranges *moves)
{
    for (size_t i = 0; i < moves->count; i++)
        madvise(proa_at(moves->range[i].aside), moves->range[i].end - moves->range[i].first,
                MADV_DONTNEED);
}

/* Moves the copy aside to the unmapped parts of [first, end). Returns 0 or an errno. */
static int place(uint64_t first, uint64_t end, uint64_t aside)
{
    uint64_t page = proa_page_bytes(), next;
    int error = 0;

    if (proa_map_unwatched(first, end - first, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                           0) == (long)first)
        return remap_all(aside, end - first, first);
    for (uint64_t from = first; from < end && !error; from = next) {
        for (next = from; next < end && !is_mapped(next); next += page)
            continue;
        if (next > from)
            error = remap_all(aside + (from - first), next - from, first + (from - first));
        else
            next += page;
    }
    return error;
}

void proa_fork_place(const struct proa_ranges *moves, int error)
{
    for (size_t i = 0; i < moves->count && !error; i++)
        error = place(moves->range[i].first, moves->range[i].end, moves->range[i].aside);
    if (error) {
        dprintf(STDERR_FILENO,
                "proa: fork: the child cannot copy the memory of windows (%s), and ends\n",
                strerror(error));
        _exit(127);
    }
}
