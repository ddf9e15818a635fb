/* SPDX-License-Identifier: BSD-3-Clause */
/* Which loads may poll a location (check/polls.h). */
#include "check/polls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

enum { KEPT = 64 }; /* pairs of address and place */

static const char places[2];

/* A load by a thread, this one or another. */
static struct proa_touched load_by(int thread, int is_repeated)
{
    return (struct proa_touched){
        .what = PROA_LOADS, .thread = (uint32_t)thread, .is_repeated = (uint8_t)is_repeated};
}

/* The call of another thread takes it: between its own two calls, it polls if it is repeated. */
static void repeated(void **state)
{
    const struct proa_touched once = load_by(gettid() + 1, 0), often = load_by(gettid() + 1, 1);

    (void)state;
    assert_int_equal(proa_polls_may(&once, 0), 0);
    assert_int_equal(proa_polls_may(&often, 0), 1);
}

/* In front of the thread's MPI_Win_sync, or behind it. */
static void beside_sync(void **state)
{
    const struct proa_touched load = load_by(gettid(), 0), other = load_by(gettid() + 1, 0);

    (void)state;
    assert_int_equal(proa_polls_may(&load, 1), 1);
    assert_int_equal(proa_polls_may(&other, 1), 0);
    proa_polls_called(1);
    assert_int_equal(proa_polls_may(&load, 0), 1);
    proa_polls_called(0);
    assert_int_equal(proa_polls_may(&load, 0), 0);
}

/* The last pairs are kept, and each counts once. */
static void noted(void **state)
{
    (void)state;
    assert_int_equal(proa_polls_noted(8, &places[0]), 0);
    for (int i = 0; i < 2 * KEPT; i++)
        proa_polls_note(8, &places[0]);
    assert_int_equal(proa_polls_noted(8, &places[0]), 1);
    assert_int_equal(proa_polls_noted(16, &places[0]), 0);
    assert_int_equal(proa_polls_noted(8, &places[1]), 0);
    for (uintptr_t i = 1; i < KEPT; i++)
        proa_polls_note(8 + 8 * i, &places[0]);
    assert_int_equal(proa_polls_noted(8, &places[0]), 1);
    proa_polls_note(8, &places[1]);
    assert_int_equal(proa_polls_noted(8, &places[0]), 0);
    assert_int_equal(proa_polls_noted(8, &places[1]), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated),
        cmocka_unit_test(beside_sync),
        cmocka_unit_test(noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
