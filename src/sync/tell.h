/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Telling a peer: every store into its block that it waits for goes through proa_tell().
 *
 * The waiting side is the same for every word: it looks at its own words, and sleeps on its
 * process's own bell. A word has a number; so one who has no load and store to the block can name
 * it in a message, and the owner then does what proa_tell does here. What is told only grows
 * (shm/ctl.h).
 * Words that are looked at where they stand, in the block of another, are in sync/ask.h.
 */
#ifndef PROA_SYNC_TELL_H
#define PROA_SYNC_TELL_H

#include "sync/gone.h"
#include "sync/pair.h"
#include "window/win.h"

/* ---- the words ---- */

/* A word is of a kind, and the how manieth of that kind in its row; its number is the sum. */
enum proa_word {
    /* struct proa_from_ctl of who tells: one of each */
    PROA_WORD_POSTED,
    PROA_WORD_COMPLETED,
    /* of each round: of the dissemination barrier; of the one among nodes */
    PROA_WORD_ROUND,
    PROA_WORD_NODE_ROUND = PROA_WORD_ROUND + PROA_BARRIER_ROUNDS,
    PROA_WORDS = PROA_WORD_NODE_ROUND + PROA_BARRIER_ROUNDS
};

/* In a block. slot: of who tells; the kind is known where this is compiled. */
PROA_FORMS uint64_t *proa_word_in(struct proa_win_ctl *ctl, int slot, enum proa_word kind, int row)
{
    switch (kind) {
    case PROA_WORD_POSTED:
        return &ctl->from[slot].posted;
    case PROA_WORD_COMPLETED:
        return &ctl->from[slot].completed;
    default: /* what leaders of nodes tell each other goes by messages (proa_word_anywhere) */
        return &proa_rounds_before(ctl)[-row].reached;
    }
}

/* ---- telling ---- */

/* The word of a neighbour has come to this value. Releases what we did before; partner: the acquire
 * in proa_hear or proa_heard. */
PROA_FORMS void proa_tell(const struct proa_win *win, const struct proa_target *target,
                          enum proa_word kind, int row, uint64_t value)
{
    uint64_t *word = proa_word_in(target->ctl, win->slot, kind, row);

    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    proa_bell_ring_for(&target->peer->ctl->bell, word);
}

/* ---- being told, in a window of one node ---- */

/* What the word that this process tells us has come to. Acquires. */
PROA_FORMS uint64_t proa_heard(const struct proa_win *win, int from, enum proa_word kind)
{
    return __atomic_load_n(proa_word_in(win->ctl, from, kind, 0), __ATOMIC_ACQUIRE);
}

/* Returns once it has come to at least this value, told by the process of rank `from`; < 0: it
 * depends on all. PROA_OK, acquires; or PROA_ERR_OTHER, as a process that it depends on is gone
 * (sync/gone.h). */
PROA_FORMS int proa_hear(struct proa_win *win, int from, enum proa_word kind, int row,
                         uint64_t least)
{
    return proa_hear_word(win, from, proa_word_in(win->ctl, from, kind, row), least,
                          &proa_self->ctl->bell);
}

/* ---- both ---- */

/* How the words of a window are told and heard, and the pairs found: constant, for bodies that are
 * compiled for windows of one node and for others (PROA_FORMS). As above, and in sync/pair.h. */
struct proa_words {
    void (*tell)(const struct proa_win *win, const struct proa_target *target, enum proa_word kind,
                 int row, uint64_t value);
    uint64_t (*heard)(const struct proa_win *win, int from, enum proa_word kind);
    int (*hear)(struct proa_win *win, int from, enum proa_word kind, int row, uint64_t least);
    struct proa_pair *(*pair)(const struct proa_win *win, int rank);
};

#endif
