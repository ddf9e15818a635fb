/* SPDX-License-Identifier: BSD-3-Clause */
/* What limit does with many words, or many bytes (limit.h). */
#define _GNU_SOURCE
#include "irregular.h"
#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* Vector loops may use what the processor has, not only what every processor of its kind has. The
 * choice is made while the program is loaded, too early for ThreadSanitizer. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define WIDEST __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define WIDEST
#endif

void limit_put_64k(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        *limit_word_of(team->local) = ++team->counter;
        memcpy(team->memory, team->local, SMALL);
        limit_full_fence();
    }
}

void limit_kernel_put_64k(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        limit_kernel_write(team, team->local, SMALL);
}

void limit_get_4m(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        memcpy(team->local, team->memory, LARGE);
        limit_full_fence();
    }
}

void limit_kernel_get_4m(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        limit_kernel_read(team, team->local, LARGE);
}

void limit_put_many(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        long which = i % RATE_WORDS;

        limit_word_of(team->memory)[which] = limit_word_of(team->local)[which];
        if (which == RATE_WORDS - 1)
            limit_full_fence();
    }
    limit_full_fence();
}

void limit_get_many(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        limit_word_of(team->local)[i % RATE_WORDS] = limit_word_of(team->memory)[i % RATE_WORDS];
}

void limit_add_many(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        __atomic_fetch_add(limit_atomic_word_of(team->memory) + i % RATE_WORDS, 1,
                           __ATOMIC_SEQ_CST);
}

WIDEST static void scatter(uint64_t *restrict to, const uint64_t *restrict from, size_t from_stride)
{
    for (size_t i = 0; i < VECTOR_BLOCKS; i++)
        to[2 * i] = from[from_stride * i];
}

static void put_strided(struct team *team, long n, size_t from_stride)
{
    for (long i = 0; i < n; i++) {
        *limit_word_of(team->local) = ++team->counter;
        scatter((uint64_t *)(void *)team->memory, (const uint64_t *)(const void *)team->local,
                from_stride);
        limit_full_fence();
    }
}

void limit_put_vector(struct team *team, long n)
{
    put_strided(team, n, 1);
}

void limit_put_vector_both(struct team *team, long n)
{
    put_strided(team, n, 2);
}

static const int *irregular(void)
{
    static int at[VECTOR_BLOCKS];

    irregular_words(at, VECTOR_BLOCKS);
    return at;
}

void limit_put_indexed(struct team *team, long n)
{
    const int *at = irregular();

    for (long i = 0; i < n; i++) {
        *limit_word_of(team->local) = ++team->counter;
        for (int k = 0; k < VECTOR_BLOCKS; k++)
            limit_word_of(team->memory)[at[k]] = limit_word_of(team->local)[k];
        limit_full_fence();
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

void limit_kernel_put_indexed(struct team *team, long n)
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
        limit_lock(team);
        add_at((uint64_t *)(void *)team->memory, (const uint64_t *)(const void *)team->local, at);
        limit_unlock(team);
    }
}

/* Reads all, with what lies between; writes the words only. */
static void kernel_accumulate_at(struct team *team, long n, const int *at)
{
    static char copy[SMALL];

    for (long i = 0; i < n; i++) {
        limit_lock(team);
        limit_kernel_read(team, copy, sizeof(uint64_t) * (size_t)(at[VECTOR_BLOCKS - 1] + 1));
        add_at((uint64_t *)(void *)copy, (const uint64_t *)(const void *)team->local, at);
        kernel_scatter(team, copy, 1, at);
        limit_unlock(team);
    }
}

void limit_accumulate_indexed(struct team *team, long n)
{
    accumulate_at(team, n, irregular());
}

void limit_kernel_accumulate_indexed(struct team *team, long n)
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

void limit_accumulate_vector(struct team *team, long n)
{
    accumulate_at(team, n, every_other());
}

void limit_kernel_accumulate_vector(struct team *team, long n)
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

void limit_accumulate_64k(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_lock(team);
        add_doubles((double *)(void *)team->memory, (const double *)(const void *)team->local,
                    SMALL / sizeof(double));
        limit_unlock(team);
    }
}

void limit_kernel_accumulate_64k(struct team *team, long n)
{
    static char copy[SMALL];

    for (long i = 0; i < n; i++) {
        limit_lock(team);
        limit_kernel_read(team, copy, SMALL);
        add_doubles((double *)(void *)copy, (const double *)(const void *)team->local,
                    SMALL / sizeof(double));
        limit_kernel_write(team, copy, SMALL);
        limit_unlock(team);
    }
}

void limit_accumulate_integers(struct team *team, long n, int count)
{
    for (long i = 0; i < n; i++) {
        limit_lock(team);
        add_integers((uint64_t *)(void *)team->memory, (const uint64_t *)(const void *)team->local,
                     count);
        limit_unlock(team);
    }
}

void limit_accumulate_16(struct team *team, long n)
{
    limit_accumulate_integers(team, n, 16);
}

void limit_accumulate_1024(struct team *team, long n)
{
    limit_accumulate_integers(team, n, 1024);
}
