/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The content of pages: which pages of private memory have any, and its way between these and the
 * file of adopted memory. A byte's offset in the file is its address in place. Pages of zeros are
 * holes of the file, and take no memory.
 *
 * Only pages that have ever been touched have content, as the kernel's page tables tell, and only
 * these are read: another page may be a guard page, or one of gigabytes that are hardly used.
 *
 * remap.c calls this before fork, and while the range in place is empty: nothing here may touch
 * memory of the program's. survey.c looks at single pages. All under adoption's mutex, with signals
 * blocked.
 */
#ifndef PROA_ADOPT_CONTENT_H
#define PROA_ADOPT_CONTENT_H

#include "shm/segment.h"

#include <stdint.h>

/* How pages of this process are looked at. */
struct proa_touched {
    int fd; /* /proc/self/pagemap; -1: mincore tells */
};

/* Touched pages of one kind, side by side. */
struct proa_touched_run {
    uint64_t first, end; /* addresses, end not included */
    uint8_t present;     /* may be loaded from; else on swap, or a guard page */
    uint8_t huge;        /* a large page, or not known to be small ones */
};

/* Opens the page tables. swapped_kib: VmSwap of this process. 0, or -1: nothing can tell, as the
 * kernel scans no pagemap (or closes it) and mincore does not know pages on swap. */
int proa_touched_open(struct proa_touched *touched, uint64_t swapped_kib);
void proa_touched_close(const struct proa_touched *touched);

/* The first run in [first, end), whole pages of mapped private memory, or as much of it as has
 * most_pages pages. 1; 0: there is none; -1 and errno. */
int proa_touched_next(const struct proa_touched *touched, uint64_t first, uint64_t end,
                      uint64_t most_pages, struct proa_touched_run *run);

/* A run of data in the file; all zero: not looked for yet. */
struct proa_data {
    uint64_t first, end;
};

static inline void *proa_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Copies the content of `bytes` bytes of pages aside to the file; first: of the range in place.
 * Sets *huge if they are a large page. 0 or an errno. */
int proa_content_in(const struct proa_segment *segment, const struct proa_touched *touched,
                    uint64_t first, uint64_t bytes, uint64_t aside, int *huge);

/* *data: the run that holds `position`, or the next; first UINT64_MAX: there is none. A run that
 * holds it already is kept: the kernel looks at each page to find an end, and data does not go
 * away. Where the kernel does not tell, all from `position` on is data. */
void proa_content_find(const struct proa_segment *segment, uint64_t position,
                       struct proa_data *data);

/* Copies the file's data of [first, end) aside. data: the last run found. 0 or an errno. */
int proa_content_out(const struct proa_segment *segment, uint64_t first, uint64_t end,
                     uint64_t aside, struct proa_data *data);

/* The file forgets its content of [first, end). */
void proa_content_punch(const struct proa_segment *segment, uint64_t first, uint64_t end);

#endif
