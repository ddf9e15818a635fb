/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of a window that are gone, on this node and on others, and the waits that end because
 * of them.
 *
 * A process of another node is lost by the transport. A waiter finds a neighbour's death: the slow
 * path of a wait looks at the processes of its window, 0.2 s after it has begun and every 0.2 s
 * from then on. A process that has freed all its windows has left in order, and is never taken for
 * gone.
 */
#ifndef PROA_SYNC_PEER_FAILURE_H
#define PROA_SYNC_PEER_FAILURE_H

#include "base/atomic.h"
#include "base/fail.h"
#include "window/win.h"

/* Is the process of that rank gone? True for all ranks if the others have given this process up.
 * Any thread may call this at any time. */
int proa_is_failed(const struct proa_win *win, int rank);

/* Fails with the message that this rank is gone; from < 0: the first rank known to be gone. If the
 * others have given this process up, the message says that, for any `from`. Returns
 * PROA_ERR_OTHER. */
int proa_failed_report(const struct proa_win *win, int from);

/* A condition for proa_wait_unless, with a struct proa_vigil: looks at the neighbours now and then.
 * Is the wait in vain? Not inside (see proa_failed_lose). */
int proa_vigil_is_over(void *vigil);

/* The same, for a wait that ends by itself once the process is known to be gone: never returns
 * 1. */
int proa_vigil_looks(void *vigil);

/* Marks the process of that rank as gone; its locks and messages are lost. Inside: called between
 * losses_enter and losses_leave (window/sync_ops.h). */
void proa_failed_lose(struct proa_win *win, int rank);

/* Records that the others have given this process up. Inside. */
void proa_failed_be_given_up(struct proa_win *win);

/* Marks the process of that rank as gone, as its end was seen in another way. Not inside. */
void proa_failed_know(struct proa_win *win, int rank);

/* Looks at the neighbours of the window now: whether each still exists, and at some of them more
 * closely. Inside. */
void proa_failed_look(struct proa_win *win);

/* Returns once the word has at least this value. The process of rank `from` sets it; from < 0: the
 * value depends on all processes. PROA_OK, acquires; or PROA_ERR_OTHER. A value that was set
 * counts, even if a process has gone since. */
int proa_await_slow(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                    struct proa_doorbell *bell) PROA_HOT;
PROA_FORMS int proa_await_word(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                               struct proa_doorbell *bell)
{
    return __builtin_expect(proa_atomic_load(word, PROA_ACQUIRE) >= least, 1)
               ? PROA_OK
               : proa_await_slow(win, from, word, least, bell);
}

/* The same without the first looks (base/wait.h). Not inlined: the first looks need not make room
 * for its needs. */
int proa_await_long(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                    struct proa_doorbell *bell) PROA_HOT __attribute__((noinline));

/* Rows of the tables of windows of one node. */
void proa_losses_enter(void);
void proa_losses_leave(void);

/* ending: 1, from now on no death makes this process access a neighbour's block; 0, the window
 * stays after all. */
void proa_failed_end(struct proa_win *win, int ending);

#endif
