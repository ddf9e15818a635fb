/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See content.h. Bytes are copied by syscall(2): the window may be a part of a page of the heap,
 * and a program's AddressSanitizer would report the C library's pwrite of the rest as an error.
 * Sources: the kernel's pagemap.rst (PAGEMAP_SCAN, Linux 6.7), mincore(2).
 */
#include "adopt/content.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- which pages have content ---- */

/* struct pm_scan_arg and struct page_region of Linux 6.7, which older headers lack. */
struct scan {
    uint64_t size, flags, first, end, walk_end, regions, region_count, most_pages;
    uint64_t inverted, all_of, any_of, returned;
};

struct region {
    uint64_t first, end, categories;
};

#define PAGES_SCAN _IOWR('f', 16, struct scan)

enum { IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4, IS_ZERO_PAGE = 1 << 5, IS_HUGE = 1 << 6 };

/* Returns 1, 0 or -1, as proa_touched_next. The zero page that a load has mapped counts as no
 * content. */
static int scan(int fd, uint64_t first, uint64_t end, uint64_t most_pages,
                struct proa_touched_run *run)
{
    struct region region = {0};
    struct scan scan = {.size = sizeof scan,
                        .first = first,
                        .end = end,
                        .regions = (uint64_t)(uintptr_t)&region,
                        .region_count = 1,
                        .most_pages = most_pages,
                        .inverted = IS_ZERO_PAGE,
                        .all_of = IS_ZERO_PAGE,
                        .any_of = IS_PRESENT | IS_SWAPPED,
                        .returned = IS_PRESENT | IS_HUGE};
    int found = ioctl(fd, PAGES_SCAN, &scan);

    if (found <= 0)
        return found;
    *run = (struct proa_touched_run){.first = region.first,
                                     .end = region.end,
                                     .present = (region.categories & IS_PRESENT) != 0,
                                     .huge = (region.categories & IS_HUGE) != 0};
    return 1;
}

/* The same by mincore(2), if no page is on swap. */
static int look(uint64_t first, uint64_t end, uint64_t most_pages, struct proa_touched_run *run)
{
    enum { AT_ONCE = 1024 };
    unsigned char resident[AT_ONCE];
    uint64_t page = proa_page_bytes(), bytes;

    *run = (struct proa_touched_run){.present = 1, .huge = 1};
    for (uint64_t at = first; at < end; at += bytes) {
        bytes = end - at < AT_ONCE * page ? end - at : AT_ONCE * page;
        if (mincore((void *)(uintptr_t)at, bytes, resident) != 0)
            return -1;
        for (uint64_t i = 0; i < bytes / page; i++) {
            if (resident[i] & 1) {
                run->first = run->end ? run->first : at + i * page;
                run->end = at + (i + 1) * page;
            }
            if (run->end && (!(resident[i] & 1) || run->end - run->first == most_pages * page))
                return 1;
        }
    }
    return run->end != 0;
}

int proa_touched_open(struct proa_touched *touched, uint64_t swapped_kib)
{
    uint64_t page = (uint64_t)(uintptr_t)touched / proa_page_bytes() * proa_page_bytes();
    struct proa_touched_run run;

    touched->fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (touched->fd >= 0 && scan(touched->fd, page, page + proa_page_bytes(), 1, &run) == 1)
        return 0;
    proa_touched_close(touched);
    touched->fd = -1;
    return !swapped_kib && look(page, page + proa_page_bytes(), 1, &run) == 1 ? 0 : -1;
}

void proa_touched_close(const struct proa_touched *touched)
{
    if (touched->fd >= 0)
        close(touched->fd);
}

int proa_touched_next(const struct proa_touched *touched, uint64_t first, uint64_t end,
                      uint64_t most_pages, struct proa_touched_run *run)
{
    if (first >= end)
        return 0;
    return touched->fd >= 0 ? scan(touched->fd, first, end, most_pages, run)
                            : look(first, end, most_pages, run);
}

/* ---- in ---- */

