/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adoption: memory of the program's that is given to MPI_Win_create or MPI_Win_attach moves in
 * place (adopt/remap.h) into a file of this process that neighbours map, so that they reach it
 * by load and store.
 *
 * The file is as long as an address space, and a page's offset in it is its address: so pages that
 * are neighbours in memory are so in the file, whenever they were adopted, and a neighbour needs
 * one mapping for them. Only pages of which every byte is the window's move, unless
 * PROA_ADOPT=always allows whole pages to move, with all other data in them.
 *
 * Windows hold the memory that they have; when the last one lets go of a page, the page becomes
 * private again, as it was. The kernel is asked each time which pages are adopted: the program may
 * have unmapped memory, and got other memory at the same address; or have moved it (mremap), and
 * then it becomes private where it is.
 */
#ifndef PROA_ADOPT_ADOPT_H
#define PROA_ADOPT_ADOPT_H

#include "shm/segment.h"

#include <stdint.h>

/* Whether memory is adopted where it can be: not at all; pages of the window's own, where that is
 * worth it (adopt/policy.h); always, the pages at its ends as well. */
enum proa_adopt { PROA_ADOPT_NEVER, PROA_ADOPT_AUTO, PROA_ADOPT_ALWAYS };

/* A piece of held memory, up to `end`; each begins where the one before ends. */
struct proa_piece {
    uint64_t end; /* address, not included */
    uint64_t adopted;
};

/* Memory that a window has. */
struct proa_hold {
    uint64_t first, end; /* addresses */
    uint32_t count;      /* pieces, alternately adopted and not; 0: nothing is held */
    struct proa_piece *piece, few[2];
    const char *why; /* the reason why the rest is not adopted; NULL: none, or no rest */
    /* it lies in too many pieces: some of what counts as not adopted may be, by other windows */
    int is_rough;
    /* adopt/policy.c: */
    int is_judged; /* whether moving is worth it is learned from this hold, when it ends */
    long moved_ns; /* when it had its memory; 0: that stays */
    long price_ns; /* of moving it there and back */
};

/* Registers the handlers that keep memory from being shared with a child after fork(2). They must
 * be the first handlers of the process, so the call comes when the library is loaded. May be called
 * again. */
void proa_adopt_load(void);

/* Called around moves, to keep Proa's own threads from touching memory of the program's; NULL: no
 * call is needed. */
void proa_adopt_set_pause(void (*enter)(void), void (*leave)(void));

/* Holds [base, base + bytes), bytes > 0. adopt: as much of it as can be; PROA_ADOPT_NEVER: only
 * pages that are adopted already are reported as such. PROA_OK, or PROA_ERR_NO_MEM: nothing is
 * held. Any thread. */
int proa_adopt_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                    enum proa_adopt adopt);

/* Lets go of it. hold->count 0: nothing to do. */
void proa_adopt_drop(struct proa_hold *hold);

/* How many bytes of held memory are adopted. */
uint64_t proa_adopt_bytes(const struct proa_hold *hold);

/* Forgets the file: when core stops. Nothing is held any more. */
void proa_adopt_stop(void);

#endif
