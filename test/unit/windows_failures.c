/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation of windows that fails: the same outcome on every process, and nothing lost. */
#include "move.h"
#include "windows.h"

#include "base/fail.h"
#include "create/start.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

/* ---- failures: the same outcome on every process, and nothing lost ---- */

static void check_all_fail(struct world *world, const struct proa_create_args *args, int expected)
{
    void *before = next_block();
    struct proa_win *win = NULL;

    CHECK_FAILS(proa_win_create(args, &world->group, &win), expected);
    CHECK(!win);
    CHECK_EQUAL(next_block(), before);
    window_free(window_of_words(world, 4)); /* and the next one works */
}

static void error_on_one_body(struct world *world)
{
    static const int codes[] = {PROA_ERR_SIZE, PROA_ERR_DISP, PROA_ERR_BASE, PROA_ERR_INFO,
                                PROA_ERR_INTERN};

    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++)
        for (int wrong = 0; wrong < world->size; wrong++) {
            struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
            args.bytes = flavor == PROA_FLAVOR_ALLOCATE || flavor == PROA_FLAVOR_SHARED ? 1000 : 0;
            proa_fail(0, " "); /* the sentence that bind left, on the wrong one */
            args.error = world->rank == wrong ? codes[(flavor + wrong) % 5] : 0;
            check_all_fail(world, &args, codes[(flavor + wrong) % 5]);
            /* Two wrong ones, differently: all tell of the same. */
            args.error = world->rank == wrong                       ? codes[0]
                         : world->rank == (wrong + 1) % world->size ? codes[1]
                                                                    : 0;
            check_all_fail(world, &args,
                           world->size == 1 || wrong < (wrong + 1) % world->size ? codes[0]
                                                                                 : codes[1]);
        }
}

static void error_on_one(void **state)
{
    (void)state;
    on_all_sizes(error_on_one_body, NULL);
}

/* Processes that call different functions: nothing sensible can be done, but no process is left
 * waiting. */
static void different_flavors_body(struct world *world)
{
    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++) {
        struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
        args.bytes = flavor == PROA_FLAVOR_ALLOCATE || flavor == PROA_FLAVOR_SHARED ? 1000 : 0;
        if (world->rank == world->size - 1)
            args.flavor = (enum proa_flavor)((flavor + 1) % (PROA_FLAVOR_SHARED + 1));
        check_all_fail(world, &args, PROA_ERR_RMA_FLAVOR);
    }
}

static void different_flavors(void **state)
{
    (void)state;
    for (int size = 2; size <= 4; size++)
        world_run(&(struct world_plan){.size = size, .body = different_flavors_body});
}

/* One cannot serve, wherever the others' mistakes are: there is no window, and all say why. */
static void elsewhere_for_one_body(struct world *world)
{
    static const char moon[] = "the moon is in the wrong quarter";

    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++)
        for (int wrong = 0; wrong < world->size; wrong++) {
            struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
            proa_fail(0, "%s", world->rank == wrong ? moon : "all is well here");
            args.error = world->rank == wrong ? PROA_ELSEWHERE : 0;
            check_all_fail(world, &args, PROA_ELSEWHERE);
            proa_fail(0, "%s", world->rank == wrong ? moon : "all is well here");
            args.error = world->rank == wrong ? PROA_ELSEWHERE : PROA_ERR_SIZE;
            CHECK_EQUAL(proa_win_create(&args, &world->group, &(struct proa_win *){NULL}),
                        PROA_ELSEWHERE);
            CHECK(strstr(proa_failure(), moon));
        }
}

static void elsewhere_for_one(void **state)
{
    (void)state;
    on_all_sizes(elsewhere_for_one_body, NULL);
}

/* It need not even have core. */
static void without_core_body(struct world *world)
{
    int wrong = *(const int *)world->arg;

    if (world->rank == wrong)
        proa_core_stop();
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++) {
        struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
        struct proa_win *win = NULL;
        proa_fail(0, "no core here");
        args.error = world->rank == wrong ? PROA_ELSEWHERE : 0;
        CHECK_FAILS(proa_win_create(&args, &world->group, &win), PROA_ELSEWHERE);
        CHECK(!win && strstr(proa_failure(), "no core here"));
    }
}

static void without_core(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 3; wrong++)
        world_run(&(struct world_plan){.size = 3, .body = without_core_body, .arg = &wrong});
}

/* The last step, by the window's user, fails on one. */
struct finishing {
    int code, calls;
};

static int finish(struct proa_win *win, void *user)
{
    struct finishing *finishing = user;

    CHECK_EQUAL(win->user, user);
    finishing->calls++;
    return finishing->code ? proa_fail(finishing->code, "could not finish") : PROA_OK;
}

static void unfinished_body(struct world *world)
{
    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++)
        for (int wrong = 0; wrong < world->size; wrong++) {
            struct finishing finishing = {.code = world->rank == wrong ? PROA_ERR_NO_MEM : 0};
            struct proa_create_args args = {.flavor = (enum proa_flavor)flavor,
                                            .disp_unit = 1,
                                            .finish = finish,
                                            .user = &finishing};
            check_all_fail(world, &args, PROA_ERR_NO_MEM);
            CHECK_EQUAL(finishing.calls, 1);
            finishing = (struct finishing){0};
            window_free(window_create(world, &args));
            CHECK_EQUAL(finishing.calls, 1);
        }
}

