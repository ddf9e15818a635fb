/* SPDX-License-Identifier: BSD-3-Clause */
/* Is moving memory worth it (adopt/policy.h)? By a pretended clock. */
#include "move.h"

#include "base/system.h"
#include "adopt/adopt.h"
#include "rma/pages.h"
#include "rma/regions.h"
#include "rma/road.h"
#include "adopt/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { US = 1000 };

static struct proa_system pretended;
static long clock_ns = 1;
static long move_takes_ns;  /* at each hold */
static int pretends_memory; /* holds are of no real memory, and adopt all of it or none: */
static int pretends_adopted = 1;
static int asks_to_move; /* the last hold */

static long now_ns(void)
{
    return clock_ns;
}

static void pretend(void)
{
    pretended = *proa_system;
    pretended.now_ns = now_ns;
    proa_system = &pretended;
}

int __real_proa_adopt_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                           enum proa_adopt adopt);
int __wrap_proa_adopt_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                           enum proa_adopt adopt);
int __wrap_proa_adopt_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                           enum proa_adopt adopt)
{
    asks_to_move = adopt != PROA_ADOPT_NEVER;
    clock_ns += asks_to_move ? move_takes_ns : 0;
    if (pretends_memory) {
        *hold = (struct proa_hold){.first = (uintptr_t)base, .end = (uintptr_t)base + bytes};
        hold->piece = hold->few;
        hold->few[hold->count++] = (struct proa_piece){hold->end, asks_to_move && pretends_adopted};
        return PROA_OK;
    }
    return __real_proa_adopt_hold(hold, base, bytes, adopt);
}

/* ---- the rules ---- */

/* A window on bytes bytes at address for which moving takes, and that lives and is worked on, like
 * that. Was its memory to move? */
static int window(uintptr_t address, uint64_t bytes, long takes_us, long lives_us, uint64_t calls)
{
    struct proa_hold hold;

    move_takes_ns = takes_us * US;
    pretends_memory = 1;
    CHECK_OK(proa_adopt_policy_hold(&hold, (const void *)address, bytes, PROA_ADOPT_AUTO));
    pretends_memory = 0;
    clock_ns += lives_us * US;
    proa_adopt_policy_freed(&hold, calls);
    return asks_to_move;
}

/* How many windows in a row have their memory moved before one has not. */
static int until_one_stays(uintptr_t address, long takes_us)
{
    int count = 0;

    while (count < 1000 && window(address, 64, takes_us, 10, 0))
        count++;
    return count;
}

static void rules_body(struct world *world)
{
    (void)world;
    pretend();
    /* 80 us each time, there and back: 500 us are wasted after the seventh */
    CHECK_EQUAL(until_one_stays(0x10000, 40), 7);
    CHECK(!window(0x10000, 64, 40, 1000000, 160)); /* 80 us of calls: no more than moving */
    CHECK(!window(0x10000, 64, 40, 10, 161));      /* more */
    CHECK_EQUAL(until_one_stays(0x10000, 40), 13); /* of twice as much waste */
    /* others, also one that begins at the same place */
    CHECK(window(0x10000, 65, 40, 1000, 0));
    CHECK(window(0x20000, 64, 40, 10, 0));
    CHECK(!window(0x10000, 64, 40, 10, 0));
    /* one that lives for longer ends a row */
    for (int i = 0; i < 1000; i++)
        CHECK(window(0x40000, 64, 30, i % 8 == 7 ? 60 : 10, 0));
    /* one is no row, however much it has wasted */
    CHECK_EQUAL(until_one_stays(0x50000, 1000000), 2);
    CHECK(!window(0x50000, 64, 40, 10, 0));
    proa_adopt_policy_always();
    CHECK(window(0x50000, 64, 40, 10, 0));
}

WORLD_TEST(rules, 1, .kernel = 1)

/* Memory that cannot be moved has wasted nothing. */
static void not_to_be_had_body(struct world *world)
{
    (void)world;
    pretend();
    pretends_adopted = 0;
    for (int i = 0; i < 100; i++)
        CHECK(window(0x60000, 64, 1000, 0, 0));
}

WORLD_TEST(not_to_be_had, 1)

/* ---- real windows ---- */

enum { WORDS = 8192, BYTES = WORDS * sizeof(int64_t) }; /* a page of 64 KiB */

/* A window in which each puts so many words to the other. By which road? */
static int use(struct world *world, int64_t *words, int times)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_CREATE,
                                    .base = words,
                                    .bytes = BYTES,
                                    .disp_unit = sizeof *words,
                                    .adopt = PROA_ADOPT_AUTO};
    struct proa_win *win = window_create(world, &args);
    int road = win->targets[1 - world->rank].only.road;

    CHECK_OK(proa_win_lock_all(win, 0));
    for (int i = 0; i < times; i++)
        CHECK_OK(put_word(win, 1 - world->rank, (uint64_t)i, i));
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
    for (int i = 0; i < times; i++)
        CHECK_EQUAL(words[i], i);
    return road;
}

static void windows_body(struct world *world)
{
    int64_t *words = aligned_alloc(BYTES, BYTES);

    CHECK(words);
    pretend();
    move_takes_ns = 150 * US;
    for (int i = 0; i < 2; i++)
        CHECK(use(world, words, 10) == PROA_ROAD_STORE);
    for (int i = 0; i < 10; i++)
        CHECK(use(world, words, 10) == PROA_ROAD_CMA);
    CHECK(use(world, words, 1000) == PROA_ROAD_CMA); /* 500 us of calls, and moving is 300 */
    for (int i = 0; i < 4; i++)
        CHECK(use(world, words, 10) == PROA_ROAD_STORE);
    CHECK(use(world, words, 10) == PROA_ROAD_CMA);
    free(words);
}

WORLD_TEST(windows, 2, .kernel = 1)

/* ---- regions ---- */

/* Attaches words, of which neighbours reach so many through the kernel, and detaches them. Have
 * they moved? */
static int attached(struct proa_win *win, int64_t *words, uint64_t calls)
{
    struct proa_span span;

    CHECK_OK(proa_regions_attach(win, words, BYTES));
    CHECK_OK(proa_regions_find(win, &win->targets[win->rank], (uint64_t)(uintptr_t)words, BYTES, 0,
                               &span));
    CHECK(span.road == PROA_ROAD_STORE);
    win->ctl->through_kernel += calls;
    CHECK_OK(proa_regions_detach(win, words));
    return span.adopted;
}

static void regions_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1, .adopt = PROA_ADOPT_AUTO};
    struct proa_win *win = window_create(world, &args);
    int64_t *words = aligned_alloc(BYTES, BYTES);

    CHECK(words);
    pretend();
    move_takes_ns = 150 * US;
    for (int i = 0; i < 2; i++)
        CHECK(attached(win, words, 0));
    for (int i = 0; i < 10; i++)
        CHECK(!attached(win, words, 10));
    CHECK(!attached(win, words, 1000)); /* 500 us of calls, and moving is 300 */
    for (int i = 0; i < 4; i++)
        CHECK(attached(win, words, 0));
    CHECK(!attached(win, words, 0));
    free(words);
    window_free(win);
}

WORLD_TEST(regions, 2, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),
        cmocka_unit_test(not_to_be_had),
        cmocka_unit_test(windows),
        cmocka_unit_test(regions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
