/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit: what the same work takes when it is written by hand for processes that share memory,
 * without MPI. The cases have the names of rma's; those that need an MPI to make sense are missing.
 * Nothing here checks an argument, keeps an epoch or is fair: it is a bound, not a rival.
 */
#define _GNU_SOURCE
#include "irregular.h"
#include "options.h"
#include "team.h"
#include "together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum {
    SMALL = 65536,
    MIDDLE = 1048576,
    LARGE = 4194304,
    RATE_WORDS = 1000,
    VECTOR_BLOCKS = 1000,
    RING = 8
};

/* Vector loops may use what the processor has, not only what every processor of its kind has. The
 * choice is made while the program is loaded, too early for ThreadSanitizer. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define WIDEST __attribute__((target_clones("default", "avx2")))
#else
#define WIDEST
#endif

static volatile uint64_t *word_of(char *memory)
{
    return (volatile uint64_t *)(void *)memory;
}

static uint64_t *atomic_word_of(char *memory)
{
    return (uint64_t *)(void *)memory;
}

static void full_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void lock(struct team *team)
{
    __atomic_fetch_add(&team->board->lock.value, 1, __ATOMIC_SEQ_CST);
}

static void unlock(struct team *team)
{
    __atomic_fetch_sub(&team->board->lock.value, 1, __ATOMIC_SEQ_CST);
}

/* ---- memory of the target that only the kernel reaches ---- */

typedef ssize_t vm_call(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                        unsigned long, unsigned long);

static void kernel_copy(const struct team *team, vm_call *copy, void *local, size_t bytes)
{
    struct iovec here = {local, bytes}, there = {team->private_memory, bytes};
    int target = (team->rank + 1) % team->size;

    if (copy(team->board->pid[target], &here, 1, &there, 1, 0) != (ssize_t)bytes) {
        perror("limit: process_vm_readv or writev");
        exit(1);
    }
}

static void kernel_write(const struct team *team, void *from, size_t bytes)
{
    kernel_copy(team, process_vm_writev, from, bytes);
}

static void kernel_read(const struct team *team, void *to, size_t bytes)
{
    kernel_copy(team, process_vm_readv, to, bytes);
}

/* ---- 8 bytes ---- */

static void put(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        *word_of(team->memory) = ++team->counter;
        full_fence();
    }
}

static void kernel_put(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        team->counter++;
        kernel_write(team, &team->counter, sizeof team->counter);
    }
}

static void get(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        *word_of(team->local) = *word_of(team->memory);
}

static void kernel_get(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        kernel_read(team, team->local, sizeof(uint64_t));
}

static void fetch_add(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        *word_of(team->local) =
            __atomic_fetch_add(atomic_word_of(team->memory), 1, __ATOMIC_SEQ_CST);
}

/* Read, change, write: atomic for those who keep to the lock. */
static void kernel_fetch_add(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        uint64_t value;

        lock(team);
        kernel_read(team, &value, sizeof value);
        value++;
        kernel_write(team, &value, sizeof value);
        unlock(team);
    }
}

static void compare_exchange(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        uint64_t expected = team->counter;

        team->counter +=
            __atomic_compare_exchange_n(atomic_word_of(team->memory), &expected, team->counter + 1,
                                        0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

static void lock_put(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        lock(team);
        *word_of(team->memory) = ++team->counter;
        unlock(team);
    }
}

static void lock_kernel_put(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        lock(team);
        kernel_put(team, 1);
        unlock(team);
    }
}

static void lock_only(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        lock(team);
        unlock(team);
    }
}

/* ---- together ---- */

static void barrier_of_two(struct team *team)
{
    struct word *reached = team->board->reached;
    uint64_t number = ++team->counter;

    team_tell(&reached[team->rank], number);
    team_wait(team, &reached[1 - team->rank], number);
}

static void there_and_back_once(struct team *team)
{
    struct word *reached = team->board->reached;
    uint64_t number = ++team->counter;

    if (team->rank == 1)
        team_wait(team, &reached[0], number);
    team_tell(&reached[team->rank], number);
    if (team->rank == 0)
        team_wait(team, &reached[1], number);
}

