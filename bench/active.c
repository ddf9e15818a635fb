/* SPDX-License-Identifier: BSD-3-Clause */
/* Fence and post-start-complete-wait. Every rank puts 8 bytes to the next one: on two ranks both
 * ways at once, on more a ring. */
#include "bench.h"

static uint64_t *local_word(const struct bench *b)
{
    return (uint64_t *)(void *)b->local;
}

static void put_word(struct bench *b, MPI_Win win)
{
    uint64_t *word = local_word(b);

    *word = ++b->counter;
    MPI_Put(word, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, win);
}

void body_fence(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        put_word(b, b->win);
        MPI_Win_fence(0, b->win);
    }
    b->expected = b->counter;
}

static void fence_pair(struct bench *b, long n, int before, int after)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_fence(before, b->win);
        put_word(b, b->win);
        MPI_Win_fence(after, b->win);
    }
    b->expected = b->counter;
}

/* An epoch with a fence at either end. */
void body_fence_pair(struct bench *b, long n)
{
    fence_pair(b, n, 0, 0);
}

/* The same, and everything said about it that is true: nothing to complete before, nothing to
 * follow, the window's owner stores nothing. */
void body_fence_pair_asserted(struct bench *b, long n)
{
    fence_pair(b, n, MPI_MODE_NOPRECEDE, MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
}

void body_fence_pair_nostore(struct bench *b, long n)
{
    fence_pair(b, n, MPI_MODE_NOSTORE, MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
}

/* A fence that may do nothing at all. */
void body_fence_nothing(struct bench *b, long n)
{
    for (long i = 0; i < n; i++)
        MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, b->win);
}

void body_pscw(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_post(b->source_group, 0, b->win);
        MPI_Win_start(b->target_group, 0, b->win);
        put_word(b, b->win);
        MPI_Win_complete(b->win);
        MPI_Win_wait(b->win);
    }
    b->expected = b->counter;
}

/* Two windows in turn: each rank posts the next epoch on one before it completes this epoch on the
 * other. So a rank that returns from MPI_Win_wait knows that the post it is going to match has been
 * made, and may say NOCHECK without any message more. */
static void pscw_ahead(struct bench *b, long n, int assertion)
{
    MPI_Win now = b->win, next = b->other;

    MPI_Win_post(b->source_group, 0, now);
    MPI_Win_start(b->target_group, 0, now); /* nothing is known of the first epoch */
    for (long i = 0; i < n; i++) {
        MPI_Win done = now;

        put_word(b, now);
        if (now == b->win)
            b->expected = b->counter;
        if (i + 1 < n)
            MPI_Win_post(b->source_group, assertion, next);
        MPI_Win_complete(done);
        MPI_Win_wait(done);
        if (i + 1 < n)
            MPI_Win_start(b->target_group, assertion, next);
        now = next;
        next = done;
    }
}

void body_pscw_ahead(struct bench *b, long n)
{
    pscw_ahead(b, n, 0);
}

void body_pscw_ahead_nocheck(struct bench *b, long n)
{
    pscw_ahead(b, n, MPI_MODE_NOCHECK);
}

/* To both neighbours of a ring: the first word of the next one's window, the second of that
 * before. */
static void put_to_both(struct bench *b)
{
    uint64_t *word = local_word(b);

    *word = ++b->counter;
    MPI_Put(word, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, b->win);
    MPI_Put(word, 1, MPI_UINT64_T, b->source, WORD, 1, MPI_UINT64_T, b->win);
}

void body_halo_fence(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_fence(0, b->win);
        put_to_both(b);
        MPI_Win_fence(0, b->win);
    }
    b->expected = b->counter;
}

void body_halo_pscw(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_post(b->both_group, 0, b->win);
        MPI_Win_start(b->both_group, 0, b->win);
        put_to_both(b);
        MPI_Win_complete(b->win);
        MPI_Win_wait(b->win);
    }
    b->expected = b->counter;
}
