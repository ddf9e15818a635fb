/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of a window that are gone, on this node and on others, and the waits that end because
 * of them.
 *
 * A process of another node is lost by the transport. A neighbour's death is found by those that
 * wait: the slow part of a wait looks at the processes of its window, 0.2 s after it has begun and
 * every 0.2 s from then on. A process that has freed all its windows has left in order, and is
 * never taken for gone.
 */
#ifndef PROA_SYNC_GONE_H
#define PROA_SYNC_GONE_H

#include "base/fail.h"
#include "window/win.h"

/* Is the process of that rank gone? Of all ranks: the others have given this process up. By any
 * thread, at any time. */
int proa_is_gone(const struct proa_win *win, int rank);

/* Fails, with the sentence: that rank is gone; from < 0: the first that was heard of. If the others
 * have given this process up, the sentence says that, for any `from`. PROA_ERR_OTHER. */
int proa_gone_report(const struct proa_win *win, int from);

/* Of a struct proa_vigil, for proa_wait_unless: looks now and then; is it in vain? Not
 * inside. */
int proa_vigil_is_over(void *vigil);

/* The same, of a wait that ends by itself once the process is known to be gone: never 1. */
int proa_vigil_looks(void *vigil);

/* The process of that rank is: marked, and its locks and messages are lost. Inside (losses_enter of
 * window/sync_ops.h). */
void proa_gone_lose(struct proa_win *win, int rank);

/* The others have given this process up; inside. */
void proa_gone_be_given_up(struct proa_win *win);

/* The process of that rank is, as its end has been seen otherwise. Not inside. */
void proa_gone_know(struct proa_win *win, int rank);

/* Looks at the neighbours of the window now: at each whether there is one, at some more closely.
 * Inside. */
void proa_gone_look(struct proa_win *win);

/* Returns once the word has come to at least this value, told by the process of rank `from`; < 0:
 * it depends on all. PROA_OK, acquires; or PROA_ERR_OTHER. A value that was told counts, even if
 * a process has gone since. */
int proa_hear_slowly(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                     struct proa_bell *bell) PROA_HOT;
PROA_FORMS int proa_hear_word(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                              struct proa_bell *bell)
{
    return __builtin_expect(__atomic_load_n(word, __ATOMIC_ACQUIRE) >= least, 1)
               ? PROA_OK
               : proa_hear_slowly(win, from, word, least, bell);
}

/* Rows of the tables of windows of one node. */
void proa_losses_enter(void);
void proa_losses_leave(void);
void proa_losses_attend(void);
void proa_losses_lose(struct proa_win *win, int rank);
uint32_t proa_losses_of_node(const struct proa_win *win);

/* From now on no neighbour's block is touched on account of a death; or the window stays after
 * all. */
void proa_gone_end(struct proa_win *win, int ending);

#endif