/* A word for the other process, in the shared memory. */
static void store_for_next(struct team *team)
{
    size_t next = (size_t)((team->rank + 1) % team->size);

    *word_of(team->memory + next * LINE) = team->counter;
}

static void there_and_back(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        there_and_back_once(team);
}

static void put_there_and_back(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        store_for_next(team);
        there_and_back_once(team);
    }
}

static void kernel_put_there_and_back(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        kernel_write(team, &team->counter, sizeof team->counter);
        there_and_back_once(team);
    }
}

static void put_barrier(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        store_for_next(team);
        barrier_of_two(team);
    }
}

static void kernel_put_barrier(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        kernel_write(team, &team->counter, sizeof team->counter);
        barrier_of_two(team);
    }
}

static void barrier_put_barrier(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        barrier_of_two(team);
        store_for_next(team);
        barrier_of_two(team);
    }
}

static void ring_barrier(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        store_for_next(team);
        team_barrier(team);
    }
}

/* Post to the process before, put to the next once it has posted, tell it, wait for the process
 * before. */
static void ring_neighbours(struct team *team, long n)
{
    struct board *board = team->board;
    int next = (team->rank + 1) % team->size, before = (team->rank + team->size - 1) % team->size;

    for (long i = 0; i < n; i++) {
        uint64_t number = ++team->counter;

        team_tell(&board->posted[before], number);
        team_wait(team, &board->posted[team->rank], number);
        store_for_next(team);
        team_tell(&board->completed[next], number);
        team_wait(team, &board->completed[team->rank], number);
    }
}

/* ---- more than 8 bytes ---- */

static void put_64k(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        *word_of(team->local) = ++team->counter;
        memcpy(team->memory, team->local, SMALL);
        full_fence();
    }
}

static void kernel_put_64k(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        kernel_write(team, team->local, SMALL);
}

static void get_4m(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        memcpy(team->local, team->memory, LARGE);
        full_fence();
    }
}

static void kernel_get_4m(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        kernel_read(team, team->local, LARGE);
}

static void put_many(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        long which = i % RATE_WORDS;

        word_of(team->memory)[which] = word_of(team->local)[which];
        if (which == RATE_WORDS - 1)
            full_fence();
    }
    full_fence();
}

WIDEST static void scatter(uint64_t *restrict to, const uint64_t *restrict from, size_t from_stride)
{
    for (size_t i = 0; i < VECTOR_BLOCKS; i++)
        to[2 * i] = from[from_stride * i];
}

static void put_strided(struct team *team, long n, size_t from_stride)
{
    for (long i = 0; i < n; i++) {
        *word_of(team->local) = ++team->counter;
        scatter((uint64_t *)(void *)team->memory, (const uint64_t *)(const void *)team->local,
                from_stride);
        full_fence();
    }
}

static void put_vector(struct team *team, long n)
{
    put_strided(team, n, 1);
}

static void put_vector_both(struct team *team, long n)
{
    put_strided(team, n, 2);
}

static const int *irregular(void)
{
    static int at[VECTOR_BLOCKS];

    irregular_words(at, VECTOR_BLOCKS);
    return at;
}

static void put_indexed(struct team *team, long n)
{
    const int *at = irregular();

    for (long i = 0; i < n; i++) {
        *word_of(team->local) = ++team->counter;
        for (int k = 0; k < VECTOR_BLOCKS; k++)
            word_of(team->memory)[at[k]] = word_of(team->local)[k];
        full_fence();
    }
}

/* One call, to as many places. */
static void kernel_scatter(const struct team *team, char *from, int from_step, const int *at)
{
    struct iovec here[VECTOR_BLOCKS], there[VECTOR_BLOCKS];
    int target = (team->rank + 1) % team->size;

    for (int k = 0; k < VECTOR_BLOCKS; k++) {
        size_t place = sizeof(uint64_t) * (size_t)at[k];

        here[k].iov_base = from + (from_step ? place : sizeof(uint64_t) * (size_t)k);
        there[k].iov_base = team->private_memory + place;
        here[k].iov_len = there[k].iov_len = sizeof(uint64_t);
    }
    if (process_vm_writev(team->board->pid[target], here, VECTOR_BLOCKS, there, VECTOR_BLOCKS, 0) !=
        (ssize_t)(VECTOR_BLOCKS * sizeof(uint64_t))) {
        perror("limit: process_vm_writev");
        exit(1);
    }
}

