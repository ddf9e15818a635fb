/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The content of pages: which pages of private memory have content, and copying it to and from the
 * file of adopted memory. A byte's offset in the file is its address in place. Pages of zeros are
 * holes in the file and take no memory.
 *
 * Only pages that were ever touched have content, according to the kernel's page tables, and only
 * these are read. Other pages may be guard pages, or belong to gigabytes that are hardly used.
 *
 * remap.c calls this before fork, and while the range in place is empty, so these functions must
 * not touch memory of the program. survey.c checks single pages. All calls are made under
 * adoption's mutex, with signals blocked.
 */
#ifndef PROA_ADOPT_CONTENT_H
#define PROA_ADOPT_CONTENT_H

#include "shm/segment.h"

#include <stdint.h>

/* The source of the state of this process's pages. */
struct proa_touched {
    int fd; /* /proc/self/pagemap; -1 if mincore is used */
};

/* Adjacent touched pages of one kind. */
struct proa_touched_run {
    uint64_t first, end; /* addresses, end exclusive */
    uint8_t present;     /* 1 if loads are safe; else on swap, or a guard page */
    uint8_t huge;        /* 1 if a large page, or not known to be small pages */
};

/* Opens the page tables. swapped_kib: VmSwap of this process, KiB. Returns 0, or -1 if the state of
 * pages cannot be read: the kernel does not scan pagemap (or denies it), and mincore ignores pages
 * on swap. */
int proa_touched_open(struct proa_touched *touched, uint64_t swapped_kib);
void proa_touched_close(const struct proa_touched *touched);

/* Finds the first run in [first, end), whole pages of mapped private memory. most_pages: the most
 * pages of the run. Returns 1, 0 if there is none, or -1 and errno. */
int proa_touched_next(const struct proa_touched *touched, uint64_t first, uint64_t end,
                      uint64_t most_pages, struct proa_touched_run *run);

/* A run of data in the file; all zero before the first search. */
struct proa_data {
    uint64_t first, end;
};

static inline void *proa_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Copies the content of pages aside to the file. bytes: size of the pages, in bytes. first: address
 * of the range in place. *huge: set if they are a large page. Returns 0 or an errno. */
int proa_content_in(const struct proa_segment *segment, const struct proa_touched *touched,
                    uint64_t first, uint64_t bytes, uint64_t aside, int *huge);

/* Finds a run of data. *data: the run that holds `position`, or the next; its first is UINT64_MAX
 * if there is none. A run that already holds it is kept, as the kernel reads each page to find an
 * end, and data is not removed. If the kernel reports no runs, all bytes from `position` on count
 * as data. */
void proa_content_find(const struct proa_segment *segment, uint64_t position,
                       struct proa_data *data);

/* Copies the file's data of [first, end) aside. data: the last run found. Returns 0 or an errno. */
int proa_content_out(const struct proa_segment *segment, uint64_t first, uint64_t end,
                     uint64_t aside, struct proa_data *data);

/* Removes the file's content of [first, end). */
void proa_content_punch(const struct proa_segment *segment, uint64_t first, uint64_t end);

#endif
