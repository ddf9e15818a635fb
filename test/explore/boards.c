/* SPDX-License-Identifier: BSD-3-Clause */
/* The board of check mode and the clocks on it (order/board.c, order/clock.c), on one node: what a
 * process has handed over is there for another one that has learned so, from it or from a third. */
#include "window.h"
#include "order/board.c"
#include "order/clock.c"

enum { PROCESSES = 3, WORDS = 4, ORIGIN = 0, TARGET = 1, BETWEEN = 2, KNOWN = 5 };

/* ---- a window of one node: nothing goes to another ---- */

static int far_operation(void)
{
    explore_fail("an operation between nodes");
}

int proa_put(struct proa_win *with, const struct proa_buffer *origin,
             const struct proa_there *there)
{
    (void)with, (void)origin, (void)there;
    return far_operation();
}

int proa_get(struct proa_win *with, const struct proa_buffer *origin,
             const struct proa_there *there)
{
    (void)with, (void)origin, (void)there;
    return far_operation();
}

int proa_accumulate(struct proa_win *with, const struct proa_buffer *origin,
                    const struct proa_there *there, enum proa_operation operation)
{
    (void)with, (void)origin, (void)there, (void)operation;
    return far_operation();
}

/* ---- processes ---- */

static void make_ready(void)
{
    window_prepare();
    size = PROCESSES;
    row_words = LINE_WORDS;
    queue_words = WORDS;
    explore_private(&win, sizeof win);
    explore_private(&heads, sizeof heads);
    explore_private(&tails, sizeof tails);
    explore_private(&taken_heads, sizeof taken_heads);
    explore_private(&parts, sizeof parts);
    explore_private(&clock_words, sizeof clock_words);
    explore_private(&me, sizeof me);
    explore_private(&version, sizeof version);
    explore_private(&versions, sizeof versions);
    explore_private(&shared, sizeof shared);
    explore_private(&stamped, sizeof stamped);
    explore_private(&met, sizeof met);
}

static void setup(void)
{
    window_make(PROCESSES);
    for (int i = 0; i < PROCESSES; i++) {
        char *part = explore_new(queue_at(PROCESSES), 64);

        for (int rank = 0; rank < PROCESSES; rank++)
            window[rank]->targets[i].fast = part;
    }
}

static void enter(int rank)
{
    window_enter(rank);
    win = window[rank];
    heads = calloc(PROCESSES, sizeof *heads);
    tails = calloc(PROCESSES, sizeof *tails);
    taken_heads = calloc(PROCESSES, sizeof *taken_heads);
    parts = calloc(PROCESSES, sizeof *parts);
    find_parts();
    explore_check(proa_clock_begin() == PROA_OK);
}

static void hand_over(void)
{
    explore_check(proa_board_push(TARGET, (uint64_t[]){7}, 1));
}

static void find_handed_over(void)
{
    uint64_t space[WORDS];
    const uint64_t *words;

    explore_check(proa_board_look(ORIGIN, space, &words) == 1 && words[0] == 7);
}

/* ---- scenarios ---- */

/* The second message begins behind the first and goes on at its place, once that is free. */
static void queue(int rank)
{
    uint64_t space[WORDS];
    const uint64_t *words;
    uint32_t count;

    enter(rank);
    if (rank == ORIGIN) {
        hand_over();
        proa_board_push(TARGET, (uint64_t[]){8, 9}, 2);
        return;
    }
    for (uint64_t found = 1; found <= 2 && (count = proa_board_look(ORIGIN, space, &words));
         found++) {
        explore_check(count == found && words[0] == 6 + found && (count == 1 || words[1] == 9));
        proa_board_take(ORIGIN, count);
    }
}

/* The origin tells a third process, of which the target learns. */
static void heard(int rank)
{
    enter(rank);
    if (rank == ORIGIN) {
        hand_over();
        proa_board_raise(BETWEEN, PROA_ROW_TOLD, (uint64_t[PROCESSES]){KNOWN});
    } else if (rank == BETWEEN) {
        proa_clock_hear(PROA_ROW_TOLD);
    } else {
        proa_clock_learn(BETWEEN, PROA_ROW_KNOWN);
        if (clock_words[ORIGIN] == KNOWN)
            find_handed_over();
    }
}

/* The origin has completed it, which the target learns from its memory. */
static void completed(int rank)
{
    enter(rank);
    if (rank == ORIGIN) {
        hand_over();
        explore_check(proa_clock_stamp() == 2);
        proa_clock_complete();
    } else {
        proa_clock_learn(ORIGIN, PROA_ROW_KNOWN);
        if (clock_words[ORIGIN] == 2)
            find_handed_over();
    }
}

/* The target reads the floor before the queue, which has all that is below the floor. */
static void below_floor(int rank)
{
    uint64_t floor[PROCESSES];

    enter(rank);
    if (rank == ORIGIN) {
        hand_over();
        proa_clock_raise_floor();
        return;
    }
    memset(floor, 0xff, sizeof floor);
    proa_board_lower(ORIGIN, PROA_ROW_FLOOR, floor);
    if (floor[ORIGIN])
        find_handed_over();
}

#define BOARDS(title, count, ...)                                                         \
    {                                                                                     \
        .name = "boards." title, .threads = count, .prepare = make_ready, .setup = setup, \
        __VA_ARGS__                                                                       \
    }
const struct explore_scenario explore_boards[] = {
    BOARDS("queue", 2, .body = queue),
    BOARDS("heard", 3, .body = heard, .preemptions = 1, .stale = 1),
    BOARDS("completed", 2, .body = completed),
    BOARDS("below_floor", 2, .body = below_floor),
    {0},
};
