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
static long word;

/* A load by a thread, this one or another. */
static struct proa_trap_hit load_by(int thread)
{
    return (struct proa_trap_hit){
        .instruction = &places[0], .memory = &word, .access = PROA_TRAP_LOAD, .thread = thread};
}

static int may(const struct proa_trap_hit *hits, int count, int syncs)
{
    return proa_polls_may(hits, count, 0, syncs);
}

/* The call of another thread takes it: between its own two calls, it polls if it comes twice. */
static void repeated(void **state)
{
    const int other = gettid() + 1;
    struct proa_trap_hit hits[] = {load_by(other), load_by(other), load_by(gettid())};

    (void)state;
    assert_int_equal(may(hits, 1, 0), 0);
    assert_int_equal(may(hits, 2, 0), 1);
    hits[1].memory = NULL; /* elsewhere */
    assert_int_equal(may(hits, 2, 0), 0);
    hits[1] = hits[2]; /* by another thread */
    assert_int_equal(may(hits, 2, 0), 0);
}

/* In front of the thread's MPI_Win_sync, or behind it. */
static void beside_sync(void **state)
{
    struct proa_trap_hit hit = load_by(gettid()), other = load_by(gettid() + 1);

    (void)state;
    assert_int_equal(may(&hit, 1, 1), 1);
    assert_int_equal(may(&other, 1, 1), 0);
    proa_polls_called(1);
    assert_int_equal(may(&hit, 1, 0), 1);
    proa_polls_called(0);
    assert_int_equal(may(&hit, 1, 0), 0);
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
