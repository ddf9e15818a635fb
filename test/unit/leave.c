/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a process (progress/progress.c): exit() comes back from wherever it is called, in a
 * signal handler too, and the peers are told where that is possible, whether windows are left or
 * not. A child of fork tells nothing. */
#include "nodes.h"

#include "base/fail.h"
#include "remote/window.h"
#include "remote/work.h"
#include "sync/peer_failure.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The numbers of goodbyes, as net_fake_parted has them. */
static uint32_t *parted(struct world *world)
{
    return (uint32_t *)(void *)world->shared;
}

static void await_goodbye(struct world *world)
{
    while (!__atomic_load_n(parted(world), __ATOMIC_SEQ_CST) &&
           !__atomic_load_n(parted(world) + 1, __ATOMIC_SEQ_CST))
        world_sleep_us(100);
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
    await_goodbye(world);
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

/* ---- with windows, and without ---- */

/* Its window is left: the process is missed. */
static void open__body(struct world *world)
{
    struct proa_win *win = begin_to_leave(world);

    CHECK_OK(proa_win_fence(win, 0));
    world_barrier(world);
    if (world->rank == 1)
        exit(EXIT_SUCCESS);
    await_goodbye(world);
    CHECK_EQUAL(parted(world)[0], 1);
    CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "rank 1 is gone"));
    exit(EXIT_SUCCESS);
}
WORLD_TEST(open_, 2, .before = on_nodes, .limit_s = 5)

/* It has freed its window, which is in its last barrier elsewhere: it is not missed. */
static void freed_body(struct world *world)
{
    struct proa_win *win = begin_to_leave(world);

    world_barrier(world);
    if (world->rank == 1) {
        proa_win_release(win);
        exit(EXIT_SUCCESS);
    }
    await_goodbye(world);
    CHECK_EQUAL(parted(world)[1], 1);
    proa_progress_enter();
    for (int i = 0; i < 2; i++)
        proa_progress_step();
    CHECK_FAILS(proa_progress_send(proa_remote_know(win, 1)->peer, "?", 1), PROA_ERR_OTHER);
    CHECK(!proa_is_failed(win, 1));
    proa_progress_leave();
    exit(EXIT_SUCCESS);
}
WORLD_TEST(freed, 2, .before = on_nodes, .limit_s = 5)

/* ---- a child of fork ---- */

static void child_exits(void)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0)
        exit(EXIT_SUCCESS);
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK_EQUAL(status, 0);
}

/* Small and large puts, there and back. */
static void goes_on(struct proa_win *win)
{
    static int64_t values[WORDS / 2];
    int other = !win->rank;

    for (int i = 0; i < WORDS / 2; i++)
        values[i] = win->rank + i;
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_OK(put_word(win, other, WORDS - 1, 3 + win->rank));
    CHECK_OK(put_many(win, other, 0, values, WORDS / 2, PROA_I64));
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_EQUAL(window_words(win)[WORDS - 1], 3 + other);
    for (int i = 0; i < WORDS / 2; i++)
        CHECK_EQUAL(window_words(win)[i], other + i);
}

static void child(struct world *world, struct proa_win *win)
{
    goes_on(win);
    if (world->rank == 0)
        child_exits();
    CHECK_OK(proa_win_fence(win, 0)); /* rank 1 waits meanwhile */
    goes_on(win);
    end(world, win);
}

static void child__body(struct world *world)
{
    child(world, begin_to_leave(world));
    CHECK_EQUAL(parted(world)[0] + parted(world)[1], 0);
}
WORLD_TEST(child_, 2, .before = on_nodes, .limit_s = 20)

#ifdef PROA_HAS_LIBFABRIC
/* The same over libfabric, whose destructors run in the child. */
static void child_of_libfabric_body(struct world *world)
{
    proa_remote_start(&proa_net_ofi);
    child(world, window_of_words(world, WORDS));
}

static void on_loopback_nodes(struct world *world)
{
    on_nodes(world);
    setenv("PROA_INTERFACE", "lo", 1);
}
WORLD_TEST(child_of_libfabric, 2, .before = on_loopback_nodes, .limit_s = 20)
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside),
        cmocka_unit_test(outside),
        cmocka_unit_test(anywhere),
        cmocka_unit_test(driven),
        cmocka_unit_test(quick),
        cmocka_unit_test(open_),
        cmocka_unit_test(freed),
        cmocka_unit_test(child_),
#ifdef PROA_HAS_LIBFABRIC
        cmocka_unit_test(child_of_libfabric),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
