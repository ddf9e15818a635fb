/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that waits call, which one thread sets while others wait (base/wait.c). */
#include "explore.h"

/* The names that other files of this program have, too, end in _ here. */
#define proa_host_progress proa_host_progress_
#define proa_host_progress_forbid proa_host_progress_forbid_
#define proa_host_progress_moves proa_host_progress_moves_
#include "base/host_progress.c"
#include "base/wait.c"

static struct shared {
    uint64_t count;
    int data;
} * s;

static void prepare(void)
{
    explore_share(&current_driver, sizeof current_driver);
    explore_share(&watcher_function, sizeof watcher_function);
    explore_share(&progress, sizeof progress);
}

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
}

/* Each relies on what the thread has done before that set it. */
static void move(void)
{
    explore_check(s->data == 1);
}

static void watch(const uint64_t *word, long ns)
{
    (void)word, (void)ns;
    explore_check(s->data == 1);
}

static void set_driver(void)
{
    static const struct proa_wait_driver moves = {.drive = move, .take_in = move, .rest = move};

    s->data = 1;
    proa_wait_set_driver(&moves);
}

static void driven(int thread)
{
    thread ? proa_wait_drive() : set_driver();
}

static void watched(int thread)
{
    if (thread == 0) {
        s->data = 1;
        proa_wait_set_watcher(watch);
        proa_atomic_store(&s->count, 1, PROA_RELAXED);
    } else {
        proa_wait_count_unless(&s->count, 1, NULL, NULL, NULL);
        proa_wait_count_unless(&s->count, 1, NULL, NULL, NULL);
    }
}

/* The host's progress. */
static void moved(int thread)
{
    if (thread == 0) {
        s->data = 1;
        proa_host_progress_set(move);
    } else {
        proa_host_progress();
    }
}

const struct explore_scenario explore_waits[] = {
    {.name = "waits.driven", .threads = 2, .prepare = prepare, .setup = setup, .body = driven},
    {.name = "waits.watched", .threads = 2, .prepare = prepare, .setup = setup, .body = watched},
    {.name = "waits.moved", .threads = 2, .prepare = prepare, .setup = setup, .body = moved},
    {0},
};