/* Reads the whole page, including bytes beside the window that AddressSanitizer may regard as
 * poisoned. */
static __attribute__((no_sanitize("address"))) int is_zero(const uint64_t *page, uint64_t bytes)
{
    enum { AT_ONCE = 32 };
    uint64_t any = 0;

    for (uint64_t i = 0; !any && i < bytes / sizeof *page; i += AT_ONCE)
        for (uint64_t k = i; k < i + AT_ONCE; k++)
            any |= page[k];
    return any == 0;
}

/* A limit on files that the program has set since causes an error, not its end. */
static int write_failed(void)
{
    const struct timespec at_once = {0, 0};
    sigset_t limit;
    int error = errno;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (error == EFBIG) /* SIGXFSZ is blocked and pending */
        sigtimedwait(&limit, NULL, &at_once);
    return error;
}

/* Pages of zeros stay holes. position: offset in the file of the byte at `from`. */
static int write_run(const struct proa_segment *segment, const struct proa_touched_run *run,
                     uint64_t position)
{
    uint64_t next, page = proa_page_bytes();

    for (uint64_t from = run->first; from < run->end; from = next) {
        ssize_t written;

        for (next = from; next < run->end && !(run->present && is_zero(proa_at(next), page));
             next += page)
            continue;
        if (next == from) {
            next += page;
            continue;
        }
        written =
            syscall(SYS_pwrite64, segment->fd, from, next - from, position + (from - run->first));
        if (written < 0 && errno != EINTR)
            return write_failed();
        next = from + (written > 0 ? (uint64_t)written / page * page : 0);
    }
    return 0;
}

int proa_content_in(const struct proa_segment *segment, const struct proa_touched *touched,
                    uint64_t first, uint64_t bytes, uint64_t aside, int *huge)
{
    enum { HUGE_BYTES = 2 << 20 };
    struct proa_touched_run run;
    int found, error = 0;

    for (uint64_t from = aside; !error && from < aside + bytes; from = run.end) {
        found = proa_touched_next(touched, from, aside + bytes, bytes, &run);
        if (found <= 0)
            return found < 0 ? errno : 0;
        *huge |= run.huge && run.end - run.first == HUGE_BYTES;
        error = write_run(segment, &run, first + (run.first - aside));
    }
    return error;
}

/* ---- out ---- */

/* Copies the file's bytes at `position` to `to`. */
static int read_run(const struct proa_segment *segment, uint64_t position, uint64_t bytes,
                    uint64_t to)
{
    while (bytes > 0) {
        ssize_t got = syscall(SYS_pread64, segment->fd, to, bytes, position);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO;
        position += (uint64_t)got;
        to += (uint64_t)got;
        bytes -= (uint64_t)got;
    }
    return 0;
}

void proa_content_find(const struct proa_segment *segment, uint64_t position,
                       struct proa_data *data)
{
    off_t first, end;

    if (position >= data->first && position < data->end)
        return;
    first = lseek(segment->fd, (off_t)position, SEEK_DATA);
    *data = (struct proa_data){first >= 0 ? (uint64_t)first : position, UINT64_MAX};
    if (first < 0 && errno == ENXIO)
        data->first = UINT64_MAX;
    end = first >= 0 ? lseek(segment->fd, first, SEEK_HOLE) : -1;
    if (end > first)
        data->end = (uint64_t)end;
}

int proa_content_out(const struct proa_segment *segment, uint64_t first, uint64_t end,
                     uint64_t aside, struct proa_data *data)
{
    int error = 0;

    for (uint64_t from = first, next; !error && from < end; from = next) {
        proa_content_find(segment, from, data);
        if (data->first >= end)
            break;
        from = data->first > from ? data->first : from;
        next = data->end < end ? data->end : end;
        error = read_run(segment, from, next - from, aside + (from - first));
    }
    return error;
}

void proa_content_punch(const struct proa_segment *segment, uint64_t first, uint64_t end)
{
    fallocate(segment->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
              (off_t)(end - first));
}
