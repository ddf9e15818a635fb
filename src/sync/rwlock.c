/* SPDX-License-Identifier: BSD-3-Clause */
/* See rwlock.h. */
#include "sync/rwlock.h"

uint32_t proa_rwlock_draw(struct proa_rwlock *lock)
{
    return __atomic_fetch_add(&lock->tickets, 1, __ATOMIC_RELAXED);
}

/* Only the head writes serving, so a plain add is enough; its release pairs with the acquire in
 * proa_rwlock_is_turn. */
void proa_rwlock_leave_queue(struct proa_rwlock *lock)
{
    uint32_t ticket = __atomic_load_n(&lock->serving, __ATOMIC_RELAXED);

    __atomic_store_n(&lock->serving, ticket + 1, __ATOMIC_RELEASE);
    proa_doorbell_ring(&lock->bell);
}

void proa_rwlock_read_enter(struct proa_rwlock *lock)
{
    __atomic_fetch_add(&lock->state, PROA_RW_READER, __ATOMIC_ACQUIRE);
}

void proa_rwlock_read_give_way(struct proa_rwlock *lock)
{
    __atomic_fetch_sub(&lock->state, PROA_RW_READER, __ATOMIC_RELAXED);
    proa_doorbell_ring(&lock->bell); /* this may be what the writer at the head waits for */
}

void proa_rwlock_write_announce(struct proa_rwlock *lock)
{
    __atomic_fetch_or(&lock->state, PROA_RW_WANTED, __ATOMIC_SEQ_CST);
}

int proa_rwlock_write_enter(struct proa_rwlock *lock)
{
    uint32_t expected = PROA_RW_WANTED;

    return __atomic_compare_exchange_n(&lock->state, &expected, PROA_RW_HELD, 0, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST) != 0;
}

/* In one step, so that no process finds the lock free. Only the head of the queue sets WANTED, and
 * this writer is still the head. */
void proa_rwlock_write_step_back(struct proa_rwlock *lock)
{
    __atomic_fetch_add(&lock->state, PROA_RW_WANTED - PROA_RW_HELD, __ATOMIC_SEQ_CST);
    proa_doorbell_ring(&lock->bell);
}
