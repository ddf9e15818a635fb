/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adoption: memory of the program that is given to MPI_Win_create or MPI_Win_attach moves, at
 * unchanged addresses (adopt/remap.h), into a file of this process. Neighbours map that file, so
 * that they access the memory by load and store.
 *
 * The file is as long as an address space, and a page's offset in it is its address. So pages
 * adjacent in memory are adjacent in the file, whenever they were adopted, and a neighbour needs
 * one mapping for them. Only pages of which every byte is the window's move, unless
 * PROA_ADOPT=always allows whole pages to move, with all other data in them.
 *
 * Windows hold references to their memory. When the last hold of a page is dropped, the page
 * becomes private again. Each time Proa reads from the kernel which pages are adopted: the program
 * may have unmapped memory and mapped other memory at the same address. It may also have moved
 * memory (mremap), which then becomes private at its new place.
 */
#ifndef PROA_ADOPT_ADOPT_H
#define PROA_ADOPT_ADOPT_H

#include "shm/segment.h"

#include <stdint.h>

/* Which memory is adopted if possible: none; pages that are the window's alone, if worthwhile
 * (adopt/policy.h); always, and also the pages at its ends. */
enum proa_adopt { PROA_ADOPT_NEVER, PROA_ADOPT_AUTO, PROA_ADOPT_ALWAYS };

/* A piece of held memory, up to `end`; each begins at the end of the previous one. */
struct proa_piece {
    uint64_t end; /* address, exclusive */
    uint64_t adopted;
};

/* The memory of a window, while held. */
struct proa_hold {
    uint64_t first, end; /* addresses */
    uint32_t count;      /* pieces, alternately adopted and not; 0 if nothing is held */
    struct proa_piece *piece, few[2];
    const char *why; /* the reason why the rest is not adopted; NULL if none, or no rest */
    /* it has too many pieces: some that count as not adopted may be adopted by other windows */
    int is_rough;
    /* adopt/policy.c: */
    int is_judged; /* whether the end of this hold updates the policy */
    long moved_ns; /* when its memory had moved; 0 if the memory stays */
    long price_ns; /* of moving it in and back */
};

/* Registers the handlers that keep memory from being shared with a child after fork(2). They must
 * be the first handlers of the process, so this is called when the library is loaded. May be called
 * again. */
void proa_adopt_load(void);

/* Sets the functions to call around moves, which keep Proa's own threads from touching memory of
 * the program; NULL if none is needed. */
void proa_adopt_set_pause(void (*enter)(void), void (*leave)(void));

/* Holds [base, base + bytes), bytes > 0, and adopts as much of it as possible. adopt: which memory
 * to adopt; with PROA_ADOPT_NEVER only pages already adopted are reported as such. Returns PROA_OK,
 * or PROA_ERR_NO_MEM with nothing held. Callable from any thread. */
int proa_adopt_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                    enum proa_adopt adopt);

/* Drops the hold; no effect if hold->count is 0. */
void proa_adopt_drop(struct proa_hold *hold);

/* Returns the number of bytes of held memory that are adopted. */
uint64_t proa_adopt_bytes(const struct proa_hold *hold);

/* Closes the file when core stops. No hold may exist any more. */
void proa_adopt_stop(void);

#endif
