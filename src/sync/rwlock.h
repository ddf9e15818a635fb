/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fair reader-writer lock between processes.
 *
 * Algorithm: the queued reader-writer lock of W. Long (Linux kernel, kernel/locking/qrwlock.c). A
 * free lock is taken by one atomic and released by one. A process that finds the lock taken draws a
 * ticket; only the head of the queue watches the lock itself. The head announces itself (a writer
 * by WANTED, a reader by its count), which keeps newcomers from bypassing it, so that neither
 * readers nor writers starve.
 */
#ifndef PROA_SYNC_RWLOCK_H
#define PROA_SYNC_RWLOCK_H

#include "base/atomic.h"
#include "base/wait.h"
#include "shm/ctl.h"

#include <stdint.h>

enum {
    PROA_RW_HELD = 1,
    PROA_RW_WANTED = 2,
    PROA_RW_READER = 4,
    PROA_RW_BROKEN = 1 << 30 /* above all readers: every try fails from now on */
};

/* ---- the queue: none of these waits; sync/lock.c waits between them ---- */

/* Draws a ticket. The waiter with the ticket that is served is at the head of the queue; it leaves
 * the queue once it is inside. */
static inline uint32_t proa_rwlock_draw(struct proa_rwlock *lock)
{
    return proa_atomic_fetch_add(&lock->tickets, 1, PROA_RELAXED);
}

/* Only the head writes serving, so a plain add is enough; its release pairs with the acquire in
 * proa_rwlock_is_turn. */
static inline void proa_rwlock_leave_queue(struct proa_rwlock *lock)
{
    uint32_t ticket = proa_atomic_load(&lock->serving, PROA_RELAXED);

    proa_atomic_store(&lock->serving, ticket + 1, PROA_RELEASE);
    proa_doorbell_ring(&lock->bell);
}

/* Counts one more reader, which is inside as soon as no writer is. The reader is at the head of the
 * queue, or bypasses writers that only wait (sync/bypass.h). Its count keeps the writer at the head
 * out. */
static inline void proa_rwlock_read_enter(struct proa_rwlock *lock)
{
    proa_atomic_fetch_add(&lock->state, PROA_RW_READER, PROA_ACQUIRE);
}

/* Gives way to the writer inside, or at the head of the queue: takes the reader's count back. */
static inline void proa_rwlock_read_give_way(struct proa_rwlock *lock)
{
    proa_atomic_fetch_sub(&lock->state, PROA_RW_READER, PROA_RELAXED);
    proa_doorbell_ring(&lock->bell); /* this may be what the writer at the head waits for */
}

/* A writer at the head of the queue announces itself. */
static inline void proa_rwlock_write_announce(struct proa_rwlock *lock)
{
    proa_atomic_fetch_or(&lock->state, PROA_RW_WANTED, PROA_SEQ_CST);
}

/* The announced writer goes inside if no process is: 1; or 0, a process is. Sequentially
 * consistent, as in proa_rwlock_write_try. */
static inline int proa_rwlock_write_enter(struct proa_rwlock *lock)
{
    uint32_t expected = PROA_RW_WANTED;

    return proa_atomic_compare_exchange(&lock->state, &expected, PROA_RW_HELD, PROA_SEQ_CST,
                                        PROA_SEQ_CST) != 0;
}

/* The writer, which may not be inside yet, returns to the head of the queue: only the head sets
 * WANTED. In one step, so that no process finds the lock free. Relaxed: it has touched nothing, and
 * enters anew. */
static inline void proa_rwlock_write_step_back(struct proa_rwlock *lock)
{
    proa_atomic_fetch_add(&lock->state, PROA_RW_WANTED - PROA_RW_HELD, PROA_RELAXED);
    proa_doorbell_ring(&lock->bell);
}

/* ---- looks ---- */

/* Is this ticket at the head of the queue? */
static inline int proa_rwlock_is_turn(const struct proa_rwlock *lock, uint32_t ticket)
{
    return proa_atomic_load(&lock->serving, PROA_ACQUIRE) == ticket;
}

/* For a counted reader: is it inside? Acquires; partner: the release in the unlock. */
static inline int proa_rwlock_no_writer_inside(const struct proa_rwlock *lock)
{
    return !(proa_atomic_load(&lock->state, PROA_ACQUIRE) & PROA_RW_HELD);
}

/* For an announced writer: is no process inside? */
static inline int proa_rwlock_nobody_inside(const struct proa_rwlock *lock)
{
    return proa_atomic_load(&lock->state, PROA_ACQUIRE) == PROA_RW_WANTED;
}