static void kernel_put_indexed(struct team *team, long n)
{
    const int *at = irregular();

    for (long i = 0; i < n; i++)
        kernel_scatter(team, team->local, 0, at);
}

static void add_at(uint64_t *restrict to, const uint64_t *restrict from, const int *at)
{
    for (int k = 0; k < VECTOR_BLOCKS; k++)
        to[at[k]] += from[k];
}

static void accumulate_at(struct team *team, long n, const int *at)
{
    for (long i = 0; i < n; i++) {
        lock(team);
        add_at((uint64_t *)(void *)team->memory, (const uint64_t *)(const void *)team->local, at);
        unlock(team);
    }
}

/* Reads all, with what lies between; writes the words only. */
static void kernel_accumulate_at(struct team *team, long n, const int *at)
{
    static char copy[SMALL];

    for (long i = 0; i < n; i++) {
        lock(team);
        kernel_read(team, copy, sizeof(uint64_t) * (size_t)(at[VECTOR_BLOCKS - 1] + 1));
        add_at((uint64_t *)(void *)copy, (const uint64_t *)(const void *)team->local, at);
        kernel_scatter(team, copy, 1, at);
        unlock(team);
    }
}

static void accumulate_indexed(struct team *team, long n)
{
    accumulate_at(team, n, irregular());
}

static void kernel_accumulate_indexed(struct team *team, long n)
{
    kernel_accumulate_at(team, n, irregular());
}

static const int *every_other(void)
{
    static int at[VECTOR_BLOCKS];

    for (int i = 0; i < VECTOR_BLOCKS; i++)
        at[i] = 2 * i;
    return at;
}

static void accumulate_vector(struct team *team, long n)
{
    accumulate_at(team, n, every_other());
}

static void kernel_accumulate_vector(struct team *team, long n)
{
    kernel_accumulate_at(team, n, every_other());
}

WIDEST static void add_doubles(double *restrict to, const double *restrict from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += from[i];
}

WIDEST static void add_integers(uint64_t *restrict to, const uint64_t *restrict from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += from[i];
}

static void accumulate_64k(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        lock(team);
        add_doubles((double *)(void *)team->memory, (const double *)(const void *)team->local,
                    SMALL / sizeof(double));
        unlock(team);
    }
}

static void kernel_accumulate_64k(struct team *team, long n)
{
    static char copy[SMALL];

    for (long i = 0; i < n; i++) {
        lock(team);
        kernel_read(team, copy, SMALL);
        add_doubles((double *)(void *)copy, (const double *)(const void *)team->local,
                    SMALL / sizeof(double));
        kernel_write(team, copy, SMALL);
        unlock(team);
    }
}

static void accumulate_integers(struct team *team, long n, int count)
{
    for (long i = 0; i < n; i++) {
        lock(team);
        add_integers((uint64_t *)(void *)team->memory, (const uint64_t *)(const void *)team->local,
                     count);
        unlock(team);
    }
}

static void accumulate_16(struct team *team, long n)
{
    accumulate_integers(team, n, 16);
}

static void accumulate_1024(struct team *team, long n)
{
    accumulate_integers(team, n, 1024);
}

/* ---- of team->bytes ---- */

static void put_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        *word_of(team->local) = ++team->counter;
        memcpy(team->memory, team->local, team->bytes);
        full_fence();
    }
}

static void get_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        memcpy(team->local, team->memory, team->bytes);
        full_fence();
    }
}

static void accumulate_size(struct team *team, long n)
{
    int count = (int)(team->bytes / sizeof(uint64_t));

    if (count > 1)
        accumulate_integers(team, n, count);
    else
        fetch_add(team, n);
}

