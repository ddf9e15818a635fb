/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange of cards (window/gather.h): words that the processes have alike are not gathered. */
#include "world.h"
#include "base/fail.h"
#include "window/gather.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = PROA_GATHER_FEW + 36, WORDS = 6 };

struct card {
    uint64_t word[WORDS];
};

/* Unlike by its lowest bit, its highest, and all; alike: 0, all ones, and others. */
static struct card card_of(int rank)
{
    const uint64_t n = (uint64_t)rank;

    return (struct card){{n & 1, UINT64_MAX, 5 + ((n & 1) << 63), 0, n * 0x9e3779b97f4a7c15, 77}};
}

/* The bytes of a card, or of a row, that came through the exchange below. */
static size_t gathered;
static int (*exchange)(void *context, const void *mine, void *all, size_t bytes);

static int watched(void *context, const void *mine, void *all, size_t bytes)
{
    gathered = bytes;
    return exchange(context, mine, all, bytes);
}

static struct proa_group group_of(struct world *world, int size)
{
    struct proa_group group = world_stretch(world, size);

    exchange = group.allgather;
    group.allgather = watched;
    gathered = 0;
    return group;
}

/* The members behind the last process show what it does. */
static void check(const struct world *world, const struct card *all, int size)
{
    for (int i = 0; i < size; i++) {
        struct card card = card_of(i < world->size ? i : world->size - 1);

        CHECK(memcmp(&all[i], &card, sizeof card) == 0);
    }
}

static void words_body(struct world *world)
{
    const int sizes[] = {world->size, PROA_GATHER_FEW, PROA_GATHER_FEW + 1, MANY};
    struct card mine = card_of(world->rank), all[MANY];

    for (int i = 0; i < 4; i++) {
        struct proa_group group = group_of(world, sizes[i]);

        memset(all, 0xaa, sizeof all);
        CHECK_OK(proa_gather(&group, &mine, sizeof mine, all));
        check(world, all, sizes[i]);
        CHECK_EQUAL(gathered, sizes[i] > PROA_GATHER_FEW ? 3 * sizeof(uint64_t) : sizeof mine);
    }
}

WORLD_TEST(words, 3)

/* All words unlike, and none. */
static void all_or_none_body(struct world *world)
{
    struct proa_group group = group_of(world, MANY);
    struct card mine, all[MANY];

    for (int i = 0; i < WORDS; i++)
        mine.word[i] = (uint64_t)world->rank;
    CHECK_OK(proa_gather(&group, &mine, sizeof mine, all));
    CHECK_EQUAL(gathered, sizeof mine);
    for (int i = 0; i < MANY; i++)
        CHECK_EQUAL(all[i].word[WORDS - 1], (uint64_t)(i < world->size ? i : world->size - 1));
    mine = card_of(1);
    gathered = 0;
    CHECK_OK(proa_gather(&group, &mine, sizeof mine, all));
    CHECK_EQUAL(gathered, 0);
    for (int i = 0; i < MANY; i++)
        CHECK(memcmp(&all[i], &mine, sizeof mine) == 0);
}

WORLD_TEST(all_or_none, 3)

/* A process that has no memory tells the others. */
static void no_memory_body(struct world *world)
{
    struct proa_group group = group_of(world, MANY);
    struct card mine = card_of(world->rank), all[MANY];

    for (int wrong = 0; wrong < world->size; wrong++) {
        void *room = world->rank == wrong ? NULL : all;

        CHECK_EQUAL(proa_gather(&group, &mine, sizeof mine, room), PROA_ERR_NO_MEM);
        CHECK(strstr(proa_failure(), room ? "another rank" : "out of memory"));
    }
    CHECK_EQUAL(gathered, 0);
    world_break_exchange(PROA_ERR_COMM);
    CHECK_EQUAL(proa_gather(&group, &mine, sizeof mine, all), PROA_ERR_COMM);
}

WORLD_TEST(no_memory, 3)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(all_or_none),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