/* Is a writer inside, or is the lock broken; or, with waiting_too, is a writer at the head of the
 * queue? Sequentially consistent: the caller may have counted itself among the lock_alls before
 * (sync/lock.c). */
static inline int proa_rwlock_has_writer(const struct proa_rwlock *lock, int waiting_too)
{
    return (proa_atomic_load(&lock->state, PROA_SEQ_CST) &
            (waiting_too ? PROA_RW_HELD | PROA_RW_WANTED | PROA_RW_BROKEN
                         : PROA_RW_HELD | PROA_RW_BROKEN)) != 0;
}

/* Counts a waiter outside of the queue: 1, it begins to wait; -1, it has ended. Partners:
 * proa_rwlock_is_wanted, proa_rwlock_write_unlock. */
static inline void proa_rwlock_outside(struct proa_rwlock *lock, int change)
{
    proa_atomic_fetch_add(&lock->outside, (uint32_t)change, PROA_SEQ_CST);
}

/* Is there a waiter: in the queue, at its head, or outside of it? */
static inline int proa_rwlock_is_wanted(const struct proa_rwlock *lock)
{
    return (proa_atomic_load(&lock->state, PROA_RELAXED) & PROA_RW_WANTED) ||
           proa_atomic_load(&lock->tickets, PROA_RELAXED) !=
               proa_atomic_load(&lock->serving, PROA_RELAXED) ||
           proa_atomic_load(&lock->outside, PROA_RELAXED) != 0;
}

/* ---- after a death (sync/claims.h) ---- */

/* Sequentially consistent: the process that breaks it goes on to look at claims. */
static inline void proa_rwlock_break(struct proa_rwlock *lock)
{
    proa_atomic_fetch_or(&lock->state, PROA_RW_BROKEN, PROA_SEQ_CST);
}

static inline int proa_rwlock_is_broken(const struct proa_rwlock *lock)
{
    return (proa_atomic_load(&lock->state, PROA_SEQ_CST) & PROA_RW_BROKEN) != 0;
}

/* Counts a holder of a broken lock in; the unlock counts it out. */
static inline void proa_rwlock_count(struct proa_rwlock *lock, int exclusive)
{
    proa_atomic_fetch_add(&lock->state, exclusive ? PROA_RW_HELD : PROA_RW_READER, PROA_SEQ_CST);
}

/* ---- taking and giving back ---- */

/* Takes the lock shared if no writer is inside or at the head of the queue. Returns whether it was
 * taken. Acquires; partner: the release in the unlocks. Releases the claim (sync/claims.h). */
static inline int proa_rwlock_read_try(struct proa_rwlock *lock)
{
    uint32_t before = proa_atomic_fetch_add(&lock->state, PROA_RW_READER, PROA_ACQ_REL);

    if (__builtin_expect((before & (PROA_RW_HELD | PROA_RW_WANTED | PROA_RW_BROKEN)) == 0, 1))
        return 1;
    proa_rwlock_read_give_way(lock);
    return 0;
}

/* Takes the lock exclusive if it is free. Returns whether it was. Sequentially consistent: the
 * caller may go on to look at the lock_all count. */
static inline int proa_rwlock_write_try(struct proa_rwlock *lock)
{
    uint32_t expected = 0;

    return __builtin_expect(proa_atomic_compare_exchange(&lock->state, &expected, PROA_RW_HELD,
                                                         PROA_SEQ_CST, PROA_SEQ_CST),
                            1) != 0;
}

/* Rings only where a waiter may need it: the writer at the head of the queue; any, once the lock is
 * broken. */
static inline void proa_rwlock_read_unlock(struct proa_rwlock *lock)
{
    if (__builtin_expect(proa_atomic_sub_fetch(&lock->state, PROA_RW_READER, PROA_RELEASE) &
                             (PROA_RW_WANTED | PROA_RW_BROKEN),
                         0))
        proa_doorbell_ring(&lock->bell);
}

/* Rings for the head of the queue, counted or announced; or for a waiter outside, which counts
 * itself before it looks (both sequentially consistent). Other waiters in the queue wait for their
 * turn. */
static inline void proa_rwlock_write_unlock(struct proa_rwlock *lock)
{
    if (__builtin_expect(proa_atomic_sub_fetch(&lock->state, PROA_RW_HELD, PROA_SEQ_CST) != 0 ||
                             proa_atomic_load(&lock->outside, PROA_SEQ_CST) != 0,
                         0))
        proa_doorbell_ring(&lock->bell);
}

#endif
