/* SPDX-License-Identifier: BSD-3-Clause */
/* What limit does with all processes at once (together.h). */
#include "together.h"
#include "limit.h"

/* The last process of a loop counts: the leader waits for all. */
void together_counter(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        __atomic_fetch_add(limit_atomic_word_of(team->memory), 1, __ATOMIC_SEQ_CST);
    team_barrier(team);
}

static void take(struct team *team)
{
    uint64_t nobody = 0;

    while (!__atomic_compare_exchange_n(&team->board->lock.value, &nobody, 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        nobody = 0;
        if (team->crowded)
            sched_yield();
    }
}

void together_mutex(struct team *team, long n)
{
    volatile uint64_t *word = (volatile uint64_t *)(void *)team->memory;

    for (long i = 0; i < n; i++) {
        take(team);
        *word = *word + 1;
        team_tell(&team->board->lock, 0);
    }
    team_barrier(team);
}

/* The sequence of rma (many.c), on one table as large as the windows of both. */
void together_random(struct team *team, long n)
{
    uint64_t state = 88172645463325252u + (uint64_t)team->rank + (team->counter << 8);
    uint64_t words = team->bytes / sizeof(uint64_t);

    for (long i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        __atomic_fetch_add(limit_atomic_word_of(team->memory) + state % words, 1, __ATOMIC_RELAXED);
    }
    team_barrier(team);
}

/* A word for either neighbour, each on a line of its own. */
static void store_for_both(struct team *team)
{
    size_t next = (size_t)((team->rank + 1) % team->size);
    size_t before = (size_t)((team->rank + team->size - 1) % team->size);

    *(volatile uint64_t *)(void *)(team->memory + 2 * next * LINE) = team->counter;
    *(volatile uint64_t *)(void *)(team->memory + (2 * before + 1) * LINE) = team->counter;
}

void together_halo_fence(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        team_barrier(team);
        store_for_both(team);
        team_barrier(team);
    }
}

/* Post to both, put to either once it has posted, tell both, wait for both. */
void together_halo_pscw(struct team *team, long n)
{
    struct board *board = team->board;
    int next = (team->rank + 1) % team->size, before = (team->rank + team->size - 1) % team->size;

    for (long i = 0; i < n; i++) {
        uint64_t number = ++team->counter;

        team_tell(&board->posted[before], number);
        team_tell(&board->posted_back[next], number);
        team_wait(team, &board->posted[team->rank], number);
        team_wait(team, &board->posted_back[team->rank], number);
        store_for_both(team);
        team_tell(&board->completed[next], number);
        team_tell(&board->completed_back[before], number);
        team_wait(team, &board->completed[team->rank], number);
        team_wait(team, &board->completed_back[team->rank], number);
    }
}

/* Put to either, tell both, wait for both. */
void together_halo_notify(struct team *team, long n)
{
    struct board *board = team->board;
    int next = (team->rank + 1) % team->size, before = (team->rank + team->size - 1) % team->size;

    for (long i = 0; i < n; i++) {
        uint64_t number = ++team->counter;

        store_for_both(team);
        team_tell(&board->completed[next], number);
        team_tell(&board->completed_back[before], number);
        team_wait(team, &board->completed[team->rank], number);
        team_wait(team, &board->completed_back[team->rank], number);
    }
}

static double compute(double left)
{
    static double numbers[128];

    for (int i = 0; i < 128; i++) {
        left = (left + numbers[i]) / 2;
        numbers[i] = left;
    }
    return left;
}

/* As rma's (pipeline.c): each line's number on a line of memory of its own for each process. */
void together_pipeline(struct team *team, long n)
{
    struct word *completed = team->board->completed;
    bool is_last = team->rank == team->size - 1;

    for (long i = 0; i < n; i++) {
        uint64_t number = ++team->counter;

        if (team->rank > 0)
            team_wait(team, &completed[team->rank], number);
        *limit_word_of(team->memory + (size_t)(team->rank + 1) % (size_t)team->size * LINE) =
            number + (uint64_t)compute(0);
        if (!is_last || i == n - 1)
            team_tell(&completed[(team->rank + 1) % team->size], number);
    }
    if (team->rank == 0)
        team_wait(team, &completed[0], team->counter);
}
