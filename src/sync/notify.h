/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notifying a neighbour: proa_notify() makes every store into its block that the neighbour waits
 * for.
 *
 * The waiting side is the same for every word: the waiter polls the word in its own block, and
 * sleeps on its own process's doorbell (struct proa_doorbell). Each word has a number. A process
 * without load and store access to the block sends that number in a message, and the owner of the
 * block then does the same as proa_notify. The value of a word only grows (shm/ctl.h).
 *
 * Words that a process reads in the block of another process are in sync/shared_words.h.
 */
#ifndef PROA_SYNC_NOTIFY_H
#define PROA_SYNC_NOTIFY_H

#include "sync/peer_failure.h"
#include "base/atomic.h"
#include "sync/pair.h"
#include "window/win.h"

/* ---- the words ---- */

/* A word's number is its kind plus its position within that kind (row). */
enum proa_word {
    /* one of each in the struct proa_from_ctl of the notifying process */
    PROA_WORD_POSTED,
    PROA_WORD_COMPLETED,
    /* one for each round: of the dissemination barrier; of the barrier among nodes */
    PROA_WORD_ROUND,
    PROA_WORD_NODE_ROUND = PROA_WORD_ROUND + PROA_BARRIER_ROUNDS,
    PROA_WORDS = PROA_WORD_NODE_ROUND + PROA_BARRIER_ROUNDS
};

/* The word of that kind and row in a block. slot: of the notifying process. With a kind that is
 * constant at compile time, no switch remains. */
PROA_FORMS uint64_t *proa_word_in(struct proa_win_ctl *ctl, int slot, enum proa_word kind, int row)
{
    switch (kind) {
    case PROA_WORD_POSTED:
        return &ctl->from[slot].posted;
    case PROA_WORD_COMPLETED:
        return &ctl->from[slot].completed;
    default: /* leaders of nodes notify each other by messages (proa_word_anywhere) */
        return &proa_rounds_before(ctl)[-row].reached;
    }
}

/* ---- notifying ---- */

/* Stores the value into this process's word in the target's block, and rings the target's doorbell.
 * Releases all earlier actions of this process; partner: the acquire in proa_await or
 * proa_notified.
 */
PROA_FORMS void proa_notify(struct proa_win *win, const struct proa_target *target,
                            enum proa_word kind, int row, uint64_t value)
{
    uint64_t *word = proa_word_in(target->ctl, win->slot, kind, row);

    proa_atomic_store(word, value, PROA_RELEASE);
    proa_doorbell_ring_for(&target->peer->ctl->bell, word);
}

/* ---- being notified, in a window of one node ---- */

/* Returns the present value of the word that the process `from` sets. Acquires; partner:
 * proa_notify. */
PROA_FORMS uint64_t proa_notified(const struct proa_win *win, int from, enum proa_word kind)
{
    return proa_atomic_load(proa_word_in(win->ctl, from, kind, 0), PROA_ACQUIRE);
}

/* Waits until the word has at least this value. from: rank of the process that sets it, or < 0 if
 * the value depends on all processes. Returns PROA_OK and acquires, or PROA_ERR_OTHER if such a
 * process has failed (sync/peer_failure.h). */
PROA_FORMS int proa_await(struct proa_win *win, int from, enum proa_word kind, int row,
                          uint64_t least)
{
    return proa_await_word(win, from, proa_word_in(win->ctl, from, kind, row), least,
                           &proa_self->ctl->bell);
}

/* ---- both ---- */

/* The functions, as above and in sync/pair.h, that set and read the words of a window and find its
 * pairs. Each table is constant, for bodies that are compiled once for windows of one node and once
 * for others (PROA_FORMS). */
struct proa_words {
    void (*notify)(struct proa_win *win, const struct proa_target *target, enum proa_word kind,
                   int row, uint64_t value);
    uint64_t (*notified)(const struct proa_win *win, int from, enum proa_word kind);
    int (*await)(struct proa_win *win, int from, enum proa_word kind, int row, uint64_t least);
    struct proa_pair *(*pair)(const struct proa_win *win, int rank);
    /* Sends the posts to that rank that were not sent yet; NULL if posts are never delayed. */
    void (*hurry)(const struct proa_win *win, int rank);
};

#endif
