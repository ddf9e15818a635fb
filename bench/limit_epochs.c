/* SPDX-License-Identifier: BSD-3-Clause */
/* What limit does where all processes synchronize (limit.h). */
#include "limit.h"

void limit_barrier_of_two(struct team *team)
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

    *limit_word_of(team->memory + next * LINE) = team->counter;
}

void limit_there_and_back(struct team *team, long n)
{
    for (long i = 0; i < n; i++)
        there_and_back_once(team);
}

void limit_put_there_and_back(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        store_for_next(team);
        there_and_back_once(team);
    }
}

/* A word and, on the line behind it, a flag, there and back. As in rma (notify.c) the word counts
 * the ways that it has gone, so a process that has seen the flag reads the word before it answers.
 */
void limit_flagged_there_and_back(struct team *team, long n)
{
    struct word *mine = (struct word *)(void *)team->memory + 2 * (size_t)team->rank;
    struct word *yours = (struct word *)(void *)team->memory + 2 * (size_t)(1 - team->rank);
    uint64_t word = 2 * team->counter;

    for (long i = 0; i < n; i++) {
        const uint64_t number = ++team->counter;

        if (team->rank == 0) {
            yours[0].value = word + 1;
            team_tell(&yours[1], number);
        }
        team_wait(team, &mine[1], number);
        word = mine[0].value;
        if (team->rank != 0) {
            yours[0].value = word + 1;
            team_tell(&yours[1], number);
        }
    }
}

void limit_kernel_put_there_and_back(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_kernel_write(team, &team->counter, sizeof team->counter);
        there_and_back_once(team);
    }
}

void limit_put_barrier(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        store_for_next(team);
        limit_barrier_of_two(team);
    }
}

void limit_kernel_put_barrier(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_kernel_write(team, &team->counter, sizeof team->counter);
        limit_barrier_of_two(team);
    }
}

void limit_barrier_put_barrier(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        limit_barrier_of_two(team);
        store_for_next(team);
        limit_barrier_of_two(team);
    }
}

void limit_ring_barrier(struct team *team, long n)
{
    for (long i = 0; i < n; i++) {
        store_for_next(team);
        team_barrier(team);
    }
}

/* Post to the process before, put to the next once it has posted, tell it, wait for the
 * process before. */
void limit_ring_neighbours(struct team *team, long n)
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
