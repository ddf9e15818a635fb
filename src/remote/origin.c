/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronization with targets on other nodes: see origin.h. */
#include "remote/origin.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/load.h"
#include "base/log.h"
#include "base/settings.h"
#include "progress/progress.h"
#include "remote/batch.h"
#include "sync/bypass.h"
#include "remote/operation_queue.h"
#include "remote/target.h"
#include "sync/notify.h"

#include <utlist.h>

/* ---- notifications ---- */

/* A post is sent with the messages that follow it, such as our complete. The origin continues
 * without the post (PROA_WIRE_POSTED), unless it has reported that it waits. If processes are
 * oversubscribed, a post is sent at once, as no thread would check for it in time. */
static int is_for_later(const struct proa_remote *r, int word)
{
    return word == PROA_WORD_POSTED && !r->is_hasty && proa_settings()->gather_ns &&
           !proa_is_oversubscribed();
}

static void send_all(struct proa_remote *r)
{
    int error = PROA_OK;

    while (!error && r->batch.used)
        error = proa_batch_send(r, 0);
}

/* Sends a word after all operations that were aggregated before it. A word lost with a lost peer
 * has no waiter. */
void proa_remote_notify(struct proa_win *win, int rank, int word, uint64_t value)
{
    struct proa_remote *r;
    struct proa_wire_op op = {.code = PROA_WIRE_NOTIFY, .position = word, .count = value};
    int error;

    proa_progress_enter();
    r = proa_remote_make(win, rank);
    if (!r) {
        proa_progress_leave();
        proa_log(PROA_LOG_WARN, "could not notify rank %d: %s; it may hang", rank, proa_failure());
        return;
    }
    while (!proa_batch_try_add(r, &op, 0, 0, &error) && error == PROA_NET_AGAIN)
        proa_batch_unblock(r);
    if (!error && is_for_later(r, word)) {
        proa_batch_mark(r, PROA_GATHERED_POSTS);
        proa_aggregation_begun();
    } else if (!error) {
        send_all(r);
    }
    if (word == PROA_WORD_POSTED)
        proa_remote_target_posted(r, value / 2);
    proa_progress_leave();
}

void proa_remote_say(const struct proa_win *win, int rank)
{
    struct proa_remote *r = proa_remote_of(win, rank);

    if (!r || !(proa_atomic_load(&r->batch.has, PROA_RELAXED) & PROA_GATHERED_POSTS))
        return;
    proa_progress_enter();
    if (r->batch.has & PROA_GATHERED_POSTS)
        send_all(r);
    proa_progress_leave();
}

/* ---- completion ---- */

/* Returns whether there is an operation for which an answer has not been requested. */
static int is_unasked(const struct proa_remote *r, int local)
{
    if (proa_remote_is_lost(r))
        return 0;
    return local ? r->batch.used && r->batch.fetching
                 : r->batch.used || r->flight.asked < r->flight.worked;
}

/* Returns whether nothing is outstanding but answers, and no lock is held or requested. */
static int is_idle(const struct proa_remote *r)
{
    return !r->batch.used && !r->flight.issues && !r->flight.moves && !r->flight.wanted &&
           r->grant.lock == PROA_REMOTE_UNLOCKED;
}

static int is_answered(const struct proa_remote *r)
{
    return r->flight.answered >= r->flight.worked;
}

/* Waits until all operations are issued, their moves are done, and the orders to count that follow
 * moves are issued. */
static void drain(struct proa_remote *r)
{
    proa_queue_drain(r);
    proa_batch_await(r, proa_batch_has_no_moves);
    proa_queue_drain(r);
}

static int ask_one(struct proa_remote *r, int local)
{
    int error = PROA_OK;

    proa_queue_drain(r);
    while (!error && is_unasked(r, local))
        error = proa_batch_send(r, PROA_WIRE_ANSWERED);
    return error;
}

static int wait_one(struct proa_remote *r, int local)
{
    int error = PROA_OK, reported;

    proa_batch_await(r, proa_batch_has_no_moves);
    if (!local)
        error = ask_one(r, 0); /* orders to count follow moves (remote/notice.h) */
    if (!local || r->flight.wanted)
        proa_batch_await(r, proa_batch_is_answered);
    reported = proa_batch_report(r);
    error = error ? error : reported;
    if (is_idle(r) && (is_answered(r) || proa_remote_is_lost(r)))
        proa_remote_delist(r, PROA_REMOTE_USED);
    return error;
}

/* With two processes, each is notified by the other in the barrier: the aggregated operations are
 * in the same message, and come first. With more, a third process could leave the barrier before
 * that, and access the same memory. In a dynamic window only the answer reports an address that is
 * not attached. */
static int is_told_by_barrier(const struct proa_win *win, enum proa_completion how)
{
    return how == PROA_COMPLETED_BY_BARRIER && win->size == 2 && win->flavor != PROA_FLAVOR_DYNAMIC;
}

/* Calls `what` for each target with something to complete, and keeps the first failure. Targets may
 * enter and leave the list meanwhile; those that enter have operations of another thread. */
static void each(struct proa_win *win, int (*what)(struct proa_remote *r, int local), int local,
                 struct proa_first_failure *first)
{
    struct proa_remote_window *remote_window = win->remote_window;
    const uint64_t last = remote_window->entries;
    struct proa_remote_walk walk = {.next = win->remotes};

