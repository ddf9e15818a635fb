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
void proa_rwlock_write_queued(struct proa_rwlock *lock, struct proa_bell *bell);

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

/* Takes the lock exclusive. Sequentially consistent: the caller may go on to look at the lock_all count (core/passive.c). */
static inline void proa_rwlock_write(struct proa_rwlock *lock, struct proa_bell *bell)
{
    uint32_t expected = 0;

    if (__builtin_expect(!atomic_compare_exchange_strong(&lock->state, &expected, PROA_RW_HELD), 0))
        proa_rwlock_write_queued(lock, bell);
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

/* Is a writer inside, or at the head of the queue? Used by lock_all, after its own sequentially consistent announcement. */
static inline int proa_rwlock_has_writer(const struct proa_rwlock *lock)
{
    return (atomic_load(&lock->state) & (PROA_RW_HELD | PROA_RW_WANTED)) != 0;
}

/* Is anyone inside at all? */
static inline int proa_rwlock_is_held(const struct proa_rwlock *lock)
{
    return (atomic_load_explicit(&lock->state, memory_order_relaxed) & ~(uint32_t)PROA_RW_WANTED) != 0;
}

#endif
