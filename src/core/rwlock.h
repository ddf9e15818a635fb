/*
 * A fair reader-writer lock between processes.
 *
 * Algorithm: the queued reader-writer lock of W. Long (Linux kernel, kernel/locking/qrwlock.c). Free, it is taken by one atomic and released
 * by one. Whoever finds it taken draws a ticket; only the head of the queue watches the lock itself. The head announces itself (a writer by
 * WANTED, a reader by its count), which stops newcomers from overtaking, so that neither readers nor writers starve.
 */
#ifndef PROA_CORE_RWLOCK_H
#define PROA_CORE_RWLOCK_H

#include "base/wait.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PROA_RW_HELD = 1, PROA_RW_WANTED = 2, PROA_RW_READER = 4 };

struct proa_rwlock {
    _Atomic uint32_t state;   /* PROA_RW_HELD by a writer | PROA_RW_WANTED by the queue's head | readers * PROA_RW_READER */
    _Atomic uint32_t tickets; /* drawn */
    _Atomic uint32_t serving; /* the ticket at the head of the queue */
};

void proa_rwlock_read_queued(struct proa_rwlock *lock, struct proa_bell *bell);

/* The way of a writer through the queue, in steps, for one who has to look at something else as well before it enters (core/passive.c):
 * to the head of the queue, where it announces itself; inside, when all have left; back to the head if it may not be inside yet; and out of
 * the queue, inside for good. */
void proa_rwlock_write_queue(struct proa_rwlock *lock, struct proa_bell *bell);
void proa_rwlock_write_enter(struct proa_rwlock *lock, struct proa_bell *bell);
void proa_rwlock_write_step_back(struct proa_rwlock *lock, struct proa_bell *bell);
void proa_rwlock_write_leave_queue(struct proa_rwlock *lock, struct proa_bell *bell);

/* Takes the lock shared ahead of writers that only wait: for a process that holds other locks, for which such a writer, or one who waits for
 * it, may be waiting in turn. Writers do not starve by it, as those who hold locks come to an end. */
void proa_rwlock_read_ahead(struct proa_rwlock *lock, struct proa_bell *bell);

/* Takes the lock shared. bell: rung by every release. Acquires; its partner is the release in the unlocks. */
static inline void proa_rwlock_read(struct proa_rwlock *lock, struct proa_bell *bell)
{
    uint32_t before = atomic_fetch_add_explicit(&lock->state, PROA_RW_READER, memory_order_acquire);

    if (__builtin_expect(before & (PROA_RW_HELD | PROA_RW_WANTED), 0))
        proa_rwlock_read_queued(lock, bell);
}

/* Takes the lock exclusive if it is free. Was it? Sequentially consistent: the caller may go on to look at the lock_all count. */
static inline int proa_rwlock_write_try(struct proa_rwlock *lock)
{
    uint32_t expected = 0;

    return __builtin_expect(atomic_compare_exchange_strong(&lock->state, &expected, PROA_RW_HELD), 1) != 0;
}

static inline void proa_rwlock_read_unlock(struct proa_rwlock *lock, struct proa_bell *bell)
{
    atomic_fetch_sub_explicit(&lock->state, PROA_RW_READER, memory_order_release);
    proa_bell_ring(bell);
}

static inline void proa_rwlock_write_unlock(struct proa_rwlock *lock, struct proa_bell *bell)
{
    atomic_fetch_sub_explicit(&lock->state, PROA_RW_HELD, memory_order_release);
    proa_bell_ring(bell);
}

#endif
