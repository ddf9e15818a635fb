/* SPDX-License-Identifier: BSD-3-Clause */
/* What limit does with team->bytes, by the size of a case (limit.h). */
#include "limit.h"

#include <string.h>

void limit_put_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        *limit_word_of(team->local) = ++team->counter;
        memcpy(team->memory, team->local, team->bytes);
        limit_full_fence();
    }
}

void limit_get_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        memcpy(team->local, team->memory, team->bytes);
        limit_full_fence();
    }
}

void limit_accumulate_size(struct team *team, long n)
{
    int count = (int)(team->bytes / sizeof(uint64_t));

    if (count > 1)
        limit_accumulate_integers(team, n, count);
    else
        limit_fetch_add(team, n);
}

void limit_kernel_put_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        limit_kernel_write(team, team->local, team->bytes);
}

void limit_kernel_get_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        limit_kernel_read(team, team->local, team->bytes);
}

/* Each to its half, for the other one; all have to be done. */
void limit_put_both(struct team *team, long n)
{
    size_t bytes = team->bytes / 2;

    for (long i = 0; i < n; i++) {
        memcpy(team->memory + (size_t)team->rank * bytes, team->local, bytes);
        limit_full_fence();
    }
    team_barrier(team);
}

void limit_get_both(struct team *team, long n)
{
    size_t bytes = team->bytes / 2;

    for (long i = 0; i < n; i++) {
        memcpy(team->local, team->memory + (size_t)team->rank * bytes, bytes);
        limit_full_fence();
    }
    team_barrier(team);
}

void limit_lock_put_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_lock(team);
        memcpy(team->memory, team->local, team->bytes);
        limit_unlock(team);
    }
}

void limit_lock_kernel_put_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_lock(team);
        limit_kernel_write(team, team->local, team->bytes);
        limit_unlock(team);
    }
}

void limit_kernel_put_barrier_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_kernel_write(team, team->local, team->bytes);
        limit_barrier_of_two(team);
    }
}

void limit_put_barrier_size(struct team *team, long n)
{
    size_t bytes = team->bytes / 2;

    for (long i = 0; i < n; i++) {
        memcpy(team->memory + (size_t)team->rank * bytes, team->local, bytes);
        limit_barrier_of_two(team);
    }
}
