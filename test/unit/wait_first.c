/* SPDX-License-Identifier: BSD-3-Clause */
/* The first looks of a wait for a count (base/wait.h): made where the process has a processor of
 * its own and nothing else to do, and nowhere else. */
#include "base/load.h"
#include "base/wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t word = 1;

/* Whether they see a count that has come, behind a wait that finds out if there are any. */
static int looks_first(void)
{
    proa_wait_count_unless(&word, 1, NULL, NULL, NULL);
    return proa_wait_first_looks(&word, 1, 1);
}

static int has_own_processor(void **state)
{
    (void)state;
    proa_load_set(1, 2);
    return 0;
}

static void looks_with_a_processor_of_its_own(void **state)
{
    (void)state;
    assert_true(looks_first());
    assert_false(proa_wait_first_looks(&word, 2, 1));
    assert_false(proa_wait_first_looks(&word, 2, 4));
}

static void yields_first_where_processors_are_short(void **state)
{
    (void)state;
    proa_load_set(3, 2);
    assert_false(looks_first());
    proa_load_set(1, 2);
    assert_true(looks_first());
}

static void do_nothing(void)
{
}

static void drives_the_network_first(void **state)
{
    static const struct proa_wait_driver driver = {do_nothing, do_nothing, do_nothing};

    (void)state;
    proa_wait_set_driver(&driver);
    assert_false(looks_first());
    proa_wait_set_driver(NULL);
    assert_true(looks_first());
}

static void watch(const uint64_t *awaited, long ns)
{
    (void)awaited, (void)ns;
}

static void is_watched_from_the_first_look(void **state)
{
    (void)state;
    proa_wait_set_watcher(watch);
    assert_false(looks_first());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_with_a_processor_of_its_own),
        cmocka_unit_test(yields_first_where_processors_are_short),
        cmocka_unit_test(drives_the_network_first),
        cmocka_unit_test(is_watched_from_the_first_look), /* a watcher stays */
    };

    return cmocka_run_group_tests(tests, has_own_processor, NULL);
}
