/* SPDX-License-Identifier: BSD-3-Clause */
/* See peer_failure.h. The effects of a loss on processes of other nodes: remote/peer_failure.c. */
#include "sync/peer_failure.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/system.h"
#include "sync/claims.h"
#include "window/sync_ops.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    LOOK_NS = 200000000, /* between two checks of the neighbours in a wait */
    CLOSELY = 4          /* number of neighbours checked closely each time */
};

/* ---- known losses ---- */

int proa_is_failed(const struct proa_win *win, int rank)
{
    const uint8_t *gone = proa_atomic_load(&win->failed, PROA_ACQUIRE);

    return proa_atomic_load(&win->given_up, PROA_ACQUIRE) ||
           (gone && proa_atomic_load(&gone[rank], PROA_ACQUIRE));
}

/* Returns 1 + the first rank that this process, or another one of the node, knows to have failed; 0
 * if none. */
static uint32_t first_lost(const struct proa_win *win)
{
    uint32_t lost = proa_atomic_load(&win->lost, PROA_ACQUIRE);

    return lost || win->ending || !win->sync->node_lost ? lost : win->sync->node_lost(win);
}

static int is_in_vain(const struct proa_win *win, int from)
{
    return from < 0 ? first_lost(win) != 0 : proa_is_failed(win, from);
}

int proa_failed_report(const struct proa_win *win, int from)
{
    int rank = from >= 0 ? from : (int)first_lost(win) - 1;

    if (rank == win->rank || proa_atomic_load(&win->given_up, PROA_ACQUIRE))
        return proa_fail(PROA_ERR_OTHER, "the other ranks have given this process up");
    return proa_fail(PROA_ERR_OTHER, "the process of rank %d is gone", rank);
}

/* ---- losing one; inside ---- */

static void mark(struct proa_win *win, int rank)
{
    if (!win->failed)
        proa_atomic_store(&win->failed, calloc((size_t)win->size, 1), PROA_RELEASE);
    if (win->failed)
        proa_atomic_store(&win->failed[rank], 1, PROA_RELEASE);
    if (!win->lost)
        proa_atomic_store(&win->lost, 1 + (uint32_t)rank, PROA_RELEASE);
}

void proa_failed_know(struct proa_win *win, int rank)
{
    win->sync->losses_enter();
    mark(win, rank);
    win->sync->losses_leave();
}

void proa_failed_lose(struct proa_win *win, int rank)
{
    if (proa_is_failed(win, rank))
        return;
    mark(win, rank);
    if (win->sync->lose)
        win->sync->lose(win, rank);
    if (win->targets[rank].ctl && !win->ending)
        proa_claims_break(win);
    proa_doorbell_ring(&proa_self->ctl->bell);
}

void proa_failed_be_given_up(struct proa_win *win)
{
    mark(win, win->rank);
    proa_atomic_store(&win->given_up, 1, PROA_RELEASE);
}

/* ---- of windows of one node: rows of the tables in window/sync_ops.h ---- */

static pthread_mutex_t losses_mutex = PTHREAD_MUTEX_INITIALIZER;

void proa_losses_enter(void)
{
    pthread_mutex_lock(&losses_mutex);
}

void proa_losses_leave(void)
{
    pthread_mutex_unlock(&losses_mutex);
}

/* ---- checking neighbours ---- */

/* The number of windows is read last, as it is final once the process has ended: a process may free
 * its last window and end during these checks. */
static int has_died(const struct proa_peer *peer, int closely)
{
    return peer != proa_self && (closely ? proa_peer_has_ended(peer) : proa_peer_is_nobody(peer)) &&
           proa_peer_has_windows(peer);
}

/* The quick check detects a process ID that no process has. The close check, made in turn, detects
 * a zombie and a reused process ID. */
void proa_failed_look(struct proa_win *win)
{
    int near = 0, first = win->watched_next;

    if (win->sync->attend)
        win->sync->attend();
    for (int i = 0; i < win->size; i++) {
        const struct proa_peer *peer = win->targets[i].peer;

        if (!peer)
            continue;
        if (!proa_is_failed(win, i) && has_died(peer, near >= first && near < first + CLOSELY))
            proa_failed_lose(win, i);
        near++;
    }
    win->watched_next = first + CLOSELY < near ? first + CLOSELY : 0;
}

int proa_vigil_is_over(void *arg)
{
    struct proa_vigil *vigil = arg;
    long now_ns;

    if (is_in_vain(vigil->win, vigil->from))
        return 1;
    now_ns = proa_system->now_ns();
    if (vigil->due_ns == 0)
        vigil->due_ns = now_ns + LOOK_NS;
    if (now_ns < vigil->due_ns)
        return 0;
    vigil->due_ns = now_ns + LOOK_NS;
    vigil->win->sync->losses_enter();
    proa_failed_look(vigil->win);
    vigil->win->sync->losses_leave();
    return is_in_vain(vigil->win, vigil->from);
}

int proa_vigil_looks(void *vigil)
{
    proa_vigil_is_over(vigil);
    return 0;
}

/* ---- waits ---- */

int proa_await_long(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                    struct proa_doorbell *bell)
{
    struct proa_vigil vigil = {.win = win, .from = from};

    proa_wait_count_unless(word, least, bell, proa_vigil_is_over, &vigil);
    return proa_atomic_load(word, PROA_ACQUIRE) >= least ? PROA_OK : proa_failed_report(win, from);
}

int proa_await_slow(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                    struct proa_doorbell *bell)
{
    return proa_wait_first_looks(word, least, 1) ? PROA_OK
                                                 : proa_await_long(win, from, word, least, bell);
}

void proa_failed_end(struct proa_win *win, int ending)
{
    win->sync->losses_enter();
    win->ending = (uint8_t)ending;
    win->sync->losses_leave();
}
