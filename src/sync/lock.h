/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of locks, step by step.
 *
 * A caller that may block loops over the steps (proa_lock_wait). The progress engine (progress of
 * the network) requests locks for processes of other nodes and must not block. It keeps a struct
 * proa_lock_request for each request, and continues a request when the lock's doorbell rings:
 *     request   proa_lock_request_begin     does not wait
 *     check     proa_lock_look    returns whether the awaited event has occurred. Callable at any
 *               time, any number of times
 *     doorbell  proa_lock_bell    the doorbell that rings when the check may have another result
 *     continue  proa_lock_go_on   after a check that returned 1, however long ago: one step, after
 *               which the lock is held or the next wait begins
 * A request must be continued until the lock is granted (PROA_LOCK_GRANTED), and the lock then
 * released, as other processes wait after it.
 */
#ifndef PROA_SYNC_LOCK_H
#define PROA_SYNC_LOCK_H

#include "sync/shared_words.h"
#include "sync/bypass.h"
#include "sync/rwlock.h"
#include "window/win.h"

enum proa_lock_kind { PROA_LOCK_SHARED, PROA_LOCK_EXCLUSIVE, PROA_LOCK_ALL };

/* The awaited event. sync/bypass.h proves that these waits end. */
enum proa_lock_stage {
    PROA_LOCK_GRANTED,      /* none: the lock is held */
    PROA_LOCK_GIVES_WAY,    /* exclusive: waiters outside the queue are granted first */
    PROA_LOCK_WRITE_QUEUED, /* exclusive: the ticket's turn in the queue */
    PROA_LOCK_WRITE_HEAD,   /* exclusive, announced: no lock_all is left */
    PROA_LOCK_WRITE_ENTERS, /* exclusive, announced: no process is inside */
    PROA_LOCK_READ_QUEUED,  /* shared: the ticket's turn in the queue */
    PROA_LOCK_READ_HEAD,    /* shared, counted: the writer inside leaves */
    PROA_LOCK_READ_OUTSIDE, /* shared, outside: no writer excludes it */
    /* shared, counted, bypasses writers that only wait: the writer inside leaves */
    PROA_LOCK_READ_BYPASSES,
    PROA_LOCK_ALL_TRIES,   /* lock_all: none; it tries */
    PROA_LOCK_ALL_OUTSIDE, /* lock_all, outside: the writer found no longer excludes it */
    PROA_LOCK_BROKEN,      /* after a death: the claims of the living allow the lock
                            * (sync/claims.h) */
    PROA_LOCK_STAGES
};

struct proa_lock_request {
    const struct proa_lock_requester *requester;
    struct proa_win *win;
    int target;               /* a rank, or < 0 for PROA_LOCK_ALL */
    struct proa_all_ctl *all; /* the leader's */
    struct proa_rwlock *lock; /* the target's; for a lock_all, that of the target with a writer */
    long begin_ns;            /* for the requester: time of the first is_pressed; 0 before */
    uint32_t number;          /* the ticket, or the number of waiters outside to be granted first */
    uint8_t kind;             /* enum proa_lock_kind */
    uint8_t stage;            /* enum proa_lock_stage */
    uint8_t holds;            /* of an origin of another node: 1 if it holds other locks */
    uint8_t bypasses; /* bypasses writers that only wait: was pressed while it waited outside */
    uint8_t outside;  /* counted in `asked`, and not granted yet */
};

/* The steps. For proa_lock_request_begin the caller has set request->win, target, all and
 * requester, and lock for a target's lock. A granted lock has been claimed. */
void proa_lock_request_begin(struct proa_lock_request *request, enum proa_lock_kind kind);
int proa_lock_look(struct proa_lock_request *request);
struct proa_doorbell *proa_lock_bell(const struct proa_lock_request *request);
void proa_lock_go_on(struct proa_lock_request *request);

/* Leaves the queue of a broken lock; called in a wait, before a check. Returns whether it left the
 * queue now. */
int proa_lock_leave_broken(struct proa_lock_request *request);

/* Tries once to acquire a shared lock or a lock_all before writers that only wait. The caller has
 * set the request as for proa_lock_request_begin. Returns whether the lock is held; if not, the
 * request leaves no trace. */
int proa_lock_try_ahead(struct proa_lock_request *request, enum proa_lock_kind kind);

/* Requests the lock and waits for it. target: rank, or < 0 for PROA_LOCK_ALL. Returns PROA_OK once
 * the lock is held, or PROA_ERR_OTHER if the target has failed. Called after the first try failed;
 * the claim of that try is still set. */
int proa_lock_wait(struct proa_win *win, int target, enum proa_lock_kind kind);

/* ---- the first try: returns 1 if the lock is held, 0 if not free or waiters outside precede
 * ---- */

static inline int proa_lock_try_writer(struct proa_all_ctl *all, struct proa_rwlock *lock)
{
    if (!proa_rwlock_write_try(lock))
        return 0;
    if (proa_shared_all_none(all))
        return 1;
    proa_rwlock_write_unlock(lock);
    return 0;
}

/* The same for either kind of lock on a target. all: the counts of the target's node. */
static inline int proa_lock_try(struct proa_all_ctl *all, struct proa_win_ctl *ctl, int exclusive)
{
    if (!exclusive)
        return proa_rwlock_read_try(&ctl->lock);
    return __builtin_expect(proa_shared_are_granted(all, proa_shared_asked(all)), 1) &&
           proa_lock_try_writer(all, &ctl->lock);
}

/* ---- releasing ---- */

static inline void proa_lock_give_back(struct proa_rwlock *lock, int exclusive)
{
    if (exclusive)
        proa_rwlock_write_unlock(lock);
    else
        proa_rwlock_read_unlock(lock);
}

/* ---- lock_all ---- */

/* Returns the block of a target that has a writer inside or, unless the caller bypasses it, a
 * writer at the head of the queue; NULL if there is none. */
static inline struct proa_win_ctl *proa_lock_find_writer(const struct proa_win *win, int bypasses)
{
    for (int i = 0; i < win->size; i++)
        if (win->targets[i].ctl && proa_rwlock_has_writer(&win->targets[i].ctl->lock, !bypasses))
            return win->targets[i].ctl;
    return NULL;
}

static inline int proa_lock_try_all(const struct proa_win *win, struct proa_all_ctl *all)
{
    proa_shared_all_enter(all);
    if (!proa_lock_find_writer(win, 0))
        return 1;
    proa_shared_all_leave(all);
    return 0;
}

static inline void proa_lock_give_back_all(struct proa_win *win)
{
    proa_claim_all(win, 0);
    proa_shared_all_leave(&win->leader->all);
}

#endif