static void kernel_put_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        kernel_write(team, team->local, team->bytes);
}

static void kernel_get_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        kernel_read(team, team->local, team->bytes);
}

/* Each to its half, for the other one; all have to be done. */
static void put_both(struct team *team, long n)
{
    size_t bytes = team->bytes / 2;

    for (long i = 0; i < n; i++) {
        memcpy(team->memory + (size_t)team->rank * bytes, team->local, bytes);
        full_fence();
    }
    team_barrier(team);
}

static void get_both(struct team *team, long n)
{
    size_t bytes = team->bytes / 2;

    for (long i = 0; i < n; i++) {
        memcpy(team->local, team->memory + (size_t)team->rank * bytes, bytes);
        full_fence();
    }
    team_barrier(team);
}

static void lock_put_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        lock(team);
        memcpy(team->memory, team->local, team->bytes);
        unlock(team);
    }
}

static void lock_kernel_put_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        lock(team);
        kernel_write(team, team->local, team->bytes);
        unlock(team);
    }
}

static void kernel_put_barrier_size(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        kernel_write(team, team->local, team->bytes);
        barrier_of_two(team);
    }
}

static void put_barrier_size(struct team *team, long n)
{
    size_t bytes = team->bytes / 2;

    for (long i = 0; i < n; i++) {
        memcpy(team->memory + (size_t)team->rank * bytes, team->local, bytes);
        barrier_of_two(team);
    }
}

static void get_many(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        word_of(team->local)[i % RATE_WORDS] = word_of(team->memory)[i % RATE_WORDS];
}

static void add_many(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        __atomic_fetch_add(atomic_word_of(team->memory) + i % RATE_WORDS, 1, __ATOMIC_SEQ_CST);
}

/* ---- the tables ---- */

