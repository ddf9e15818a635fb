/* SPDX-License-Identifier: BSD-3-Clause */
/* See touched.h. */
#include "adopt/touched.h"
#include "shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* struct pm_scan_arg and struct page_region of Linux 6.7, which older headers do not have. */
struct scan {
    uint64_t size, flags, first, end, walk_end, regions, region_count, most_pages;
    uint64_t inverted, all_of, any_of, returned;
};

struct region {
    uint64_t first, end, categories;
};

#define PAGES_SCAN _IOWR('f', 16, struct scan)

enum { IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4, IS_ZERO_PAGE = 1 << 5, IS_HUGE = 1 << 6 };

/* 1, 0 or -1, as proa_touched_next. The zero page that a load has brought in holds nothing. */
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

/* The same by mincore(2), where no page is on swap. */
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
    if (touched->fd >= 0 && scan(touched->fd, page, page + proa_page_bytes(), 1, &run) >= 0)
        return 0;
    proa_touched_close(touched);
    touched->fd = -1;
    return swapped_kib ? -1 : 0;
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