    LL_PREPEND2(remote_window->walks, &walk, outer);
    while (walk.next && walk.next->entry <= last) {
        struct proa_remote *r = walk.next;

        walk.next = r->in[PROA_REMOTE_USED].next;
        proa_failure_keep(first, what(r, local), proa_failure());
    }
    LL_DELETE2(remote_window->walks, &walk, outer);
}

static int settle(struct proa_remote *r, int local)
{
    int error = ask_one(r, local);

    return error ? error : wait_one(r, local);
}

/* A lost process does not matter if nothing is outstanding and no error is to be reported. */
static int settle_unsettled(struct proa_remote *r, int local)
{
    if (!is_idle(r) || !is_answered(r) || r->flight.failed.code)
        return settle(r, local);
    proa_remote_delist(r, PROA_REMOTE_USED);
    return PROA_OK;
}

/* Requests all answers before it waits for the first one. If another thread changes the list
 * meanwhile, the second loop requests the rest. */
static int complete_ops_all(struct proa_win *win, int local)
{
    struct proa_first_failure first = {0};
    struct proa_remote *r = win->remotes;

    while (r) {
        proa_failure_keep(&first, ask_one(r, local), proa_failure());
        r = proa_remote_is_in(r, PROA_REMOTE_USED) ? r->in[PROA_REMOTE_USED].next : NULL;
    }
    each(win, settle_unsettled, local, &first);
    return proa_failure_report(&first);
}

int proa_remote_complete_ops(struct proa_win *win, int rank, enum proa_completion how)
{
    int local = how == PROA_COMPLETED_LOCAL, error = PROA_OK;
    struct proa_remote *r;

    if (is_told_by_barrier(win, how)) {
        rank = !win->rank;
        how = PROA_COMPLETED_IN_ORDER;
    }
    r = rank >= 0 ? proa_remote_of(win, rank) : NULL;
    if (rank >= 0 && !r)
        return PROA_OK;
    proa_progress_enter();
    if (how == PROA_COMPLETED_IN_ORDER && win->flavor != PROA_FLAVOR_DYNAMIC) {
        drain(r);
    } else if (rank < 0) {
        error = complete_ops_all(win, local);
    } else {
        error = settle(r, local);
    }
    proa_progress_leave();
    return error;
}

static int complete_one(struct proa_remote *r, int local)
{
    r->flight.worked = 0;
    return wait_one(r, local);
}

int proa_remote_completed(struct proa_win *win, int rank)
{
    struct proa_remote *r = rank < 0 ? NULL : proa_remote_of(win, rank);
    struct proa_first_failure first = {0};

    if (rank >= 0 && !r)
        return PROA_OK;
    proa_progress_enter();
    if (r)
        proa_failure_keep(&first, complete_one(r, 1), proa_failure());
    else
        each(win, complete_one, 1, &first);
    proa_progress_leave();
    return proa_failure_report(&first);
}

/* ---- locks ---- */

/* An error here is reported when the lock is used. */
void proa_remote_take_deferred(void)
{
    struct proa_remote **first = &proa_remotes[PROA_REMOTE_DEFERRED], *r;

    if (!proa_atomic_load(first, PROA_RELAXED))
        return;
    proa_progress_enter();
    while ((r = *first)) {
        int error = PROA_OK;

        while (!error && proa_remote_wants_lock(r))
            error = proa_batch_send(r, 0);
        if (!error && r == *first)
            proa_batch_await(r, proa_batch_has_taken_deferred);
        proa_remote_delist(r, PROA_REMOTE_DEFERRED);
    }
    proa_progress_leave();
}

void proa_remote_lock(struct proa_win *win, int rank, int exclusive)
{
    struct proa_remote *r = proa_remote_of(win, rank);
    int holds = proa_held_any();

    proa_progress_enter();
    r->grant.holds = (uint8_t)holds;
    r->grant.lock = exclusive ? PROA_REMOTE_WANTS_EXCLUSIVE : PROA_REMOTE_WANTS_SHARED;
    proa_remote_enlist(r, PROA_REMOTE_DEFERRED);
    proa_progress_leave();
}

/* If the lock is still to be requested, lock, operations and unlock are one message. */
static int unlock_ask(struct proa_remote *r, int only_locked)
{
    int error = PROA_OK;

    if (only_locked && r->grant.lock == PROA_REMOTE_UNLOCKED)
        return PROA_OK;
    proa_remote_delist(r, PROA_REMOTE_DEFERRED);
    drain(r);
    while (!error && !proa_remote_is_lost(r) && r->grant.lock != PROA_REMOTE_UNLOCKED)
        error = proa_batch_send(r, PROA_WIRE_UNLOCK | PROA_WIRE_ANSWERED);
    r->grant.lock = PROA_REMOTE_UNLOCKED;
    return error;
}

int proa_remote_unlock(struct proa_win *win, int rank)
{
    struct proa_remote *r = proa_remote_of(win, rank);
    int error;

    proa_progress_enter();
    error = unlock_ask(r, 0);
    if (!error)
        error = wait_one(r, 0);
    proa_progress_leave();
    return error;
}

int proa_remote_unlock_all(struct proa_win *win)
{
    struct proa_first_failure first = {0};

    proa_progress_enter();
    each(win, unlock_ask, 1, &first);
    proa_progress_leave();
    return proa_failure_report(&first);
}