static const struct limit {
    const char *name;
    team_body *body;
    int size;
    bool everybody; /* runs the body; otherwise rank 0 alone */
    size_t bytes;   /* 0: SMALL */
} limits[] = {
    {"allocate.put", put, 2, false, 0},
    {"allocate.get", get, 2, false, 0},
    {"allocate.fetch_and_op", fetch_add, 2, false, 0},
    {"allocate.compare_and_swap", compare_exchange, 2, false, 0},
    {"allocate.accumulate", fetch_add, 2, false, 0},
    {"allocate.lock", lock_put, 2, false, 0},
    {"allocate.lock_shared", lock_put, 2, false, 0},
    {"allocate.lock_all", lock_only, 2, false, 0},
    {"allocate.pscw", put_there_and_back, 2, true, 0},
    {"allocate.fence", put_barrier, 2, true, 0},
    {"allocate.put_64k", put_64k, 2, false, 0},
    {"allocate.get_4m", get_4m, 2, false, LARGE},
    {"allocate.random", together_random, 2, true, (size_t)2 * MIDDLE},
    {"allocate.random_4", together_random, 4, true, (size_t)4 * MIDDLE},
    {"allocate.random_8", together_random, 8, true, (size_t)8 * MIDDLE},
    {"allocate.counter_2", together_counter, 2, true, 0},
    {"allocate.counter_4", together_counter, 4, true, 0},
    {"allocate.counter_8", together_counter, 8, true, 0},
    {"allocate.mutex_2", together_mutex, 2, true, 0},
    {"allocate.mutex_4", together_mutex, 4, true, 0},
    {"allocate.mutex_8", together_mutex, 8, true, 0},
    {"allocate.halo_fence", together_halo_fence, RING, true, 0},
    {"allocate.halo_pscw", together_halo_pscw, RING, true, 0},
    {"allocate.put_rate", put_many, 2, false, 0},
    {"allocate.get_rate", get_many, 2, false, 0},
    {"allocate.accumulate_rate", add_many, 2, false, 0},
    {"allocate.accumulate_64k", accumulate_64k, 2, false, 0},
    {"allocate.accumulate_64k_shared", accumulate_64k, 2, false, 0},
    {"allocate.put_vector", put_vector, 2, false, 0},
    {"allocate.put_vector_both", put_vector_both, 2, false, 0},
    {"allocate.put_indexed", put_indexed, 2, false, 0},
    {"allocate.accumulate_vector", accumulate_vector, 2, false, 0},
    {"allocate.accumulate_indexed", accumulate_indexed, 2, false, 0},
    {"allocate.ring_fence", ring_barrier, RING, true, 0},
    {"allocate.ring_pscw", ring_neighbours, RING, true, 0},
    {"allocate.busy_lock", lock_put, 2, false, 0},
    {"allocate.lock_nocheck", put, 2, false, 0},
    {"allocate.fence_pair", barrier_put_barrier, 2, true, 0},
    {"allocate.fence_pair_asserted", barrier_put_barrier, 2, true, 0},
    {"allocate.fence_pair_nostore", barrier_put_barrier, 2, true, 0},
    {"allocate.fence_no_locks", put_barrier, 2, true, 0},
    {"allocate.pscw_ahead", put_barrier, 2, true, 0},
    {"allocate.pscw_ahead_nocheck", put_barrier, 2, true, 0},
    {"allocate.accumulate_16", accumulate_16, 2, false, 0},
    {"allocate.accumulate_16_granular", accumulate_16, 2, false, 0},
    {"allocate.accumulate_1024", accumulate_1024, 2, false, 0},
    {"allocate.accumulate_1024_granular", accumulate_1024, 2, false, 0},
    {"allocate.accumulate_same_op", fetch_add, 2, false, 0},
    {"allocate.put_same_size", put, 2, false, 0},
    {"allocate.put_same_disp_unit", put, 2, false, 0},

    {"create.put", kernel_put, 2, false, 0},
    {"create.get", kernel_get, 2, false, 0},
    {"create.fetch_and_op", kernel_fetch_add, 2, false, 0},
    {"create.compare_and_swap", kernel_fetch_add, 2, false, 0},
    {"create.accumulate", kernel_fetch_add, 2, false, 0},
    {"create.lock", lock_kernel_put, 2, false, 0},
    {"create.lock_shared", lock_kernel_put, 2, false, 0},
    {"create.lock_all", lock_only, 2, false, 0},
    {"create.pscw", kernel_put_there_and_back, 2, true, 0},
    {"create.fence", kernel_put_barrier, 2, true, 0},
    {"create.put_64k", kernel_put_64k, 2, false, 0},
    {"create.get_4m", kernel_get_4m, 2, false, LARGE},
    {"create.put_rate", kernel_put, 2, false, 0},
    {"create.accumulate_64k", kernel_accumulate_64k, 2, false, 0},
    {"create.accumulate_64k_shared", kernel_accumulate_64k, 2, false, 0},
    {"create.accumulate_vector", kernel_accumulate_vector, 2, false, 0},
    {"create.accumulate_indexed", kernel_accumulate_indexed, 2, false, 0},
    {"create.busy_lock", lock_kernel_put, 2, false, 0},
    {"create.busy_fetch_and_op", kernel_fetch_add, 2, false, 0},
    {"static.put", kernel_put, 2, false, 0},
    {"static.fetch_and_op", kernel_fetch_add, 2, false, 0},
    {"static.lock", lock_kernel_put, 2, false, 0},
    {"stack.put", kernel_put, 2, false, 0},
    {"stack.fetch_and_op", kernel_fetch_add, 2, false, 0},
    {"stack.put_indexed", kernel_put_indexed, 2, false, 0},
    {"stack.accumulate_vector", kernel_accumulate_vector, 2, false, 0},
    {"stack.accumulate_indexed", kernel_accumulate_indexed, 2, false, 0},
    {"dynamic.put", kernel_put, 2, false, 0},
    {"dynamic.get", kernel_get, 2, false, 0},
    {"dynamic.fetch_and_op", kernel_fetch_add, 2, false, 0},

    {"dynamic.accumulate", kernel_fetch_add, 2, false, 0},
    {"dynamic.lock", lock_kernel_put, 2, false, 0},
    {"dynamic.put_64k", kernel_put_64k, 2, false, 0},

    {"shared.put", put, 2, false, 0},
    {"shared.get", get, 2, false, 0},
    {"shared.fetch_and_op", fetch_add, 2, false, 0},
    {"shared.accumulate", fetch_add, 2, false, 0},
    {"shared.lock", lock_put, 2, false, 0},
    {"shared.pscw", put_there_and_back, 2, true, 0},
    {"shared.fence", put_barrier, 2, true, 0},
    {"shared.put_64k", put_64k, 2, false, 0},

    {"idle.pingpong", there_and_back, 2, true, 0},
};

