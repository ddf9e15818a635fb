/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrows from an unlock to the lock that it let pass.
 *
 * Events come in the order of their ends, and a call of MPI_Win_unlock may return long after the
 * lock was given back: after the next process has taken the lock and unlocked it, too. But a lock
 * that was taken before another one that it excludes was also given back before. So the arrow to a
 * lock is looked for once no earlier lock that excludes it is open any more.
 */
#include "ends.h"

#include <stdlib.h>
#include <utlist.h>

enum {
    KEPT = 32,        /* locks of a target that are over, for the arrows to later ones */
    KEPT_MOST = 4096, /* with those that are open, or wait for these */
};

/* A lock that a process has or has had. */
struct held {
    struct proa_model_end lock, unlock; /* lock: the end of its call; unlock: the beginning */
    int64_t waited_ns;
    int exclusive, is_open, is_done; /* done: its arrow has been looked for */
    struct held *prev, *next;
};

/* The lock of target a, in the order in which it was taken. */
struct lock {
    struct proa_key key;
    unsigned count;
    struct held *held;
    UT_hash_handle hh;
};

struct proa_locks {
    struct lock *locks;
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

static void drop(struct lock *lock, struct held *held)
{
    DL_DELETE(lock->held, held);
    free(held);
    lock->count--;
}

/* ---- arrows ---- */

/* The last one that was given back before this one was taken, and excludes it. */
static const struct held *former(const struct lock *lock, const struct held *to)
{
    const struct held *found = NULL, *held;

    for (held = lock->held; held != to; held = held->next)
        if (!held->is_open && (held->exclusive || to->exclusive) &&
            held->lock.process != to->lock.process && held->unlock.ns <= to->lock.ns &&
            (!found || held->unlock.ns > found->unlock.ns))
            found = held;
    return found;
}

static void settle(struct proa_run *run, const struct lock *lock, struct held *to)
{
    const struct held *from = former(lock, to);

    to->is_done = 1;
    if (from)
        proa_arrow_give(run,
                        &(struct proa_model_arrow){PROA_ARROW_UNLOCK, lock->key.window, lock->key.a,
                                                   from->unlock, to->lock, to->waited_ns});
}

/* is_last: no further unlock will come. */
static void settle_all(struct proa_run *run, struct lock *lock, int is_last)
{
    int any = 0, exclusive = 0; /* are open so far */
    struct held *held;

    DL_FOREACH(lock->held, held) {
        if (!held->is_done && (is_last || !(held->exclusive ? any : exclusive)))
            settle(run, lock, held);
        any |= held->is_open;
        exclusive |= held->is_open && held->exclusive;
    }
}

static void forget(struct proa_run *run, struct lock *lock)
{
    while (lock->count > KEPT && lock->held->is_done && !lock->held->is_open)
        drop(lock, lock->held);
    if (lock->count <= KEPT_MOST)
        return;
    settle_all(run, lock, 1);
    run->model->abandoned++;
    drop(lock, lock->held);
}

void proa_locks_lock(struct proa_run *run, const struct proa_model_event *event)
{
    struct lock *lock;
    struct held *held;

    if (event->mode & PROA_TRACE_NOCHECK)
        return;
    lock = lock_of(run->locks, event->window, event->rank);
    held = proa_zeroed(sizeof *held);
    held->lock = proa_end_at(event, event->end_ns);
    held->waited_ns = proa_waited(event, -1);
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
    struct held *held;

    DL_FOREACH(lock->held, held)
        if (held->is_open && held->lock.process == event->process)
            break;
    if (!held)
        return;
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
            drop(lock, lock->held);
        free(lock);
    }
    free(run->locks);
}
