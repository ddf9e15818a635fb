/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of a datatype (type/type.h): nodes with few runs have them as a list, others do not. */
#include "world.h"

#include "type/type.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { PARTS = 4 };

/* Rows of words with gaps between: runs in the first, one more in each further one, so that they
 * are no loop. */
static struct proa_type rows(uint64_t runs)
{
    struct proa_type word, apart, type;
    struct proa_part parts[PARTS];

    CHECK_OK(proa_type_basic(PROA_I64, &word));
    CHECK_OK(proa_type_resize(&word, 16, &apart));
    for (uint64_t i = 0; i < PARTS; i++)
        parts[i] =
            (struct proa_part){.offset = (int64_t)i << 20, .count = runs + i, .type = &apart};
    CHECK_OK(proa_type_list(parts, PARTS, &type));
    proa_type_release(&apart);
    proa_type_release(&word);
    return type;
}

static void lists_body(struct world *world)
{
    struct proa_type few = rows(2), many = rows(1000);

    (void)world;
    CHECK(few.data->list && few.data->list->count == 2 + 3 + 4 + 5);
    CHECK(!many.data->list);
    CHECK_EQUAL(many.size, 8 * (4 * 1000 + 6));
    proa_type_release(&many);
    proa_type_release(&few);
}
WORLD_TEST(lists, 1)

/* Runs in no order of addresses: the bounds are those of all, not of the first and the last. */
static void bounds_body(struct world *world)
{
    struct proa_type word, type;
    static const int64_t offset[] = {300, 1000, 40, 500, 900, 120, 640, 800};
    enum { RUNS = sizeof offset / sizeof offset[0] };
    struct proa_part parts[RUNS];

    (void)world;
    CHECK_OK(proa_type_basic(PROA_I64, &word));
    for (int i = 0; i < RUNS; i++)
        parts[i] = (struct proa_part){.offset = offset[i], .count = 1, .type = &word};
    CHECK_OK(proa_type_list(parts, RUNS, &type));
    CHECK(type.data->list && !type.data->list->ascends);
    CHECK_EQUAL(type.data->list->low, 40);
    CHECK_EQUAL(type.data->list->high, 1008);
    proa_type_release(&type);
    proa_type_release(&word);
}
WORLD_TEST(bounds, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(bounds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
