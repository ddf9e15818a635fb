/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a process (remote/progress.c): exit() comes back from wherever it is called, in a
 * signal handler too, and the peers are told where that is possible. */
#include "nodes.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

/* The number of goodbyes; and of processes that have looked at it. */
static uint32_t *parted(struct world *world)
{
    return (uint32_t *)(void *)world->shared;
}

static struct proa_win *begin_to_leave(struct world *world)
{
    net_fake_parted = parted(world);
    return begin(world, NULL);
}

static void leave(int number)
{
    (void)number;
    exit(EXIT_SUCCESS);
}

/* The interrupted frame holds what the network's end needs. */
static void inside_body(struct world *world)
{
    struct proa_win *win = begin_to_leave(world);

    (void)win;
    world_barrier(world);
    signal(SIGUSR1, leave);
    proa_progress_enter();
    raise(SIGUSR1);
}
WORLD_TEST(inside, 2, .before = on_nodes, .limit_s = 20)

/* It does not: then the peers are told, before the process has ended. */
static void outside_body(struct world *world)
{
    struct proa_win *win = begin_to_leave(world);

    (void)win;
    world_barrier(world);
    if (world->rank == 0) {
        signal(SIGUSR1, leave);
        raise(SIGUSR1);
    }
    world_await(parted(world), 1);
    exit(EXIT_SUCCESS);
}
WORLD_TEST(outside, 2, .before = on_nodes, .limit_s = 20)

/* A signal at any moment of a loop that drives the network. */
static void anywhere_once_body(struct world *world)
{
    struct proa_win *win = begin_to_leave(world);
    int other = !world->rank;

    world_barrier(world);
    signal(SIGALRM, leave);
    ualarm(1000 + 700 * (unsigned)world->rank, 0);
    for (;;) {
        proa_win_lock(win, other, 0, 0);
        put_word(win, other, 0, 1);
        proa_win_flush(win, other);
        proa_win_unlock(win, other);
    }
}
WORLD_TEST(anywhere_once, 2, .before = on_nodes, .limit_s = 20)

static void anywhere(void **state)
{
    for (int i = 0; i < 20; i++)
        anywhere_once(state);
}

/* Another thread drives meanwhile, and goes on. */
static void drive(void *arg, int number)
{
    (void)arg;
    if (number == 0) {
        world_sleep_us(2000);
        exit(EXIT_SUCCESS);
    }
    for (;;)
        proa_progress_drive();
}

static void driven_body(struct world *world)
{
    struct proa_win *win = begin_to_leave(world);

    (void)win;
    world_barrier(world);
    world_threads(2, drive, NULL);
}
WORLD_TEST(driven, 2, .before = on_nodes, .limit_s = 20)

/* No handler of exit()'s runs: nothing is told, and nothing hangs. */
static void quick_body(struct world *world)
{
    struct proa_win *win = begin_to_leave(world);

    (void)win;
    world_barrier(world);
    proa_progress_enter();
    quick_exit(EXIT_SUCCESS);
}
WORLD_TEST(quick, 2, .before = on_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside), cmocka_unit_test(outside), cmocka_unit_test(anywhere),
        cmocka_unit_test(driven), cmocka_unit_test(quick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
