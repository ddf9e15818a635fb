/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Telling a peer: every store into its block that it waits for goes through proa_tell().
 *
 * The waiting side is the same for every word: it looks in its own block, and sleeps on its
 * process's own bell. A word is named by where it stands in a block, which is the same in each; so
 * one who has no load and store to the block can name it in a message, and the owner then does what
 * proa_tell does here. What is told only grows (core/ctl.h).
 * Words that are looked at where they stand, in the block of another, are in core/ask.h.
 */
#ifndef PROA_CORE_TELL_H
#define PROA_CORE_TELL_H

#include "core/win.h"

/* ---- the words: bytes from the start of a block ---- */

/* struct proa_from_ctl of the process that is `from` in the window's group. */
static inline size_t proa_word_posted(int from)
{
    return offsetof(struct proa_win_ctl, from) + (size_t)from * sizeof(struct proa_from_ctl) +
           offsetof(struct proa_from_ctl, posted);
}

static inline size_t proa_word_completed(int from)
{
    return offsetof(struct proa_win_ctl, from) + (size_t)from * sizeof(struct proa_from_ctl) +
           offsetof(struct proa_from_ctl, completed);
}

/* Of the dissemination barrier. */
static inline size_t proa_word_round(int round)
{
    return offsetof(struct proa_win_ctl, rounds) +
           (size_t)round * sizeof((struct proa_win_ctl *)0)->rounds[0];
}

/* Of the barrier among nodes. */
static inline size_t proa_word_node_round(int round)
{
    return offsetof(struct proa_win_ctl, node_rounds) +
           (size_t)round * sizeof((struct proa_win_ctl *)0)->node_rounds[0];
}

static inline uint64_t *proa_word_in(struct proa_win_ctl *ctl, size_t word)
{
    return (uint64_t *)(void *)((char *)ctl + word);
}

/* ---- telling ---- */

/* To another node: core/remote.h. */
void proa_remote_tell(const struct proa_target *target, size_t word, uint64_t value);

/* The word of the target's block has come to this value. Releases what we did before; partner: the
 * acquire in proa_hear or proa_heard. */
PROA_FORMS void proa_tell_form(const struct proa_target *target, size_t word, uint64_t value,
                               int general)
{
    if (general && target->away) {
        proa_remote_tell(target, word, value);
        return;
    }
    __atomic_store_n(proa_word_in(target->ctl, word), value, __ATOMIC_RELEASE);
    proa_bell_ring(&target->peer->ctl->bell);
}

static inline void proa_tell(const struct proa_target *target, size_t word, uint64_t value)
{
    proa_tell_form(target, word, value, 1);
}

/* ---- being told ---- */

/* What the word of our own block has come to. Acquires. */
static inline uint64_t proa_heard(const struct proa_win *win, size_t word)
{
    return __atomic_load_n(proa_word_in(win->ctl, word), __ATOMIC_ACQUIRE);
}

/* The same, told by a process that may be on another node, and gone: core/gone.c. */
int proa_remote_hear(const struct proa_win *win, int from, size_t word, uint64_t least);

/* The same of any word that counts up, and a bell that is rung then: what it counts depends on
 * all. */
int proa_remote_await(const struct proa_win *win, const uint64_t *word, uint64_t least,
                      struct proa_bell *bell);

/* Returns once it has come to at least this value, told by the process of rank `from`; < 0: it
 * depends on all. PROA_OK, acquires; or a negative code: of a process on another node that is
 * gone. */
PROA_FORMS int proa_hear_form(const struct proa_win *win, int from, size_t word, uint64_t least,
                              int general)
{
    if (general && win->spread)
        return proa_remote_hear(win, from, word, least);
    proa_wait_count(proa_word_in(win->ctl, word), least, &proa_self->ctl->bell);
    return 0;
}

#endif
