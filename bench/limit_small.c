/* SPDX-License-Identifier: BSD-3-Clause */
/* What limit does with 8 bytes, and with locks (limit.h). */
#include "limit.h"

void limit_put(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        *limit_word_of(team->memory) = ++team->counter;
        limit_full_fence();
    }
}

void limit_kernel_put(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        team->counter++;
        limit_kernel_write(team, &team->counter, sizeof team->counter);
    }
}

void limit_get(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        *limit_word_of(team->local) = *limit_word_of(team->memory);
}

void limit_kernel_get(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        limit_kernel_read(team, team->local, sizeof(uint64_t));
}

void limit_fetch_add(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        *limit_word_of(team->local) =
            __atomic_fetch_add(limit_atomic_word_of(team->memory), 1, __ATOMIC_SEQ_CST);
}

/* Read, change, write: atomic among processes that keep to the lock. */
void limit_kernel_fetch_add(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        uint64_t value;

        limit_lock(team);
        limit_kernel_read(team, &value, sizeof value);
        value++;
        limit_kernel_write(team, &value, sizeof value);
        limit_unlock(team);
    }
}

void limit_compare_exchange(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        uint64_t expected = team->counter;

        team->counter +=
            __atomic_compare_exchange_n(limit_atomic_word_of(team->memory), &expected,
                                        team->counter + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

void limit_lock_put(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_lock(team);
        *limit_word_of(team->memory) = ++team->counter;
        limit_unlock(team);
    }
}

void limit_lock_kernel_put(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_lock(team);
        limit_kernel_put(team, 1);
        limit_unlock(team);
    }
}

void limit_lock_only(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_lock(team);
        limit_unlock(team);
    }
}
