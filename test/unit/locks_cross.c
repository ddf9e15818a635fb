/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks 0 and 1 hold a shared lock or a lock_all of a window each, and ask for one of the other's
 * window, while a writer waits for each window. As no lock that is held keeps out the one that is
 * asked for, both get it, and then the writers do: on one node, and on two. */
#include "nodes.h"

#include "remote/group_lock.h"
#include "sync/rwlock.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* The locks that ranks 0 and 1 hold, and ask for: is it a lock_all? */
struct crossing {
    int targets[2]; /* in each window, of locks that are none; on a node each */
    int held[2], asked[2];
};

/* 1: a writer waits for the window of that number. */
static uint32_t *waits(struct world *world, int number)
{
    return (uint32_t *)(void *)world->shared + number;
}

/* Between nodes a lock is asked for by the first operation under it. */
static void touch(struct proa_win *win, int target)
{
    CHECK_OK(put_word(win, target, 1 + win->rank, 1));
    CHECK_OK(flushed(proa_win_flush(win, target)));
}

static void take(struct proa_win *win, int target, int all)
{
    CHECK_OK(all ? proa_win_lock_all(win, 0) : proa_win_lock(win, target, 0, 0));
    touch(win, target);
}

static void let_go(struct proa_win *win, int target, int all)
{
    CHECK_OK(all ? proa_win_unlock_all(win) : proa_win_unlock(win, target));
}

/* As far as this process can see: at the target, or in front of the window. */
static int has_waiting_writer(const struct proa_win *win, int target)
{
    const struct proa_win_ctl *ctl = win->targets[target].ctl;

    return (ctl && proa_rwlock_has_writer(&ctl->lock, 1)) ||
           (win->remote_window && proa_group_lock_is_wanted(win));
}

static void await_writers(struct world *world, struct proa_win *const wins[2], const int *targets)
{
    for (int number = 0; number < 2; number++)
        while (!__atomic_load_n(waits(world, number), __ATOMIC_SEQ_CST)) {
            if (has_waiting_writer(wins[number], targets[number]))
                __atomic_store_n(waits(world, number), 1, __ATOMIC_SEQ_CST);
            world_sleep_us(100);
        }
}

static void cross(struct world *world, struct proa_win *const wins[2], const struct crossing *c)
{
    int mine = world->rank % 2, is_reader = world->rank < 2;

    if (is_reader)
        take(wins[mine], c->targets[mine], c->held[mine]);
    world_barrier(world);
    if (is_reader) {
        await_writers(world, wins, c->targets);
        take(wins[!mine], c->targets[!mine], c->asked[mine]);
        let_go(wins[!mine], c->targets[!mine], c->asked[mine]);
        let_go(wins[mine], c->targets[mine], c->held[mine]);
    } else {
        CHECK_OK(proa_win_lock(wins[mine], c->targets[mine], 1, 0));
        touch(wins[mine], c->targets[mine]);
        CHECK_OK(proa_win_unlock(wins[mine], c->targets[mine]));
    }
    world_barrier(world);
    __atomic_store_n(waits(world, mine), 0, __ATOMIC_SEQ_CST);
    world_barrier(world);
}

static void crossings_body(struct world *world)
{
    struct proa_win *wins[2];

    wins[0] = getenv("PROA_NODE_ID") ? begin(world, NULL) : window_of_words(world, WORDS);
    wins[1] = window_of_words(world, WORDS);
    for (int bits = 0; bits < 64; bits++) {
        const struct crossing c = {
            {bits >> 4 & 1, bits >> 5}, {bits & 1, bits >> 1 & 1}, {bits >> 2 & 1, bits >> 3 & 1}};

        cross(world, wins, &c);
    }
    window_free(wins[1]);
    window_free(wins[0]);
}
WORLD_TEST(crossings, 4, .limit_s = 10)

static void crossings_apart(void **state)
{
    (void)state;
    world_run(
        &(struct world_plan){.size = 4, .body = crossings_body, .before = on_nodes, .limit_s = 10});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossings),
        cmocka_unit_test(crossings_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
