/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which pages of private memory have ever been touched, as the kernel's page tables tell it: only
 * these have content, and only these are read. A page that was never touched may be a guard page,
 * or one of gigabytes of which the program uses little.
 *
 * Called by survey.c, remap.c and content.c, also while a range in place is empty: no memory but
 * the caller's is touched. No state, any thread.
 *
 * Sources: the kernel's pagemap.rst (PAGEMAP_SCAN, Linux 6.7), mincore(2).
 */
#ifndef PROA_ADOPT_TOUCHED_H
#define PROA_ADOPT_TOUCHED_H

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

#endif
