/* SPDX-License-Identifier: BSD-3-Clause */
/* See bypass.h. */
#include "sync/bypass.h"
#include "base/atomic.h"
#include "base/system.h"
#include "sync/shared_words.h"
#include "sync/lock.h"
#include "sync/rwlock.h"
#include "sync/sync.h"
#include "window/epoch.h"

#include <pthread.h>
#include <utlist.h>

static pthread_mutex_t watched_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_win *watched; /* all windows of this process */

void proa_held_watch(struct proa_win *win)
{
    pthread_mutex_lock(&watched_mutex);
    DL_APPEND2(watched, win, watched_before, watched_after);
    pthread_mutex_unlock(&watched_mutex);
}

void proa_held_forget(struct proa_win *win)
{
    pthread_mutex_lock(&watched_mutex);
    if (win->watched_before) /* else proa_held_watch was never called */
        DL_DELETE2(watched, win, watched_before, watched_after);
    pthread_mutex_unlock(&watched_mutex);
}

/* ---- one window ---- */

static int is_taken(uint8_t epoch)
{
    return (epoch & (PROA_EPOCH_LOCK | PROA_EPOCH_NOCHECK)) == PROA_EPOCH_LOCK;
}

static int holds_any(const struct proa_win *win, enum proa_holder holder)
{
    (void)holder;
    if (is_taken(proa_epoch_all(win)))
        return 1;
    if (win->remote_window || proa_epoch_locks(win) == 0)
        return proa_epoch_taken(win) != 0;
    for (int i = 0; i < win->size; i++)
        if (is_taken(proa_epoch_one(&win->targets[i])))
            return 1;
    return 0;
}

/* Returns whether there is a waiter in the queue, at its head, or outside it. The result may be
 * stale; a waiting process checks again. */
static int is_wanted(const struct proa_win *win, const struct proa_target *target)
{
    return (target->ctl && proa_rwlock_is_wanted(&target->ctl->lock)) ||
           (win->sync->lock_is_wanted && win->sync->lock_is_wanted(win));
}

/* Returns whether a lock_all waits. It needs every target, but waits for one after the other, so
 * every process that holds a target exclusively delays it already. A shared lock needs only its
 * target, which is_wanted checks. */
static int awaits_writers(const struct proa_win *win)
{
    return proa_shared_all_waits(&win->leader->all);
}

static int is_mine(const struct proa_win *win, const pthread_t *taker, enum proa_holder holder)
{
    return holder == PROA_HOLDER_PROCESS || !win->threads ||
           pthread_equal(proa_atomic_load(taker, PROA_RELAXED), pthread_self());
}

static int wanted_in(const struct proa_win *win, enum proa_holder holder)
{
    int all = is_taken(proa_epoch_all(win)) && is_mine(win, &win->taker, holder), one;

    if (!all && proa_epoch_locks(win) == 0)
        return 0;
    for (int i = 0; i < win->size; i++) {
        const struct proa_target *target = &win->targets[i];
        uint8_t epoch = proa_epoch_one(target);

        one = !all && is_taken(epoch) && is_mine(win, &target->taker, holder);
        if ((all || one) && is_wanted(win, target))
            return 1;
        if (one && epoch & PROA_EPOCH_EXCLUSIVE && awaits_writers(win))
            return 1;
    }
    return 0;
}

/* Returns whether there is a lock of a target on another node, whose waiters this process cannot
 * see. */
static int unseen_in(const struct proa_win *win, enum proa_holder holder)
{
    if (proa_epoch_locks(win) == 0)
        return 0;
    for (int i = 0; i < win->size; i++) {
        const struct proa_target *target = &win->targets[i];

        if (!target->ctl && is_taken(proa_epoch_one(target)) &&
            is_mine(win, &target->taker, holder))
            return 1;
    }
    return 0;
}

/* ---- all windows ---- */

static int in_any(int (*is)(const struct proa_win *, enum proa_holder), enum proa_holder holder)
{
    const struct proa_win *win;
    int any = 0;

    pthread_mutex_lock(&watched_mutex);
    DL_FOREACH2(watched, win, watched_after)
        if ((any = is(win, holder)))
            break;
    pthread_mutex_unlock(&watched_mutex);
    return any;
}

int proa_held_any(void)
{
    return in_any(holds_any, PROA_HOLDER_PROCESS);
}

int proa_held_wanted(enum proa_holder holder)
{
    return in_any(wanted_in, holder);
}

void proa_sync_slow(void)
{
    struct proa_win *win;

    pthread_mutex_lock(&watched_mutex);
    DL_FOREACH2(watched, win, watched_after)
        if (proa_atomic_load(&win->sync, PROA_RELAXED) == &proa_sync_node)
            proa_atomic_store(&win->sync, &proa_sync_threads, PROA_RELAXED);
    pthread_mutex_unlock(&watched_mutex);
}

/* ---- the requesters ---- */

enum { THREADS_DEPEND_NS = 1000000000, UNSEEN_NS = 10000000 };

/* Returns whether the requester has waited for `ns` nanoseconds since the first call. */
static int has_waited(struct proa_lock_request *a, long ns)
{
    if (a->begin_ns == 0)
        a->begin_ns = proa_system->now_ns();
    return proa_system->now_ns() - a->begin_ns > ns;
}

static int self_holds_any(const struct proa_lock_request *a)
{
    (void)a;
    return proa_held_any();
}

static int self_is_pressed(struct proa_lock_request *a)
{
    return proa_held_wanted(PROA_HOLDER_THREAD) ||
           (has_waited(a, UNSEEN_NS) && in_any(unseen_in, PROA_HOLDER_THREAD)) ||
           (has_waited(a, THREADS_DEPEND_NS) &&
            (proa_held_wanted(PROA_HOLDER_PROCESS) || in_any(unseen_in, PROA_HOLDER_PROCESS)));
}

static void self_claim(struct proa_lock_request *a, enum proa_claim claim, int is_set)
{
    if (a->kind == PROA_LOCK_ALL)
        proa_claim_all(a->win, is_set);
    else
        proa_claim(a->win, (int)a->win->targets[a->target].ctl->slot,
                   is_set ? claim : PROA_CLAIM_NONE);
}

static int origin_holds_any(const struct proa_lock_request *a)
{
    return a->holds;
}

static int origin_is_pressed(struct proa_lock_request *a)
{
    return a->holds && has_waited(a, UNSEEN_NS);
}

static void origin_claim(struct proa_lock_request *a, enum proa_claim claim, int is_set)
{
    proa_claim_served(a->win, claim, is_set ? 1 : -1);
}

const struct proa_lock_requester proa_lock_requester_self = {self_holds_any, self_is_pressed,
                                                             self_claim};
const struct proa_lock_requester proa_lock_requester_origin = {origin_holds_any, origin_is_pressed,
                                                               origin_claim};

/* ---- bypass ---- */

int proa_bypass_of_outside(struct proa_lock_request *a)
{
    return proa_shared_are_granted(a->all, a->number) || a->requester->is_pressed(a);
}

int proa_bypass_of_writers(struct proa_lock_request *a)
{
    if (!proa_rwlock_has_writer(a->lock, 1))
        return 1;
    a->bypasses = a->bypasses || a->requester->is_pressed(a);
    return a->bypasses && !proa_rwlock_has_writer(a->lock, 0);
}
