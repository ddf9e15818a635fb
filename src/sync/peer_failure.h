/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failed processes of a window, on this node and on others, and the waits that end because of them.
 *
 * The transport detects the loss of a process of another node. A waiter detects a neighbour's
 * death: the slow path of a wait checks the processes of its window, 0.2 s after its start and
 * every 0.2 s from then on. A process that has freed all its windows has left in order and never
 * counts as failed.
 */
#ifndef PROA_SYNC_PEER_FAILURE_H
#define PROA_SYNC_PEER_FAILURE_H

#include "base/atomic.h"
#include "base/fail.h"
#include "window/win.h"

/* Returns whether the process of that rank has failed; true for all ranks if the others have given
 * this process up. Callable from any thread at any time. */
int proa_is_failed(const struct proa_win *win, int rank);

/* Fails with the message that a rank has failed. from: the rank, or < 0 for the first rank known to
 * have failed. If the others have given this process up, the message states that instead. Returns
 * PROA_ERR_OTHER. */
int proa_failed_report(const struct proa_win *win, int from);

/* A condition for proa_wait_unless, with a struct proa_vigil: checks the neighbours now and then.
 * Returns whether the wait must be given up. Not inside (see proa_failed_lose). */
int proa_vigil_is_over(void *vigil);

/* The same for a wait that ends by itself once the process is known to have failed. Always returns
 * 0. */
int proa_vigil_looks(void *vigil);

/* Marks the process of that rank as failed; its locks and messages are lost. Inside: called between
 * losses_enter and losses_leave (window/sync_ops.h). */
void proa_failed_lose(struct proa_win *win, int rank);

/* Records that the others have given this process up. Inside. */
void proa_failed_be_given_up(struct proa_win *win);

/* Marks the process of that rank as failed, as its end was detected in another way. Not inside. */
void proa_failed_know(struct proa_win *win, int rank);

/* Checks now whether each neighbour of the window still exists, and checks some of them more
 * closely. Inside. */
void proa_failed_look(struct proa_win *win);

/* Waits until the word has at least this value. from: rank of the process that sets it, or < 0 if
 * the value depends on all processes. Returns PROA_OK and acquires, or PROA_ERR_OTHER. A value that
 * was set counts, even if a process has failed since. */
int proa_await_slow(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                    struct proa_doorbell *bell) PROA_HOT;
PROA_FORMS int proa_await_word(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                               struct proa_doorbell *bell)
{
    return __builtin_expect(proa_atomic_load(word, PROA_ACQUIRE) >= least, 1)
               ? PROA_OK
               : proa_await_slow(win, from, word, least, bell);
}

/* The same without the first checks (base/wait.h). Not inlined, so that the first checks need no
 * stack frame for it. */
int proa_await_long(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                    struct proa_doorbell *bell) PROA_HOT __attribute__((noinline));

/* Rows of the tables of windows of one node. */
void proa_losses_enter(void);
void proa_losses_leave(void);

/* ending: 1 if from now on no death may make this process access a neighbour's block; 0 if the
 * window stays after all. */
void proa_failed_end(struct proa_win *win, int ending);

#endif