static void unfinished(void **state)
{
    (void)state;

    world_needs_kernel();
    on_all_sizes(unfinished_body, NULL);
}

static void no_memory_body(struct world *world)
{
    uint64_t too_much = UINT64_C(1) << 46;

    window_free(window_of_words(world, 4));
    for (int wrong = 0; wrong < world->size; wrong++) {
        struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .disp_unit = 1};
        args.bytes = world->rank == wrong ? too_much : 100;
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
        args.flavor = PROA_FLAVOR_SHARED; /* contiguous: rank 0 finds out, for all */
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
        args.noncontig = 1;
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
    }
    /* Only together too much; and so much that the sum wraps around. */
    if (world->size > 1) {
        struct proa_create_args args = {
            .flavor = PROA_FLAVOR_SHARED, .disp_unit = 1, .bytes = (uint64_t)INT64_MAX};
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
        args.bytes = UINT64_C(1) << 45;
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
        args.bytes = UINT64_MAX / (uint64_t)world->size + 1;
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
    }
}

static void no_memory(void **state)
{
    (void)state;
    on_all_sizes(no_memory_body, NULL);
}

/* The last process may have no files larger than 4 MiB: a window that it cannot share is the
 * host's, for all. */
static void last_has_small_files(struct world *world)
{
    struct rlimit files = {4 << 20, RLIM_INFINITY};

    setenv("PROA_LOG", "0", 1);
    if (world->rank == world->size - 1)
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &files), 0);
}

static void small_files_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .disp_unit = 1, .bytes = 8 << 20};

    window_free(window_of_words(world, 4));
    check_all_fail(world, &args, PROA_ELSEWHERE);
    args.flavor = PROA_FLAVOR_SHARED;
    args.noncontig = 1;
    check_all_fail(world, &args, PROA_ELSEWHERE);
    args.bytes = 1 << 20;
    window_free(window_create(world, &args));
}

static void small_files(void **state)
{
    (void)state;
    for (int size = 1; size <= 3; size++)
        world_run(&(struct world_plan){
            .size = size, .before = last_has_small_files, .body = small_files_body});
}

/* ---- no memory on one process, at each place where some is asked for ---- */

/* so many calls succeed, one fails, then all succeed; below 0: none fails */
static int calloc_fails_after = -1;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return calloc_fails_after >= 0 && calloc_fails_after-- == 0 ? NULL
                                                                : __real_calloc(count, bytes);
}

/* The outcome of a creation in which process `wrong` gets no memory at its n-th request; the same
 * for all. *asked: it asked so often. */
static int create_without(struct world *world, const struct proa_create_args *args,
                          const struct proa_group *group, int wrong, int n, int *asked)
{
    struct proa_win *win = NULL;
    void *before = next_block();
    int outcomes[WORLD_MOST], outcome;

    calloc_fails_after = world->rank == wrong ? n : -1;
    outcome = proa_win_create(args, group, &win);
    *asked = world->rank == wrong && calloc_fails_after < 0;
    calloc_fails_after = -1;
    CHECK_EQUAL(world->group.allgather(world->group.context, &outcome, outcomes, sizeof outcome),
                0);
    for (int i = 0; i < world->size; i++)
        CHECK_EQUAL(outcomes[i], outcome);
    if (outcome == PROA_OK)
        /* its members do not all stand for processes: no barrier of theirs */
        proa_win_release(win);
    CHECK_EQUAL(next_block(), before);
    CHECK_EQUAL(world->group.max(world->group.context, asked), 0);
    return outcome;
}

static void no_memory_alone_body(struct world *world)
{
    /* more members than room is kept for their cards */
    struct proa_group groups[] = {world->group, world_stretch(world, 100)};

    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++)
        for (int i = 0; i < 2; i++)
            for (int wrong = 0; wrong < world->size; wrong++) {
                struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
                int n = 0, asked = 1;
                for (; asked; n++) {
                    int outcome = create_without(world, &args, &groups[i], wrong, n, &asked);
                    CHECK_EQUAL(outcome, asked ? PROA_ERR_NO_MEM : PROA_OK);
                }
                CHECK(n > 3); /* window, targets, pairs */
            }
}

static void no_memory_alone(void **state)
{
    (void)state;

    world_needs_kernel();
    on_all_sizes(no_memory_alone_body, NULL);
}

static void broken_exchange_body(struct world *world)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 100, .disp_unit = 1};
    struct proa_win *win = NULL;
    void *before = next_block();

    world_break_exchange(PROA_ERR_COMM);
    CHECK_EQUAL(proa_win_create(&args, &world->group, &win), PROA_ERR_COMM);
    CHECK(!win);
    world_break_exchange(0);
    CHECK_EQUAL(next_block(), before);
    window_free(window_of_words(world, 4));
}

WORLD_TEST(broken_exchange, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_on_one),      cmocka_unit_test(no_memory),
        cmocka_unit_test(different_flavors), cmocka_unit_test(small_files),
        cmocka_unit_test(broken_exchange),   cmocka_unit_test(no_memory_alone),
        cmocka_unit_test(unfinished),        cmocka_unit_test(elsewhere_for_one),
        cmocka_unit_test(without_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
