/* The queue of rwlock.h: what happens when the lock is not free. */
#include "core/rwlock.h"

struct turn {
    struct proa_rwlock *lock;
    uint32_t ticket;
};

static int turn_has_come(void *arg)
{
    const struct turn *turn = arg;

    return atomic_load_explicit(&turn->lock->serving, memory_order_acquire) == turn->ticket;
}

static int no_writer_inside(void *arg)
{
    const struct proa_rwlock *lock = arg;

    return !(atomic_load_explicit(&lock->state, memory_order_acquire) & PROA_RW_HELD);
}

static int nobody_inside(void *arg)
{
    const struct proa_rwlock *lock = arg;

    return atomic_load_explicit(&lock->state, memory_order_acquire) == PROA_RW_WANTED;
}

static void queue_enter(struct proa_rwlock *lock, struct proa_bell *bell)
{
    struct turn turn = {lock, atomic_fetch_add_explicit(&lock->tickets, 1, memory_order_relaxed)};

    if (!turn_has_come(&turn))
        proa_wait(turn_has_come, &turn, bell);
}

/* Only the head writes serving, so a plain add is enough; its release pairs with the acquire in turn_has_come. */
static void queue_leave(struct proa_rwlock *lock, struct proa_bell *bell)
{
    uint32_t ticket = atomic_load_explicit(&lock->serving, memory_order_relaxed);

    atomic_store_explicit(&lock->serving, ticket + 1, memory_order_release);
    proa_bell_ring(bell);
}

void proa_rwlock_read_give_way(struct proa_rwlock *lock, struct proa_bell *bell)
{
    atomic_fetch_sub_explicit(&lock->state, PROA_RW_READER, memory_order_relaxed);
    proa_bell_ring(bell); /* this may be what the writer at the head waits for */
}

void proa_rwlock_read_queued(struct proa_rwlock *lock, struct proa_bell *bell)
{
    queue_enter(lock, bell);
    atomic_fetch_add_explicit(&lock->state, PROA_RW_READER, memory_order_acquire);
    if (!no_writer_inside(lock))
        proa_wait(no_writer_inside, lock, bell);
    queue_leave(lock, bell);
}

void proa_rwlock_write_queue(struct proa_rwlock *lock, struct proa_bell *bell)
{
    queue_enter(lock, bell);
    atomic_fetch_or(&lock->state, PROA_RW_WANTED);
}

/* WANTED becomes HELD. Sequentially consistent, as in proa_rwlock_write_try. */
void proa_rwlock_write_enter(struct proa_rwlock *lock, struct proa_bell *bell)
{
    uint32_t expected;

    do {
        if (!nobody_inside(lock))
            proa_wait(nobody_inside, lock, bell);
        expected = PROA_RW_WANTED;
    } while (!atomic_compare_exchange_strong(&lock->state, &expected, PROA_RW_HELD));
}

/* In one step, so that nobody finds the lock free. Only the head of the queue sets WANTED, and that is still us. */
void proa_rwlock_write_step_back(struct proa_rwlock *lock, struct proa_bell *bell)
{
    atomic_fetch_add(&lock->state, PROA_RW_WANTED - PROA_RW_HELD);
    proa_bell_ring(bell);
}

void proa_rwlock_write_leave_queue(struct proa_rwlock *lock, struct proa_bell *bell)
{
    queue_leave(lock, bell);
}

/* Our count keeps the writer at the head of the queue out once the one inside, if any, has left. */
void proa_rwlock_read_ahead(struct proa_rwlock *lock, struct proa_bell *bell)
{
    atomic_fetch_add_explicit(&lock->state, PROA_RW_READER, memory_order_acquire);
    if (!no_writer_inside(lock))
        proa_wait(no_writer_inside, lock, bell);
}
