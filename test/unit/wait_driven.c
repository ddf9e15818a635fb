/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that waits drives the network as long as something moves there (base/wait.c). */
#include "base/load.h"
#include "base/wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { DRIVES = 1000000 /* take longer than a spin without them */ };

static int moves; /* does the network? */
static int drives, hand_overs;

static int drive(void)
{
    drives++;
    return moves;
}

static void take_in(void)
{
}

static void hand_over(void)
{
    hand_overs++;
}

static int begin(void **state)
{
    static const struct proa_wait_driver driver = {drive, take_in, hand_over};

    (void)state;
    drives = hand_overs = 0;
    proa_load_set(1, 2);
    proa_wait_set_driver(&driver);
    return 0;
}

static int end(void **state)
{
    (void)state;
    proa_wait_set_driver(NULL);
    return 0;
}

static int has_driven(void *arg)
{
    (void)arg;
    return drives >= DRIVES || hand_overs;
}

static int has_handed_over(void *arg)
{
    (void)arg;
    return hand_overs > 0;
}

static void drives_while_something_moves(void **state)
{
    (void)state;
    moves = 1;
    proa_wait(has_driven, NULL, NULL);
    assert_int_equal(hand_overs, 0);
}

static void hands_over_where_nothing_moves(void **state)
{
    (void)state;
    moves = 0;
    proa_wait(has_handed_over, NULL, NULL);
    assert_int_equal(hand_overs, 1);
}

static int is_over(void *arg)
{
    (void)arg;
    return drives >= DRIVES || hand_overs;
}

static int never(void *arg)
{
    (void)arg;
    return 0;
}

static void gives_up_while_something_moves(void **state)
{
    (void)state;
    moves = 1;
    assert_int_equal(proa_wait_unless(never, NULL, NULL, is_over, NULL), 1);
    assert_int_equal(hand_overs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(drives_while_something_moves, begin, end),
        cmocka_unit_test_setup_teardown(hands_over_where_nothing_moves, begin, end),
        cmocka_unit_test_setup_teardown(gives_up_while_something_moves, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
