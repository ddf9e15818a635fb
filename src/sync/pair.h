/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of processes of a window, as this one counts them: post, start, complete, wait.
 *
 * Each directed pair has counters on both sides: of what a process has done (struct proa_pair, its
 * own) and of what it has been told (struct proa_from_ctl, in its block; the same of a process of
 * another node in struct proa_remote). Those of neighbours stand in rows, by the process's slot:
 * its place among the processes of this node, which in a window on one node is its rank. Those of
 * others are made when the two have something to do with each other.
 */
#ifndef PROA_SYNC_PAIR_H
#define PROA_SYNC_PAIR_H

#include "window/win.h"

/* Epochs of each kind so far. */
struct proa_pair {
    uint64_t posts, starts, completes, waits;
};

/* Rounds of a dissemination among so many processes. */
static inline int proa_rounds(int size)
{
    int rounds = 0;

    while (rounds < PROA_BARRIER_ROUNDS && (int64_t)1 << rounds < size)
        rounds++;
    return rounds;
}

/* The first round's word of a block; that of round k is k words before it. */
static inline struct proa_round_ctl *proa_rounds_before(struct proa_win_ctl *ctl)
{
    return (struct proa_round_ctl *)(void *)ctl - 1;
}

/* The owner's claims on the locks of its neighbours, one byte each, by slot: behind the row of a
 * window with so many neighbours. */
static inline uint8_t *proa_block_claims(struct proa_win_ctl *ctl, int near)
{
    return (uint8_t *)&ctl->from[near];
}

/* Bytes before the block of a window of so many processes, and from there on with so many
 * neighbours. */
static inline size_t proa_rounds_bytes(int size)
{
    return (size_t)proa_rounds(size) * sizeof(struct proa_round_ctl);
}

static inline size_t proa_block_bytes(int near)
{
    return sizeof(struct proa_win_ctl) + (size_t)near * (sizeof(struct proa_from_ctl) + 1);
}

/* At creation, once it is known who is near: so many, this process included, whose own slot is
 * this; again if that turns out to be fewer. PROA_OK or PROA_ERR_NO_MEM. */
int proa_pairs_make(struct proa_win *win, int slot, int near);

/* Makes the block, as if all were near: in a window of which only the size is known. PROA_OK, or -1
 * without memory. And gives it back, if there is one. */
int proa_block_new(struct proa_win *win);
void proa_block_free(struct proa_win *win);

/* Is there a word of that number (sync/tell.h)? It comes from another process. */
int proa_word_exists(const struct proa_win *win, uint64_t word);

/* Whose word that is, of what is told by one process; -1: of none. Looks at all: for statistics. */
int proa_pair_teller(const struct proa_win *win, const uint64_t *word);

/* The pair with that rank, in a window of one node. */
PROA_FORMS struct proa_pair *proa_pair_of(const struct proa_win *win, int rank)
{
    return &win->pairs[rank];
}

#endif
