/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores that single steps see (traps/steps.h). */
#include "traps/protection.h"
#include "traps/steps.h"
#include "traps/trap.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static volatile int words[8]; /* those from the third on matter */
static volatile int other;
static char places[8]; /* return addresses */

static int matters(const void *memory, size_t bytes, int stores)
{
    (void)stores;
    return (uintptr_t)memory < (uintptr_t)(words + 8) &&
           (uintptr_t)memory + bytes > (uintptr_t)(words + 2);
}

static int begin(void **state)
{
    (void)state;
    return proa_protection_start(); /* cmocka takes the signals before each test */
}

static int end(void **state)
{
    struct proa_trap_hit hit;

    (void)state;
    while (proa_trap_next(&hit)) {
    }
    proa_protection_stop();
    return 0;
}

static void expect(const volatile int *word, enum proa_trap_access access)
{
    struct proa_trap_hit hit;

    assert_true(proa_trap_next(&hit));
    assert_ptr_equal(hit.memory, word);
    assert_int_equal(hit.bytes, sizeof *word);
    assert_int_equal(hit.access, access);
    assert_true(hit.is_step);
}

static void expect_none(void)
{
    struct proa_trap_hit hit;

    assert_false(proa_trap_next(&hit));
}

static void each_access(void **state)
{
    int is_whole;

    (void)state;
    proa_steps_begin(&places[0], matters);
    words[4] = 1;
    other = words[5];
    words[1] = other;
    is_whole = proa_steps_end();
    words[7] = 2;
    assert_true(is_whole);
    expect(&words[4], PROA_TRAP_STORE);
    expect(&words[5], PROA_TRAP_LOAD);
    expect_none();
}

static void too_many(void **state)
{
    int is_whole;

    (void)state;
    proa_steps_begin(&places[1], matters);
    words[4] = 1;
    for (int i = 0; i < PROA_STEPS; i++)
        other = i;
    words[5] = 1;
    is_whole = proa_steps_end();
    assert_false(is_whole);
    expect(&words[4], PROA_TRAP_STORE);
    expect_none();
}

static void loop(void **state)
{
    struct proa_trap_hit hit;
    int count = 0;

    (void)state;
    proa_steps_begin(&places[2], matters);
    for (int i = 0; i < 2 * PROA_STEPS_HITS; i++)
        other = words[3];
    assert_false(proa_steps_end());
    while (proa_trap_next(&hit))
        count++;
    assert_int_equal(count, PROA_STEPS_HITS);
}

/* The C library makes threads with all signals blocked. */
static void *do_nothing(void *unused)
{
    return unused;
}

static void thread(void **state)
{
    pthread_t made;

    (void)state;
    proa_steps_begin(&places[3], matters);
    words[4] = 1;
    pthread_create(&made, NULL, do_nothing, NULL);
    assert_false(proa_steps_end());
    pthread_join(made, NULL);
    expect(&words[4], PROA_TRAP_STORE);
}

static void blocked(void **state)
{
    sigset_t trap;

    (void)state;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    pthread_sigmask(SIG_BLOCK, &trap, NULL);
    proa_steps_begin(&places[4], matters);
    words[4] = 1;
    assert_false(proa_steps_end());
    pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
    expect_none();
}

static void place(void **state)
{
    (void)state;
    for (int i = 0; i <= PROA_STEPS_OF_PLACE; i++) {
        proa_steps_begin(&places[5], matters);
        words[4] = 1;
        assert_int_equal(proa_steps_end(), i < PROA_STEPS_OF_PLACE);
    }
    for (int i = 0; i < PROA_STEPS_OF_PLACE; i++)
        expect(&words[4], PROA_TRAP_STORE);
    expect_none();
}

/* Where a long computation follows, as behind most calls of a loop, steps are fewer. */
static void place_early(void **state)
{
    (void)state;
    for (int i = 0; i < PROA_STEPS_OF_PLACE; i++) {
        proa_steps_begin(&places[6], matters);
        words[4] = 1;
        for (int j = 0; j < PROA_STEPS; j++)
            other = j;
        assert_false(proa_steps_end());
    }
    for (int i = 0; i < PROA_STEPS_OF_PLACE / PROA_STEPS_EARLY; i++)
        expect(&words[4], PROA_TRAP_STORE);
    expect_none();
}

/* A handler of the program that accesses protected memory makes steps by itself, which a call of
 * sigprocmask cuts. It comes in the midst of ours, or of code that makes steps. */
static volatile int *protected_page;

static void on_signal(int number)
{
    sigset_t none;

    (void)number;
    protected_page[0] = 1;
    sigemptyset(&none);
    sigprocmask(SIG_BLOCK, &none, NULL);
}

static int matters_and_raises(const void *memory, size_t bytes, int stores)
{
    if (matters(memory, bytes, stores))
        kill(getpid(), SIGUSR1);
    return 0;
}

static void handler(void **state)
{
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    struct proa_trap_hit hit;

    (void)state;
    protected_page = memory;
    signal(SIGUSR1, on_signal);
    assert_int_equal(proa_protection_add(memory, bytes), 0);
    proa_steps_begin(&places[7], matters_and_raises);
    words[4] = 1;
    assert_false(proa_steps_end());
    assert_true(proa_trap_next(&hit));
    assert_ptr_equal(hit.memory, memory);
    proa_protection_drop(memory);
    munmap(memory, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_access, begin, end),
        cmocka_unit_test_setup_teardown(too_many, begin, end),
        cmocka_unit_test_setup_teardown(loop, begin, end),
        cmocka_unit_test_setup_teardown(thread, begin, end),
        cmocka_unit_test_setup_teardown(blocked, begin, end),
        cmocka_unit_test_setup_teardown(place, begin, end),
        cmocka_unit_test_setup_teardown(place_early, begin, end),
        cmocka_unit_test_setup_teardown(handler, begin, end),
    };

    if (proa_protection_start() != 0) {
        print_message("no single step is known of this processor\n");
        return 77;
    }
    proa_protection_stop();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
