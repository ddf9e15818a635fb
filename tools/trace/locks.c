/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrows from an unlock to the lock that it allowed.
 *
 * Events arrive in the order of their ends. A call of MPI_Win_unlock may return long after the lock
 * was released, even after the next process acquired and released it. But a lock acquired before
 * another one that it excludes was also released before. So the arrow to a lock is searched once no
 * earlier lock that excludes it is open any more.
 *
 * MPI_Win_lock of a process of another node only requests the lock. The process has the lock when
 * its first operation is applied at the target. It knows that when a flush or the unlock returns:
 * the arrow ends there.
 */
#include "ends.h"

#include <stdlib.h>
#include <utlist.h>

enum {
    KEPT = 32,        /* released locks of a target, kept for arrows to later ones */
    KEPT_MOST = 4096, /* including open locks, and those that wait for them */
};

/* A lock that a process holds, held, or requested (is_asked). */
struct held {
    struct proa_model_end lock, unlock; /* lock: end of the call that acquired it; unlock: start */
    int64_t asked_ns, had_ns;    /* had: time of acquisition, as far as known; 0 if not yet */
    struct proa_model_wait wait; /* all waits of that call */
    int exclusive, is_asked, is_open, is_done; /* done: its arrow was searched */
    struct held *prev, *next;
};

/* The lock of target a, in the order of acquisition. */
struct lock {
    struct proa_key key;
    unsigned count;
    struct held *held;
    UT_hash_handle hh;
};

struct proa_locks {
    struct lock *locks;
    uint64_t asked; /* number of locks that are only requested so far */
};

struct proa_locks *proa_locks_new(void)
{
    return proa_zeroed(sizeof(struct proa_locks));
}

static struct lock *lock_of(struct proa_locks *locks, int window, int target)
{
    const struct proa_key key = proa_key(window, target, 0, 0);
    struct lock *lock;

    HASH_FIND(hh, locks->locks, &key, sizeof key, lock);
    if (lock)
        return lock;
    lock = proa_zeroed(sizeof *lock);
    lock->key = key;
    HASH_ADD(hh, locks->locks, key, sizeof lock->key, lock);
    return lock;
}

/* Returns the wait of the call: starts with its first wait, and has the sum of its waiting
 * times. */
static struct proa_model_wait wait_of(const struct proa_model_event *event)
{
    const int64_t begin_ns = event->wait_count ? event->waits[0].begin_ns : event->end_ns;

    return (struct proa_model_wait){begin_ns, begin_ns + proa_waited(event, -1), event->rank};
}

static void drop(struct proa_locks *locks, struct lock *lock, struct held *held)
{
    DL_DELETE(lock->held, held);
    locks->asked -= (uint64_t)held->is_asked;
    free(held);
    lock->count--;
}

/* ---- arrows ---- */

/* Returns true if one excludes the other, and was held before it, as far as is known. */
static int precedes(const struct held *one, const struct held *other)
{
    return one != other && (one->exclusive || other->exclusive) && one->had_ns <= other->had_ns;
}

/* Returns the last lock released before this one was acquired that excludes it. */
static const struct held *former(const struct lock *lock, const struct held *to)
{
    const struct held *found = NULL, *held;

    DL_FOREACH(lock->held, held)
        if (!held->is_open && precedes(held, to) && held->lock.process != to->lock.process &&
            held->unlock.ns <= to->lock.ns && (!found || held->unlock.ns > found->unlock.ns))
            found = held;
    return found;
}

/* Returns the waiting time, up to the release of the lock, of a call that may wait for other
 * reasons as well. */
static int64_t waited(const struct held *from, const struct held *to)
{
    const int64_t ns = from->unlock.ns - to->wait.begin_ns;

    if (to->asked_ns == to->lock.ns)
        return to->wait.end_ns - to->wait.begin_ns;
    return ns > 0 && to->wait.end_ns > to->wait.begin_ns ? ns : 0;
}

static void settle(struct proa_run *run, const struct lock *lock, struct held *to)
{
    const struct held *from = former(lock, to);

    to->is_done = 1;
    if (from)
        proa_arrow_give(run,
                        &(struct proa_model_arrow){PROA_ARROW_UNLOCK, lock->key.window, lock->key.a,
                                                   from->unlock, to->lock, waited(from, to)});
}

/* Returns true if a lock that precedes this one may still be open. A lock that was only requested
 * has had_ns 0. */
static int is_early(const struct lock *lock, const struct held *to)
{
    const struct held *held;

    if (to->is_asked)
        return 1;
    DL_FOREACH(lock->held, held)
        if (held->is_open && precedes(held, to))
            return 1;
    return 0;
}

