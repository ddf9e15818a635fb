/* SPDX-License-Identifier: BSD-3-Clause */
/* See move.h. */
#include "move.h"

#include "base/fail.h"

#include <pthread.h>
#include <string.h>

static struct proa_type types[PROA_BASIC_COUNT];
static pthread_once_t types_once = PTHREAD_ONCE_INIT;

static void types_fill(void)
{
    for (int i = 0; i < PROA_BASIC_COUNT; i++)
        CHECK_OK(proa_type_basic((enum proa_basic)i, &types[i]));
}

const struct proa_type *basic_type(enum proa_basic basic)
{
    pthread_once(&types_once, types_fill);
    return &types[basic];
}

/* ---- windows ---- */

struct proa_win *window_create(struct world *world, const struct proa_create_args *args)
{
    struct proa_win *win = NULL;

    CHECK_OK(proa_win_create(args, &world->group, &win));
    CHECK(win);
    return win;
}

struct proa_win *window_of_words(struct world *world, uint64_t words)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8 * words, .disp_unit = 8};
    struct proa_win *win = window_create(world, &args);

    if (words)
        memset(win->base, 0, 8 * words);
    world_barrier(world);
    return win;
}

void window_free(struct proa_win *win)
{
    CHECK_OK(proa_win_may_free(win));
    proa_barrier_last(win);
    proa_win_release(win);
}

int64_t *window_words(const struct proa_win *win)
{
    return win->base;
}

/* ---- operations ---- */

/* Most operations the way that bind takes: the plain one, and if that says no the general one. Some
 * by the general one at once. */
static int tries_plain(void)
{
    static _Thread_local unsigned turn;

    return turn++ % 4 != 3;
}

int put_many(struct proa_win *win, int rank, int64_t displacement, const void *values,
             uint64_t count, enum proa_basic basic)
{
    struct proa_buffer origin = {(void *)(uintptr_t)values, count, basic_type(basic)};
    struct proa_there there = {rank, displacement, count, basic_type(basic), PROA_CALL_Put};

    if (tries_plain() &&
        proa_move_plain(win, PROA_PUT, values, count, there.type, rank, displacement))
        return PROA_OK;
    return proa_put(win, &origin, &there);
}

int get_many(struct proa_win *win, int rank, int64_t displacement, void *values, uint64_t count,
             enum proa_basic basic)
{
    struct proa_buffer origin = {values, count, basic_type(basic)};
    struct proa_there there = {rank, displacement, count, basic_type(basic), PROA_CALL_Get};

    if (tries_plain() &&
        proa_move_plain(win, PROA_GET, values, count, there.type, rank, displacement))
        return PROA_OK;
    return proa_get(win, &origin, &there);
}

/* What the plain way leaves to its callers to look at (rma/op.h). */
static int fits_plain(uint64_t count)
{
    return count - 1 < INT32_MAX;
}

int accumulate_many(struct proa_win *win, int rank, int64_t displacement, const void *values,
                    uint64_t count, enum proa_basic basic, enum proa_operation operation)
{
    struct proa_buffer origin = {(void *)(uintptr_t)values, count, basic_type(basic)};
    struct proa_there there = {rank, displacement, count, basic_type(basic), PROA_CALL_Accumulate};

    if (tries_plain() && operation != PROA_OP_NO_OP && fits_plain(count) &&
        proa_accumulate_plain(win, values, NULL, NULL, count, there.type, rank, displacement,
                              operation))
        return PROA_OK;
    return proa_accumulate(win, &origin, &there, operation);
}

int get_accumulate_many(struct proa_win *win, int rank, int64_t displacement, const void *values,
                        void *results, uint64_t count, enum proa_basic basic,
                        enum proa_operation operation)
{
    struct proa_buffer origin = {(void *)(uintptr_t)values, count, basic_type(basic)},
                       result = {results, count, basic_type(basic)};
    struct proa_there there = {rank, displacement, count, basic_type(basic),
                               PROA_CALL_Get_accumulate};

    if (tries_plain() && results && fits_plain(count) &&
        proa_accumulate_plain(win, values, results, NULL, count, there.type, rank, displacement,
                              operation))
        return PROA_OK;
    return proa_get_accumulate(win, &origin, &result, &there, operation);
}

int put_word(struct proa_win *win, int rank, int64_t displacement, int64_t value)
{
    return put_many(win, rank, displacement, &value, 1, PROA_I64);
}

int get_word(struct proa_win *win, int rank, int64_t displacement, int64_t *value)
{
    return get_many(win, rank, displacement, value, 1, PROA_I64);
}

int64_t fetch_op(struct proa_win *win, int rank, int64_t displacement, int64_t value,
                 enum proa_operation operation)
{
    struct proa_there there = {rank, displacement, 1, basic_type(PROA_I64), PROA_CALL_Fetch_and_op};
    int64_t result = -1;

    if (!tries_plain() || !proa_accumulate_plain(win, &value, &result, NULL, 1, there.type, rank,
                                                 displacement, operation))
        CHECK_OK(proa_fetch_and_op(win, &value, &result, &there, operation));
    return result;
}

int64_t compare_swap(struct proa_win *win, int rank, int64_t displacement, int64_t compare,
                     int64_t value)
{
    struct proa_there there = {rank, displacement, 1, basic_type(PROA_I64),
                               PROA_CALL_Compare_and_swap};
    int64_t result = -1;

    if (!tries_plain() || !proa_accumulate_plain(win, &value, &result, &compare, 1, there.type,
                                                 rank, displacement, PROA_OP_REPLACE))
        CHECK_OK(proa_compare_and_swap(win, &value, &compare, &result, &there));
    return result;
}
