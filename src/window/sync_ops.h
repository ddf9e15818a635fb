/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a window is synchronized: a constant table of functions, set when it is made. Their callers
 * go by sync/sync.h.
 *
 * The tables:
 *
 *   proa_sync_node      one node, processes of one thread: fence.c, pscw.c, passive.c, barrier.c
 *   proa_sync_threads   one node, several threads, or a process that has windows over several nodes
 *   proa_sync_remote    several nodes: remote/sync.c
 */
#ifndef PROA_WINDOW_SYNC_OPS_H
#define PROA_WINDOW_SYNC_OPS_H

#include "base/fail.h"
#include "base/hidden.h"
#include "window/win.h"

/* Which completion of operations a call asks for (sync/completion.h). */
enum proa_completion {
    /* the origin's and the result's buffers are the user's again: flush_local, requests */
    PROA_COMPLETED_LOCAL,
    /* done at the target before anything that this process tells the same target after this:
     * complete */
    PROA_COMPLETED_IN_ORDER,
    /* done at the target, for every process that has passed a barrier after this: fence */
    PROA_COMPLETED_BY_BARRIER,
    /* done at the target, for every process that is told so after this: unlock */
    PROA_COMPLETED_TOLD,
    /* done at the target, before anything that this process does next: flush */
    PROA_COMPLETED_VISIBLE
};

/* The bits of a union. In words of the barrier among nodes the others count barriers. */
enum { PROA_UNITED_BITS = 16 };

struct proa_sync_ops {
    int (*fence)(struct proa_win *win, int mode);
    int (*start)(struct proa_win *win, const int *ranks, int count, int mode);
    int (*post)(struct proa_win *win, const int *ranks, int count);
    int (*complete)(struct proa_win *win);
    int (*wait)(struct proa_win *win);
    int (*test)(struct proa_win *win, int *flag);
    /* The first operation to a target whose epoch says PROA_EPOCH_AWAITED. After a start: waits
     * for the target's post (figure 11.2 of MPI-2.2: weak synchronization); after a fence that
     * ended nothing, which only windows of one node have: for the target's own. */
    int (*await)(struct proa_win *win, int target);

    int (*lock)(struct proa_win *win, int target, int exclusive, int mode);
    int (*unlock)(struct proa_win *win, int target);
    int (*lock_all)(struct proa_win *win, int mode);
    int (*unlock_all)(struct proa_win *win);
    int (*flush)(struct proa_win *win, int target);
    int (*flush_local)(struct proa_win *win, int target);
    void (*synchronize)(struct proa_win *win); /* MPI_Win_sync */
    /* sync/completion.h, of a lock epoch; target < 0: all */
    int (*complete_ops)(struct proa_win *win, int target, enum proa_completion how);

    /* sync/barrier.h */
    int (*barrier)(struct proa_win *win);
    int (*disseminate)(struct proa_win *win, uint64_t number);
    /* Collective: *bits, PROA_UNITED_BITS of them, becomes those of all processes together. Stores
     * of all processes before their calls are visible after it. Returns as barrier does. */
    int (*unite)(struct proa_win *win, uint32_t *bits);
    /* The word of that number (sync/notify.h) that the process of rank `from` tells us; NULL: there
     * is none yet. */
    uint64_t *(*word)(const struct proa_win *win, int from, int word);

    /* ---- losses (sync/peer_failure.h) ---- */

    /* Guard the record of losses. Not twice by one thread. */
    void (*losses_enter)(void);
    void (*losses_leave)(void);

    /* ---- of windows over several nodes; NULL: nothing to do, or to find ---- */

    /* a wait looks for losses: of processes that no neighbour's end tells of; inside */
    void (*attend)(void);
    /* the process of that rank is lost, and marked; inside */
    void (*lose)(struct proa_win *win, int rank);
    /* 1 + the first lost process that another one of the node has heard of; 0: none */
    uint32_t (*node_lost)(const struct proa_win *win);
    /* does a process wait for this one's locks elsewhere than at a target? */
    int (*lock_is_wanted)(const struct proa_win *win);
    /* fills in the target of that rank, of another node: PROA_OK or a code (proa_target_know) */
    int (*know)(struct proa_win *win, int rank);
    /* around a notified operation on a target of another node, and the number of its counters
     * (remote/notice.h) */
    int (*note_begin)(struct proa_win *win, int rank, int64_t index);
    int (*note_end)(struct proa_win *win, int rank, int is_issued);
    int (*counters)(struct proa_win *win, int rank, uint32_t *number);
};

extern PROA_HIDDEN const struct proa_sync_ops proa_sync_node, proa_sync_threads, proa_sync_remote;

/* Called before the size or the displacement unit of a target is read. PROA_OK; or, for a process
 * of another node: PROA_ERR_NO_MEM, or PROA_ERR_OTHER, there is no way to it. */
static inline int proa_target_know(struct proa_win *win, int rank)
{
    return proa_is_remote(&win->targets[rank]) ? win->sync->know(win, rank) : PROA_OK;
}

/* That of a window of one node. */
static inline const struct proa_sync_ops *proa_sync_of_node(const struct proa_win *win)
{
    return win->threads ? &proa_sync_threads : &proa_sync_node;
}

#endif
