/* SPDX-License-Identifier: BSD-3-Clause */
/* Losses in windows over several nodes: losses that the transport reports, losses that other nodes
 * report, and their effects on processes of other nodes. See sync/peer_failure.h and
 * remote/window.h. */
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "progress/progress.h"
#include "remote/batch.h"
#include "sync/peer_failure.h"
#include "remote/operation_queue.h"
#include "remote/group_lock.h"
#include "remote/target.h"
#include "remote/window.h"

#include <utlist.h>

/* ---- rows of proa_sync_remote (window/sync_ops.h) ---- */

/* Warns once on each node, of the first rank that a window loses. Processes that get the error then
 * leave, which is logged only as information. So is the same rank in the next window. */
static void tell_people(const struct proa_win *win, int rank, int first)
{
    static int told; /* 1 + rank of the last line */
    int level = first && told != 1 + rank ? PROA_LOG_WARN : PROA_LOG_INFO;
    struct proa_rostered row;
    int has_row = proa_roster_find(win, rank, &row);

    proa_log(level,
             has_row ? "the process of rank %d is gone (on %s)" : "the process of rank %d is gone",
             rank, row.host);
    told = first ? 1 + rank : told;
}

/* Ends the barriers of the window, also for neighbours that did not communicate with the lost
 * process. */
static void tell_node(struct proa_win *win, int rank)
{
    uint32_t none = 0;
    int first = proa_atomic_compare_exchange(&win->leader->lost, &none, 1 + (uint32_t)rank,
                                             PROA_RELEASE, PROA_RELAXED);

    proa_doorbell_ring(&win->leader->barrier_doorbell);
    tell_people(win, rank, first);
}

/* Drops everything in flight to and from that process. */
static void lose_process(struct proa_win *win, int rank)
{
    struct proa_remote_process *process = proa_remote_process_of(win, rank);
    struct proa_remote *r = proa_remote_of(win, rank);

    if (process)
        proa_atomic_store(&process->lost, 1, PROA_RELAXED); /* proa_remote_is_lost */
    if (!r)
        return;
    proa_remote_target_lost(r);
    proa_queue_lose(r);
    proa_batch_lose_wanted(r);
}

static void say_to(struct proa_win *win, int to, int lost)
{
    struct proa_wire_head head = proa_remote_window_head(win, PROA_WIRE_LOST, (uint64_t)lost);
    const struct proa_remote_process *process = proa_remote_know(win, to);

    if (!process || (process->lost && to != lost))
        return;
    proa_remote_message(PROA_TRACE_SENT, win, to, &head, sizeof head);
    proa_progress_answer(process->peer, &head, sizeof head);
}

/* A process without a connection to the lost one would wait for it. So all processes pass the
 * report on, each to those at distances of powers of two in both directions: 2 log2 P messages. The
 * ranks of a node may be lost together; the wider distances reach beyond them. The lost process
 * gets the report too, as it may only have been silent. */
static void say_on(struct proa_win *win, int rank)
{
    const int size = win->size;

    for (int distance = 1; 2 * distance <= size; distance *= 2) {
        int next = (win->rank + distance) % size, before = (win->rank + size - distance) % size;

        if (next != rank)
            say_to(win, next, rank);
        if (before != rank && before != next)
            say_to(win, before, rank);
    }
    say_to(win, rank, rank);
}

void proa_remote_lose(struct proa_win *win, int rank)
{
    if (!win->ending)
        tell_node(win, rank);
    lose_process(win, rank);
    proa_group_lock_lost(win, rank);
    say_on(win, rank);
}

uint32_t proa_remote_node_lost(const struct proa_win *win)
{
    return proa_atomic_load(&win->leader->lost, PROA_ACQUIRE);
}

/* ---- reports; inside ---- */

/* Called when the others continue without this process. It waits for none of them, and reports none
 * of them as gone. */
static void be_given_up(struct proa_win *win)
{
    proa_failed_be_given_up(win);
    for (int i = 0; i < win->size; i++)
        lose_process(win, i);
    proa_doorbell_ring(&proa_self->ctl->bell);
}

/* Finds the rank of a peer among all processes of other nodes: this process may not have
 * communicated with it in this window. Returns -1 if there is none. */
static int rank_of(struct proa_win *win, uint32_t peer)
{
    for (int rank = 0; rank < win->size; rank++) {
        const struct proa_remote_process *process =
            proa_is_remote(&win->targets[rank]) ? proa_remote_know(win, rank) : NULL;

        if (process && process->peer == peer)
            return rank;
    }
    return -1;
}

/* A process that ends in order has freed all its windows. Here those windows are in their last
 * barrier, and the process has sent all messages that the barrier waits for. */
void proa_remote_lost(uint32_t peer, enum proa_net_end end)
{
    struct proa_remote_window *remote_window;

    DL_FOREACH(proa_remote_windows, remote_window) {
        int rank = end == PROA_NET_LEFT ? -1 : rank_of(remote_window->win, peer);

        if (rank >= 0 && end == PROA_NET_GAVE_UP)
            be_given_up(remote_window->win);
        else if (rank >= 0)
            proa_failed_lose(remote_window->win, rank);
    }
}

void proa_remote_told_lost(uint32_t peer, const struct proa_wire_head *head)
{
    struct proa_win *win = proa_remote_window_find(head->window);

    if (!win)
        return;
    if (head->rank >= (uint32_t)win->size || (int)head->rank == win->rank) {
        proa_progress_drop(peer, "names another rank than its sender's");
        return;
    }
    if (!proa_remote_is_from(win, peer, (int)head->rank))
        return;
    if (head->number >= (uint64_t)win->size) {
        proa_progress_drop(peer, "reports the loss of an unknown rank");
        return;
    }
    proa_remote_message(PROA_TRACE_RECEIVED, win, (int)head->rank, head, sizeof *head);
    if ((int)head->number == win->rank)
        be_given_up(win);
    else
        proa_failed_lose(win, (int)head->number);
}
