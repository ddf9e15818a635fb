/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of processes of a window: this process's counts of post, start, complete and wait.
 *
 * Each directed pair has counters on both sides. A process counts its own calls in struct
 * proa_pair. A neighbour stores its counts in struct proa_from_ctl of the process's block. Counts
 * from a process of another node are in struct proa_remote. The counters of neighbours are in rows,
 * indexed by the process's slot: its position among the processes of this node, which in a window
 * on one node is its rank. The counters of other processes are created at the first use of the
 * pair.
 */
#ifndef PROA_SYNC_PAIR_H
#define PROA_SYNC_PAIR_H

#include "window/win.h"

/* Number of calls of each kind so far. */
struct proa_pair {
    uint64_t posts, starts, completes, waits;
};

/* Returns the number of rounds of a dissemination. size: number of processes. */
static inline int proa_rounds(int size)
{
    int rounds = 0;

    while (rounds < PROA_BARRIER_ROUNDS && (int64_t)1 << rounds < size)
        rounds++;
    return rounds;
}

/* Returns the first round's word of a block; that of round k is k words before it. */
static inline struct proa_round_ctl *proa_rounds_before(struct proa_win_ctl *ctl)
{
    return (struct proa_round_ctl *)(void *)ctl - 1;
}

/* Returns the owner's claims on the locks of its neighbours, one byte each, by slot. They lie after
 * the row of struct proa_from_ctl, which has an element for each neighbour. */
static inline uint8_t *proa_block_claims(struct proa_win_ctl *ctl, int near)
{
    return (uint8_t *)&ctl->from[near];
}

/* Return the bytes before the block of a window of `size` processes, and the bytes of the block
 * itself, with `near` neighbours. */
static inline size_t proa_rounds_bytes(int size)
{
    return (size_t)proa_rounds(size) * sizeof(struct proa_round_ctl);
}

static inline size_t proa_block_bytes(int near)
{
    return sizeof(struct proa_win_ctl) + (size_t)near * (sizeof(struct proa_from_ctl) + 1);
}

/* Called at creation, once the neighbours are known. near: their number, including this process.
 * slot: slot of this process. Called again if there turn out to be fewer. Returns PROA_OK or
 * PROA_ERR_NO_MEM. */
int proa_pairs_make(struct proa_win *win, int slot, int near);

/* proa_block_new creates the block when only the size of the window is known, as if all processes
 * were neighbours. Returns PROA_OK, or -1 if memory is short. proa_block_free frees the block, if
 * there is one. */
int proa_block_new(struct proa_win *win);
void proa_block_free(struct proa_win *win);

/* Returns the pair with that rank, in a window of one node. */
PROA_FORMS struct proa_pair *proa_pair_of(const struct proa_win *win, int rank)
{
    return &win->pairs[rank];
}

#endif
