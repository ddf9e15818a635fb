/* SPDX-License-Identifier: BSD-3-Clause */
/* The trial of a network at the creation of a window (remote/network.c): its time, on a pretended
 * network whose first answers are late, with a pretended clock. */
#include "nodes.h"

#include "base/system.h"
#include "remote/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct proa_system *real;
static long leapt_ns;

static long now_ns(void)
{
    return real->now_ns() + leapt_ns;
}

/* Of rank 0: so many looks at the network find no answer, and each takes so long. */
static long silent_looks, look_ns;

static int late_try(struct proa_net *net, uint32_t peer)
{
    if (silent_looks == 0)
        return proa_net_fake.try(net, peer);
    silent_looks--;
    leapt_ns += look_ns;
    return PROA_NET_AGAIN;
}

/* PROA_OK and *win, or the code of its creation. */
static int create(struct world *world, struct proa_win **win)
{
    static struct proa_net_transport late;
    static struct proa_system leaping;
    const struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8};

    late = proa_net_fake;
    late.try = late_try;
    real = proa_system;
    leaping = *real;
    leaping.now_ns = now_ns;
    if (world->rank == 0)
        proa_system = &leaping;
    else
        silent_looks = 0;
    net_fake_join(world);
    world_barrier(world);
    proa_remote_start(&late);
    return proa_win_create(&args, &world->group, win);
}

/* A process that is stopped again and again, for longer than a trial, gives no network up. */
static void stopped_body(struct world *world)
{
    struct proa_win *win;

    silent_looks = 10;
    look_ns = 100000000000L;
    CHECK_OK(create(world, &win));
    end(world, win);
}
WORLD_TEST(stopped, 2, .before = on_nodes)

/* A process that runs, and looks often, gives up one that is silent. */
static void silent_body(struct world *world)
{
    struct proa_win *win;

    silent_looks = 100000;
    look_ns = 40000000;
    CHECK_EQUAL(create(world, &win), PROA_ELSEWHERE);
    if (world->rank == 0)
        CHECK(leapt_ns < 70000000000L);
    world_barrier(world);
    proa_progress_stop();
}
WORLD_TEST(silent, 2, .before = on_nodes)

/* A transport that lacks any one function is not opened, so no call of it can end at address 0. */
static void incomplete_body(struct world *world)
{
    const struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8};
    struct proa_net_transport lacking;

    net_fake_join(world);
    for (size_t at = offsetof(struct proa_net_transport, open); at < sizeof lacking;
         at += sizeof lacking.open) {
        struct proa_win *win;

        lacking = proa_net_fake;
        memset((char *)&lacking + at, 0, sizeof lacking.open);
        proa_remote_start(&lacking);
        CHECK_EQUAL(proa_win_create(&args, &world->group, &win), PROA_ELSEWHERE);
        CHECK(strstr(proa_failure(), "the transport fake lacks a function"));
    }
    world_barrier(world);
    proa_progress_stop();
}
WORLD_TEST(incomplete, 2, .before = on_nodes)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stopped), cmocka_unit_test(silent),
                                       cmocka_unit_test(incomplete)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
