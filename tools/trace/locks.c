/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrows from an unlock to the lock that it let pass.
 *
 * Events come in the order of their ends, and a call of MPI_Win_unlock may return long after the
 * lock was given back: after the next process has taken the lock and unlocked it, too. But a lock
 * that was taken before another one that it excludes was also given back before. So the arrow to a
 * lock is looked for once no earlier lock that excludes it is open any more.
 *
 * MPI_Win_lock of a process of another node only asks for the lock. The process has it when the
 * first operation is applied at the target, and knows when a flush or the unlock is over: there the
 * arrow ends.
 */
#include "ends.h"

#include <stdlib.h>
#include <utlist.h>

enum {
    KEPT = 32,        /* locks of a target that are over, for the arrows to later ones */
    KEPT_MOST = 4096, /* with those that are open, or wait for these */
};

/* A lock that a process has or has had, or has asked for (is_asked). */
struct held {
    struct proa_model_end lock,
        unlock;                  /* lock: the end of the call that had it; unlock: the beginning */
    int64_t asked_ns, had_ns;    /* had: as far as it is known; 0: not yet */
    struct proa_model_wait wait; /* all of that call's */
    int exclusive, is_asked, is_open, is_done; /* done: its arrow has been looked for */
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
    uint64_t asked; /* so many locks were only asked for so far */
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

/* From the begin of the first wait of the call on, for as long as it waited. */
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

/* Does one exclude the other, and was it had before that, as far as is known? */
static int precedes(const struct held *one, const struct held *other)
{
    return one != other && (one->exclusive || other->exclusive) && one->had_ns <= other->had_ns;
}

/* The last one that was given back before this one was taken, and excludes it. */
static const struct held *former(const struct lock *lock, const struct held *to)
{
    const struct held *found = NULL, *held;

    DL_FOREACH(lock->held, held)
        if (!held->is_open && precedes(held, to) && held->lock.process != to->lock.process &&
            held->unlock.ns <= to->lock.ns && (!found || held->unlock.ns > found->unlock.ns))
            found = held;
    return found;
}

/* Of a call that waits for other things as well: until the lock was given back. */
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

/* May a lock that precedes this one still be open? One that was only asked for has had_ns 0. */
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

/* is_last: no further unlock will come. */
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

/* The open lock of that process on the target; NULL: none. */
static struct held *held_by(const struct lock *lock, int process)
{
    struct held *held;

    DL_FOREACH(lock->held, held)
        if (held->is_open && held->lock.process == process)
            return held;
    return NULL;
}

/* By the end of that call it is known that the process has the lock. */
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