/* is_last: true if no more unlocks follow. */
static void settle_all(struct proa_run *run, struct lock *lock, int is_last)
{
    struct held *held;

    DL_FOREACH(lock->held, held)
        if (!held->is_done && (is_last || !is_early(lock, held)))
            settle(run, lock, held);
}

static void forget(struct proa_run *run, struct lock *lock)
{
    while (lock->count > KEPT && lock->held->is_done && !lock->held->is_open)
        drop(run->locks, lock, lock->held);
    if (lock->count <= KEPT_MOST)
        return;
    settle_all(run, lock, 1);
    run->model->abandoned++;
    drop(run->locks, lock, lock->held);
}

/* ---- locks of other nodes ---- */

static int is_remote(const struct proa_run *run, const struct proa_model_event *event)
{
    const struct proa_model_window *window = &run->model->windows[event->window];
    const int target =
        event->rank >= 0 && event->rank < window->size ? window->processes[event->rank] : -1;

    return target >= 0 &&
           run->model->processes[target].node != run->model->processes[event->process].node;
}

/* Returns the process's open lock of the target, or NULL. */
static struct held *held_by(const struct lock *lock, int process)
{
    struct held *held;

    DL_FOREACH(lock->held, held)
        if (held->is_open && held->lock.process == process)
            return held;
    return NULL;
}

/* At the end of that call the process is known to hold the lock. */
static void have(struct proa_locks *locks, struct held *held, const struct proa_model_event *event)
{
    held->lock = proa_end_at(event, event->end_ns);
    held->wait = wait_of(event);
    if (!held->had_ns)
        held->had_ns = event->end_ns;
    locks->asked -= (uint64_t)held->is_asked;
    held->is_asked = 0;
}

static void ask(struct proa_locks *locks, struct held *held)
{
    held->had_ns = 0;
    held->is_asked = 1;
    locks->asked++;
}

void proa_locks_flush(struct proa_run *run, const struct proa_model_event *flush)
{
    struct lock *lock, *next;

    if (run->locks->asked == 0)
        return;
    HASH_ITER(hh, run->locks->locks, lock, next) {
        struct held *held = held_by(lock, flush->process);

        if (lock->key.window != flush->window || (flush->rank >= 0 && lock->key.a != flush->rank) ||
            !held || !held->is_asked)
            continue;
        have(run->locks, held, flush);
        settle_all(run, lock, 0);
    }
}

void proa_locks_applied(struct proa_run *run, const struct proa_model_event *applied)
{
    const struct proa_model_window *window = &run->model->windows[applied->window];
    struct held *held;

    if (run->locks->asked == 0 || applied->rank < 0 || applied->rank >= window->size)
        return;
    held = held_by(lock_of(run->locks, applied->window, proa_rank_in(window, applied->process)),
                   window->processes[applied->rank]);
    if (held && held->is_asked && !held->had_ns)
        held->had_ns = applied->begin_ns;
}

/* ---- calls ---- */

void proa_locks_lock(struct proa_run *run, const struct proa_model_event *event)
{
    struct lock *lock;
    struct held *held;

    if (event->mode & PROA_TRACE_NOCHECK)
        return;
    lock = lock_of(run->locks, event->window, event->rank);
    held = proa_zeroed(sizeof *held);
    held->asked_ns = event->end_ns;
    have(run->locks, held, event);
    if (is_remote(run, event))
        ask(run->locks, held);
    held->exclusive = (event->mode & PROA_TRACE_EXCLUSIVE) != 0;
    held->is_open = 1;
    DL_APPEND(lock->held, held);
    lock->count++;
    settle_all(run, lock, 0);
    forget(run, lock);
}

void proa_locks_unlock(struct proa_run *run, const struct proa_model_event *event)
{
    struct lock *lock = lock_of(run->locks, event->window, event->rank);
    struct held *held = held_by(lock, event->process);

    if (!held)
        return;
    if (held->is_asked)
        have(run->locks, held, event);
    held->is_open = 0;
    held->unlock = proa_end_at(event, event->begin_ns);
    settle_all(run, lock, 0);
    forget(run, lock);
}

void proa_locks_end(struct proa_run *run)
{
    struct lock *lock, *next;

    HASH_ITER(hh, run->locks->locks, lock, next) {
        HASH_DEL(run->locks->locks, lock);
        settle_all(run, lock, 1);
        while (lock->held)
            drop(run->locks, lock, lock->held);
        free(lock);
    }
    free(run->locks);
}