enum { LIMITS = sizeof limits / sizeof *limits };

/* NAME.BYTES, for the sizes that rma has; bytes: how many times that each memory has, 0: once. */
static const struct limit sized[] = {
    {"allocate.put", put_size, 2, false, 0},
    {"allocate.get", get_size, 2, false, 0},
    {"allocate.accumulate", accumulate_size, 2, false, 0},
    {"create.put", kernel_put_size, 2, false, 0},
    {"create.get", kernel_get_size, 2, false, 0},
    {"dynamic.put", kernel_put_size, 2, false, 0},
    {"dynamic.get", kernel_get_size, 2, false, 0},
    {"shared.put", put_size, 2, false, 0},
    {"shared.get", get_size, 2, false, 0},
    {"shared.accumulate", accumulate_size, 2, false, 0},
    {"allocate.put_lock", lock_put_size, 2, false, 0},
    {"allocate.put_fence", put_barrier_size, 2, true, 2},
    {"allocate.put_pscw", put_barrier_size, 2, true, 2},
    {"create.put_lock", lock_kernel_put_size, 2, false, 0},
    {"create.put_fence", kernel_put_barrier_size, 2, true, 0},
    {"create.put_pscw", kernel_put_barrier_size, 2, true, 0},
    {"dynamic.put_lock", lock_kernel_put_size, 2, false, 0},
    {"dynamic.put_fence", kernel_put_barrier_size, 2, true, 0},
    {"dynamic.put_pscw", kernel_put_barrier_size, 2, true, 0},
    {"shared.put_lock", lock_put_size, 2, false, 0},
    {"shared.put_fence", put_barrier_size, 2, true, 2},
    {"shared.put_pscw", put_barrier_size, 2, true, 2},
    {"allocate.put_both", put_both, 2, true, 2},
    {"allocate.get_both", get_both, 2, true, 2},
};

enum { SIZED = sizeof sized / sizeof *sized, SIZE_STEP = 4 };

static int list(void)
{
    for (int i = 0; i < LIMITS; i++)
        printf("%s %d\n", limits[i].name, limits[i].size);
    for (int i = 0; i < SIZED; i++)
        for (size_t bytes = 1; bytes <= LARGE; bytes *= SIZE_STEP)
            printf("%s.%zu %d\n", sized[i].name, bytes, sized[i].size);
    return 0;
}

static bool find(const char *name, struct limit *found)
{
    for (int i = 0; i < LIMITS; i++)
        if (strcmp(limits[i].name, name) == 0) {
            *found = limits[i];
            return true;
        }
    for (int i = 0; i < SIZED; i++)
        for (size_t bytes = 1; bytes <= LARGE; bytes *= SIZE_STEP) {
            char text[64];

            snprintf(text, sizeof text, "%s.%zu", sized[i].name, bytes);
            if (strcmp(text, name) != 0)
                continue;
            *found = sized[i];
            found->bytes = bytes * (found->bytes ? found->bytes : 1);
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    struct options options = options_parse(
        argc, argv, "Times what a case of rma takes when it is written by hand, without MPI.");
    struct limit limit;

    if (options.list)
        return list();
    if (!find(options.name, &limit)) {
        fprintf(stderr, "limit: no case %s; --list shows them\n", options.name);
        return 2;
    }
    loop_print(options.name,
               team_measure(&options.plan, limit.size, limit.bytes ? limit.bytes : SMALL,
                            limit.body, limit.everybody));
    return 0;
}
