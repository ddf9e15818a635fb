/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of limit share. */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include "team.h"

enum {
    SMALL = 65536,
    MIDDLE = 1048576,
    LARGE = 4194304,
    RATE_WORDS = 1000,
    VECTOR_BLOCKS = 1000,
    RING = 8
};

/* As words: stored to, or read, each time; or for atomics. */
static inline volatile uint64_t *limit_word_of(char *memory)
{
    return (volatile uint64_t *)(void *)memory;
}

static inline uint64_t *limit_atomic_word_of(char *memory)
{
    return (uint64_t *)(void *)memory;
}

static inline void limit_full_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The least that a lock has to be: two atomics. */
static inline void limit_lock(struct team *team)
{
    __atomic_fetch_add(&team->board->lock.value, 1, __ATOMIC_SEQ_CST);
}

static inline void limit_unlock(struct team *team)
{
    __atomic_fetch_sub(&team->board->lock.value, 1, __ATOMIC_SEQ_CST);
}

/* limit_kernel.c: that many bytes to the target's private memory, or from it; ends the process if
 * the kernel does not do it. */
void limit_kernel_write(const struct team *team, void *from, size_t bytes);
void limit_kernel_read(const struct team *team, void *to, size_t bytes);

/* limit_epochs.c: two flags. */
void limit_barrier_of_two(struct team *team);

/* limit_bulk.c: so many integers of 8 bytes, under the lock. */
void limit_accumulate_integers(struct team *team, long n, int count);

/* The bodies, by the file that has them. All iterate n times. */
/* limit_small.c */
team_body limit_compare_exchange, limit_fetch_add, limit_get, limit_kernel_fetch_add,
    limit_kernel_get, limit_kernel_put, limit_lock_kernel_put, limit_lock_only, limit_lock_put,
    limit_put;
/* limit_epochs.c */
team_body limit_barrier_put_barrier, limit_kernel_put_barrier, limit_kernel_put_there_and_back,
    limit_put_barrier, limit_put_there_and_back, limit_flagged_there_and_back, limit_ring_barrier,
    limit_ring_neighbours, limit_there_and_back;
/* limit_waited.c */
team_body limit_waited_reaction;
/* limit_bulk.c */
team_body limit_accumulate_1024, limit_accumulate_16, limit_accumulate_64k,
    limit_accumulate_indexed, limit_accumulate_vector, limit_add_many, limit_get_4m, limit_get_many,
    limit_kernel_accumulate_64k, limit_kernel_accumulate_indexed, limit_kernel_accumulate_vector,
    limit_kernel_get_4m, limit_kernel_put_64k, limit_kernel_put_indexed, limit_put_64k,
    limit_put_indexed, limit_put_many, limit_put_vector, limit_put_vector_both;
/* limit_sizes.c */
team_body limit_accumulate_size, limit_get_both, limit_get_size, limit_kernel_get_size,
    limit_kernel_put_barrier_size, limit_kernel_put_size, limit_lock_kernel_put_size,
    limit_lock_put_size, limit_put_barrier_size, limit_put_both, limit_put_size;

#endif
