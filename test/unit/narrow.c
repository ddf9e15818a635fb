/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of one process beside windows of several over the same memory: elements are guarded in
 * the same way and by the same key in both, whichever window comes first and whichever goes, so
 * accumulates are atomic towards each other. mpi.atomic_windows counts the additions.
 */
#include "move.h"

#include "base/fail.h"
#include "rma/place.h"
#include "adopt/adopt.h"
#include "rma/regions.h"
#include "rma/road.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 1 << 16 };

/* ---- a window of this process alone ---- */

static int gather_one(void *context, const void *mine, void *all, size_t bytes)
{
    (void)context;
    memcpy(all, mine, bytes);
    return PROA_OK;
}

static int max_of_one(void *context, int *value)
{
    (void)context;
    (void)value;
    return PROA_OK;
}

static int tell_one(void *context, int rank, char *text, size_t bytes)
{
    (void)context;
    (void)rank;
    (void)text;
    (void)bytes;
    return PROA_OK;
}

static struct proa_win *open_window(const struct proa_group *group, enum proa_flavor flavor,
                                    void *base, enum proa_adopt adopt)
{
    int dynamic = flavor == PROA_FLAVOR_DYNAMIC;
    struct proa_create_args args = {.flavor = flavor,
                                    .base = dynamic ? NULL : base,
                                    .bytes = dynamic || !base ? 0 : BYTES,
                                    .disp_unit = 8,
                                    .adopt = (int)adopt};
    struct proa_win *win = NULL;

    CHECK_OK(proa_win_create(&args, group, &win));
    if (dynamic && base)
        CHECK_OK(proa_regions_attach(win, base, BYTES));
    return win;
}

static struct proa_win *open_narrow(enum proa_flavor flavor, void *base)
{
    const struct proa_group one = {
        .size = 1, .allgather = gather_one, .max = max_of_one, .tell = tell_one};

    return base ? open_window(&one, flavor, base, PROA_ADOPT_AUTO) : NULL;
}

/* ---- the same guard ---- */

/* Of rank 0's memory, in that process. */
static struct proa_span span_of(struct proa_win *win, void *base)
{
    struct proa_span span;
    uint64_t at = win->flavor == PROA_FLAVOR_DYNAMIC ? (uint64_t)(uintptr_t)base : 0;

    CHECK_OK(proa_span_find(win, &win->targets[0], at, 8, &span));
    return span;
}

static void check_same_guard(struct proa_win *narrow, struct proa_win *wide, void *base)
{
    struct proa_span one, other;

    if (!base)
        return;
    one = span_of(narrow, base);
    other = span_of(wide, base);
    CHECK_EQUAL(one.atomics, other.atomics);
    CHECK(one.owner == other.owner);
    CHECK_EQUAL(one.key, other.key);
}

struct order {
    enum proa_flavor narrow, wide;
    enum proa_adopt adopt;
    int narrow_first;
};

/* The wide window goes while the narrow one stays, and comes again. */
static void in_order(struct world *world, const struct order *o, void *base)
{
    struct proa_win *narrow = o->narrow_first ? open_narrow(o->narrow, base) : NULL,
                    *wide = open_window(&world->group, o->wide, base, o->adopt);

    if (!o->narrow_first)
        narrow = open_narrow(o->narrow, base);
    check_same_guard(narrow, wide, base);
    window_free(wide);
    wide = open_window(&world->group, o->wide, base, PROA_ADOPT_ALWAYS);
    check_same_guard(narrow, wide, base);
    if (narrow)
        proa_win_release(narrow);
    window_free(wide);
}

static void orders_body(struct world *world)
{
    static const enum proa_flavor flavors[] = {PROA_FLAVOR_CREATE, PROA_FLAVOR_DYNAMIC};
    void *base = world->rank == 0 ? aligned_alloc(BYTES, BYTES) : NULL;

    if (base)
        memset(base, 0, BYTES);
    for (int i = 0; i < 16; i++)
        in_order(world,
                 &(struct order){.narrow = flavors[i & 1],
                                 .wide = flavors[i >> 1 & 1],
                                 .narrow_first = i >> 2 & 1,
                                 .adopt = i >> 3 ? PROA_ADOPT_NEVER : PROA_ADOPT_ALWAYS},
                 base);
    free(base);
}

WORLD_TEST(orders, 2, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
