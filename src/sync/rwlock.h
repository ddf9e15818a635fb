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

/* ---- the queue: these functions do not wait; sync/lock.c waits between them ---- */

/* Returns a new ticket. The waiter whose ticket equals `serving` is at the head of the queue. It
 * leaves the queue once it is inside. */
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
 * queue, or bypasses writers that only wait (sync/bypass.h). Its count excludes the writer at the
 * head. */
static inline void proa_rwlock_read_enter(struct proa_rwlock *lock)
{
    proa_atomic_fetch_add(&lock->state, PROA_RW_READER, PROA_ACQUIRE);
}

/* Withdraws the reader's count, to give way to the writer inside or at the head of the queue. */
static inline void proa_rwlock_read_give_way(struct proa_rwlock *lock)
{
    proa_atomic_fetch_sub(&lock->state, PROA_RW_READER, PROA_RELAXED);
    proa_doorbell_ring(&lock->bell); /* this may be what the writer at the head waits for */
}

/* Announces the writer at the head of the queue. */
static inline void proa_rwlock_write_announce(struct proa_rwlock *lock)
{
    proa_atomic_fetch_or(&lock->state, PROA_RW_WANTED, PROA_SEQ_CST);
}

/* Lets the announced writer in if no process is inside. Returns whether it is inside now.
 * Sequentially consistent, as in proa_rwlock_write_try. */
static inline int proa_rwlock_write_enter(struct proa_rwlock *lock)
{
    uint32_t expected = PROA_RW_WANTED;

    return proa_atomic_compare_exchange(&lock->state, &expected, PROA_RW_HELD, PROA_SEQ_CST,
                                        PROA_SEQ_CST) != 0;
}

/* Moves the writer, which may not enter yet, back to the head of the queue; only the head sets
 * WANTED. It is one atomic, so that no process finds the lock free. Relaxed: the writer has
 * accessed no memory, and enters again later. */
static inline void proa_rwlock_write_step_back(struct proa_rwlock *lock)
{
    proa_atomic_fetch_add(&lock->state, PROA_RW_WANTED - PROA_RW_HELD, PROA_RELAXED);
    proa_doorbell_ring(&lock->bell);
}

/* ---- checks ---- */

/* Returns whether this ticket is at the head of the queue. */
static inline int proa_rwlock_is_turn(const struct proa_rwlock *lock, uint32_t ticket)
{
    return proa_atomic_load(&lock->serving, PROA_ACQUIRE) == ticket;
}

/* For a counted reader: returns whether it is inside. Acquires; partner: the release in the
 * unlock. */
static inline int proa_rwlock_no_writer_inside(const struct proa_rwlock *lock)
{
    return !(proa_atomic_load(&lock->state, PROA_ACQUIRE) & PROA_RW_HELD);
}

/* For an announced writer: returns whether no process is inside. */
static inline int proa_rwlock_nobody_inside(const struct proa_rwlock *lock)
{
    return proa_atomic_load(&lock->state, PROA_ACQUIRE) == PROA_RW_WANTED;
}

/* Returns whether a writer is inside or the lock is broken. waiting_too: 1 to include a writer at
 * the head of the queue. Sequentially consistent: the caller may have counted itself among the
 * lock_alls before (sync/lock.c). */
static inline int proa_rwlock_has_writer(const struct proa_rwlock *lock, int waiting_too)
{
    return (proa_atomic_load(&lock->state, PROA_SEQ_CST) &
            (waiting_too ? PROA_RW_HELD | PROA_RW_WANTED | PROA_RW_BROKEN
                         : PROA_RW_HELD | PROA_RW_BROKEN)) != 0;
}

/* Counts a waiter outside the queue. change: 1 at the start of its wait, -1 at the end. Partners:
 * proa_rwlock_is_wanted, proa_rwlock_write_unlock. */
static inline void proa_rwlock_outside(struct proa_rwlock *lock, int change)
{
    proa_atomic_fetch_add(&lock->outside, (uint32_t)change, PROA_SEQ_CST);
}

/* Returns whether there is a waiter in the queue, at its head, or outside it. */
static inline int proa_rwlock_is_wanted(const struct proa_rwlock *lock)
{
    return (proa_atomic_load(&lock->state, PROA_RELAXED) & PROA_RW_WANTED) ||
           proa_atomic_load(&lock->tickets, PROA_RELAXED) !=
               proa_atomic_load(&lock->serving, PROA_RELAXED) ||
           proa_atomic_load(&lock->outside, PROA_RELAXED) != 0;
}

/* ---- after a death (sync/claims.h) ---- */

/* Sequentially consistent: the process that breaks the lock then reads claims. */
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

/* ---- acquiring and releasing ---- */

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

/* Takes the lock exclusive if it is free. Returns whether it was taken. Sequentially consistent:
 * the caller may then read the lock_all count. */
static inline int proa_rwlock_write_try(struct proa_rwlock *lock)
{
    uint32_t expected = 0;

    return __builtin_expect(proa_atomic_compare_exchange(&lock->state, &expected, PROA_RW_HELD,
                                                         PROA_SEQ_CST, PROA_SEQ_CST),
                            1) != 0;
}

/* Rings only if a waiter may need it: the writer at the head of the queue, or any waiter once the
 * lock is broken. */
static inline void proa_rwlock_read_unlock(struct proa_rwlock *lock)
{
    if (__builtin_expect(proa_atomic_sub_fetch(&lock->state, PROA_RW_READER, PROA_RELEASE) &
                             (PROA_RW_WANTED | PROA_RW_BROKEN),
                         0))
        proa_doorbell_ring(&lock->bell);
}

/* Rings for the head of the queue, counted or announced, or for a waiter outside, which counts
 * itself before it checks (both sequentially consistent). Other waiters in the queue await their
 * turn. */
static inline void proa_rwlock_write_unlock(struct proa_rwlock *lock)
{
    if (__builtin_expect(proa_atomic_sub_fetch(&lock->state, PROA_RW_HELD, PROA_SEQ_CST) != 0 ||
                             proa_atomic_load(&lock->outside, PROA_SEQ_CST) != 0,
                         0))
        proa_doorbell_ring(&lock->bell);
}

#endif
