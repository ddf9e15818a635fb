/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The synchronization of a window: a constant table of functions, set at its creation. Callers use
 * sync/sync.h.
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

/* The completion of operations that a call requires (sync/completion.h). */
enum proa_completion {
    /* the user may reuse the origin and result buffers: flush_local, requests */
    PROA_COMPLETED_LOCAL,
    /* done at the target before later notifications of this process to the same target: complete */
    PROA_COMPLETED_IN_ORDER,
    /* done at the target for every process that has passed a later barrier: fence */
    PROA_COMPLETED_BY_BARRIER,
    /* done at the target for every process that is notified after this: unlock */
    PROA_COMPLETED_TOLD,
    /* done at the target before the next action of this process: flush */
    PROA_COMPLETED_VISIBLE
};

/* The bits of a union. The other bits of a word of the barrier among nodes count barriers. */
enum { PROA_UNITED_BITS = 16 };

struct proa_sync_ops {
    int (*fence)(struct proa_win *win, int mode);
    int (*start)(struct proa_win *win, const int *ranks, int count, int mode);
    int (*post)(struct proa_win *win, const int *ranks, int count);
    int (*complete)(struct proa_win *win);
    int (*wait)(struct proa_win *win);
    int (*test)(struct proa_win *win, int *flag);
    /* Called by the first operation on a target whose epoch has PROA_EPOCH_AWAITED. After a start
     * it waits for the target's post (figure 11.2 of MPI-2.2: weak synchronization). After a fence
     * that ended no epoch, which only windows of one node have, it waits for the target's fence. */
    int (*await)(struct proa_win *win, int target);

    int (*lock)(struct proa_win *win, int target, int exclusive, int mode);
    int (*unlock)(struct proa_win *win, int target);
    int (*lock_all)(struct proa_win *win, int mode);
    int (*unlock_all)(struct proa_win *win);
    int (*flush)(struct proa_win *win, int target);
    int (*flush_local)(struct proa_win *win, int target);
    void (*synchronize)(struct proa_win *win); /* MPI_Win_sync */
    /* sync/completion.h, in a lock epoch. target: rank, or < 0 for all */
    int (*complete_ops)(struct proa_win *win, int target, enum proa_completion how);

    /* sync/barrier.h */
    int (*barrier)(struct proa_win *win);
    int (*disseminate)(struct proa_win *win, uint64_t number);
    /* Sets *bits, PROA_UNITED_BITS of them, to the union of those of all processes. Collective.
     * Stores of all processes before their calls are visible after it. Returns the same values as
     * barrier. */
    int (*unite)(struct proa_win *win, uint32_t *bits);
    /* Returns the word of that number (sync/notify.h) that rank `from` stores for us; NULL if there
     * is none yet. */
    uint64_t *(*word)(const struct proa_win *win, int from, int word);

    /* ---- losses (sync/peer_failure.h) ---- */

    /* Guard the record of losses. Not recursive. */
    void (*losses_enter)(void);
    void (*losses_leave)(void);

    /* ---- windows over several nodes; NULL if there is nothing to do or to find ---- */

    /* a wait checks for losses that the end of no neighbour shows; inside */
    void (*attend)(void);
    /* the process of that rank was marked as lost; inside */
    void (*lose)(struct proa_win *win, int rank);
    /* 1 + the rank of the first lost process known to another process of the node; 0 if none */
    uint32_t (*node_lost)(const struct proa_win *win);
    /* whether a process waits for locks of this process, other than at a target */
    int (*lock_is_wanted)(const struct proa_win *win);
    /* fills in the target of that rank, on another node. Returns PROA_OK or a code
     * (proa_target_know) */
    int (*know)(struct proa_win *win, int rank);
    /* around a notified operation on a target of another node, and the number of its counters
     * (remote/notice.h) */
    int (*note_begin)(struct proa_win *win, int rank, int64_t index);
    int (*note_end)(struct proa_win *win, int rank, int is_issued);
    int (*counters)(struct proa_win *win, int rank, uint32_t *number);
};

extern PROA_HIDDEN const struct proa_sync_ops proa_sync_node, proa_sync_threads, proa_sync_remote;

/* Called before the size or the displacement unit of a target is read. Returns PROA_OK, or for a
 * process of another node PROA_ERR_NO_MEM, or PROA_ERR_OTHER if it is unreachable. */
static inline int proa_target_know(struct proa_win *win, int rank)
{
    return proa_is_remote(&win->targets[rank]) ? win->sync->know(win, rank) : PROA_OK;
}

/* Returns the table of a window of one node. */
static inline const struct proa_sync_ops *proa_sync_of_node(const struct proa_win *win)
{
    return win->threads ? &proa_sync_threads : &proa_sync_node;
}

#endif
