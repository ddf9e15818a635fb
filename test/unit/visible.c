/* SPDX-License-Identifier: BSD-3-Clause */
/* What flush, MPI_Win_sync and an unlock that released nothing make visible (sync/passive.c), by
 * the litmus test of store buffering. */
#include "litmus.h"
#include "move.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROUNDS = 1000000, APART = 16 /* words: each side's own is in a cache line of its own */ };

/* The plain forms: nothing lies between the operation and what is to make it visible. */
static void put_now(struct proa_win *win, int rank, int64_t value)
{
    CHECK(proa_move_plain(win, PROA_PUT, &value, 1, basic_type(PROA_I64), rank, APART));
}

static int64_t get_now(struct proa_win *win)
{
    int64_t value = -1;

    CHECK(proa_move_plain(win, PROA_GET, &value, 1, basic_type(PROA_I64), win->rank, APART));
    return value;
}

static int64_t put_flush_get(void *arg, int64_t round)
{
    struct proa_win *win = arg;
    int other = 1 - win->rank;

    put_now(win, other, round);
    CHECK_OK(round % 2 ? proa_win_flush(win, other) : proa_win_flush_all(win));
    return get_now(win);
}

/* A lock that was not taken, so that nothing is released that others look at. */
static int64_t put_unlock_get(void *arg, int64_t round)
{
    struct proa_win *win = arg;
    int other = 1 - win->rank;

    CHECK_OK(proa_win_lock(win, win->rank, 0, PROA_MODE_NOCHECK));
    CHECK_OK(proa_win_lock(win, other, 0, PROA_MODE_NOCHECK));
    put_now(win, other, round);
    CHECK_OK(proa_win_unlock(win, other));
    round = get_now(win);
    CHECK_OK(proa_win_unlock(win, win->rank));
    return round;
}

/* The user's own load and store, at most as strong as those of a program. */
static int64_t store_sync_load(void *arg, int64_t round)
{
    struct proa_win *win = arg;
    int64_t *there = (int64_t *)(void *)win->targets[1 - win->rank].fast;

    __atomic_store_n(&there[APART], round, __ATOMIC_RELAXED);
    proa_win_sync(win);
    return __atomic_load_n(&window_words(win)[APART], __ATOMIC_RELAXED);
}

struct case_ {
    litmus_side *side;
    int locked; /* under a lock_all */
};

static void visible_body(struct world *world)
{
    const struct case_ *c = world->arg;
    struct proa_win *win = window_of_words(world, 2 * APART);

    if (c->locked)
        CHECK_OK(proa_win_lock_all(win, 0));
    litmus(world, world_rounds(ROUNDS), c->side, win, &window_words(win)[APART]);
    if (c->locked)
        CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

static void run(const struct case_ *c)
{
    world_run(&(struct world_plan){.size = 2, .body = visible_body, .arg = c, .limit_s = 120});
}

static void flush(void **state)
{
    (void)state;
    run(&(struct case_){put_flush_get, 1});
}

static void sync_(void **state)
{
    (void)state;
    run(&(struct case_){store_sync_load, 1});
}

static void unlock_nocheck(void **state)
{
    (void)state;
    run(&(struct case_){put_unlock_get, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flush),
        cmocka_unit_test(sync_),
        cmocka_unit_test(unlock_nocheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
