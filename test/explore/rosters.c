/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of other nodes that a window comes to know (remote/windows.c), and the roster of its
 * node, which its leader gives back while others may read (remote/roster.c). */
#include "network.h"
#include "window.h"
#include "remote/roster.c"

enum { LEADER = 0, READER = 1, THERE = 2, PROCESSES = 3, BYTES = 64 };

static struct shared {
    struct proa_remote_window remote_window[PROCESSES];
    struct proa_roster roster[PROCESSES];
} * s;

/* What differs between processes: bytes and displacement unit. */
static void setup(void)
{
    enum { DIFFERENT = 2 };
    struct proa_remote_card cards[PROCESSES] = {{.bytes = 8, .disp_unit = 4},
                                                {.bytes = 16, .disp_unit = 4},
                                                {.bytes = BYTES, .disp_unit = 8}};
    struct rows *rows;

    window_make(PROCESSES);
    network_make(NULL);
    s = explore_new(sizeof *s, 64);
    rows = explore_new(sizeof *rows + PROCESSES * DIFFERENT * WORD, 64);
    rows->window = 7;
    for (int i = 0; i < PROCESSES; i++) {
        struct proa_win *win = window[i];

        s->roster[i] = (struct proa_roster){.rows = rows, .is_leader = i == LEADER, .window = 7};
        find_common(&s->roster[i], cards, PROCESSES);
        s->remote_window[i] = (struct proa_remote_window){.win = win, .roster = &s->roster[i]};
        win->remote_window = &s->remote_window[i];
        win->targets[THERE].peer = NULL;
        win->targets[THERE].ctl = NULL;
    }
    explore_check(s->roster[LEADER].row_words == DIFFERENT);
    for (int i = 0; i < PROCESSES; i++)
        fill(&s->roster[LEADER], i, &cards[i]);
}

/* By two threads of one process: one of them communicates with it, the other looks whether it
 * does. */
static void known(int thread)
{
    const struct proa_remote_process *process;
    struct proa_win *win = window[READER];

    window_enter(READER);
    if (thread == 0) {
        proa_progress_enter();
        explore_check(proa_remote_know(win, THERE) != NULL);
        proa_progress_leave();
        return;
    }
    process = proa_remote_process_of(win, THERE);
    explore_check(!process || (process->win == win && process->rank == THERE &&
                               win->targets[THERE].bytes == BYTES));
}

/* The leader's memory has other data after it has given it back. */
static void closed(int thread)
{
    struct proa_rostered row;
    uint64_t *words;

    window_enter(thread);
    if (thread == READER) {
        explore_check(!proa_roster_find(window[READER], THERE, &row) ||
                      (row.bytes == BYTES && row.disp_unit == 8));
        return;
    }
    words = row_of(&s->roster[LEADER], THERE);
    proa_roster_close(window[LEADER]);
    proa_atomic_store(&words[0], 9, PROA_RELAXED);
    proa_atomic_store(&words[1], 9, PROA_RELAXED);
}

const struct explore_scenario explore_rosters[] = {
    {.name = "rosters.known",
     .threads = 2,
     .prepare = window_prepare,
     .setup = setup,
     .body = known},
    {.name = "rosters.closed",
     .threads = 2,
     .prepare = window_prepare,
     .setup = setup,
     .body = closed},
    {0},
};
