/* SPDX-License-Identifier: BSD-3-Clause */
/* See rwlock.h. */
#include "core/rwlock.h"

uint32_t proa_rwlock_draw(struct proa_rwlock *lock)
{
    return atomic_fetch_add_explicit(&lock->tickets, 1, memory_order_relaxed);
}

/* Only the head writes serving, so a plain add is enough; its release pairs with the acquire in
 * proa_rwlock_is_turn. */
void proa_rwlock_leave_queue(struct proa_rwlock *lock, struct proa_bell *bell)
{
    uint32_t ticket = atomic_load_explicit(&lock->serving, memory_order_relaxed);

    atomic_store_explicit(&lock->serving, ticket + 1, memory_order_release);
    proa_bell_ring(bell);
}

void proa_rwlock_read_enter(struct proa_rwlock *lock)
{
    atomic_fetch_add_explicit(&lock->state, PROA_RW_READER, memory_order_acquire);
}

void proa_rwlock_read_give_way(struct proa_rwlock *lock, struct proa_bell *bell)
{
    atomic_fetch_sub_explicit(&lock->state, PROA_RW_READER, memory_order_relaxed);
    proa_bell_ring(bell); /* this may be what the writer at the head waits for */
}

void proa_rwlock_write_announce(struct proa_rwlock *lock)
{
    atomic_fetch_or(&lock->state, PROA_RW_WANTED);
}

int proa_rwlock_write_enter(struct proa_rwlock *lock)
{
    uint32_t expected = PROA_RW_WANTED;

    return atomic_compare_exchange_strong(&lock->state, &expected, PROA_RW_HELD) != 0;
}

/* In one step, so that nobody finds the lock free. Only the head of the queue sets WANTED, and that
 * is still us. */
void proa_rwlock_write_step_back(struct proa_rwlock *lock, struct proa_bell *bell)
{
    atomic_fetch_add(&lock->state, PROA_RW_WANTED - PROA_RW_HELD);
    proa_bell_ring(bell);
}
