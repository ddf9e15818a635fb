/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of adopted memory (rma/pages.h, rma/regions.h): what was mapped and moved for a window
 * goes with it. */
#include "move.h"
#include "adopt_pages.h"

#include "rma/pages.h"
#include "rma/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

#include <cmocka.h>

static int64_t address_of(const void *p)
{
    return (int64_t)(uintptr_t)p;
}

/* ---- over the border of two blocks ---- */

enum { BYTES = 1 << 20 };

/* Memory of rank 0, with the border of two blocks in its middle. */
static char *over_border(void)
{
    uint64_t bytes = 2 * proa_pages_block;
    char *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint64_t border = ((uint64_t)(uintptr_t)room + BYTES + proa_pages_block - 1) /
                      proa_pages_block * proa_pages_block;
    char *memory = (char *)(uintptr_t)(border - BYTES / 2);

    CHECK(room != MAP_FAILED);
    CHECK(mprotect(memory, BYTES, PROT_READ | PROT_WRITE) == 0);
    return memory;
}

/* A window on rank 0's memory, to which rank 1 stores over the border. */
static void window_over_border(struct world *world, char *memory, int round)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_CREATE,
                                    .base = memory,
                                    .bytes = memory ? BYTES : 0,
                                    .disp_unit = 1,
                                    .adopt = PROA_ADOPT_ALWAYS};
    struct proa_win *win = window_create(world, &args);
    const struct proa_span *span = &win->targets[0].only;
    int64_t values[4] = {round, round + 1, round + 2, round + 3};

    CHECK_EQUAL(win->targets[0].span_count, 1);
    CHECK(span->adopted && span->here);
    CHECK_OK(proa_win_lock_all(win, 0));
    if (world->rank == 1)
        CHECK_OK(put_many(win, 0, BYTES / 2 - 16, values, 4, PROA_I64));
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    for (int i = 0; memory && i < 4; i++)
        CHECK_EQUAL(*(int64_t *)(void *)(memory + BYTES / 2 - 16 + 8 * i), round + i);
    window_free(win);
}

static void border_body(struct world *world)
{
    char *memory = world->rank == 0 ? over_border() : NULL;
    long mappings = 0;

    for (int round = 0; round < 20; round++) {
        window_over_border(world, memory, round);
        if (round == 1)
            mappings = world_mappings("memfd:proa");
    }
    CHECK_EQUAL(world_mappings("memfd:proa"), mappings);
    if (memory)
        CHECK_EQUAL(file_blocks(), 0);
}
WORLD_TEST(border, 2, .kernel = 1)

/* ---- a dynamic window that is freed with memory attached ---- */

static void attached_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1, .adopt = PROA_ADOPT_ALWAYS};
    struct proa_win *win = window_create(world, &args);
    int64_t *told = (int64_t *)(void *)world->shared;
    char *memory[2] = {map_pages(BYTES), map_pages(BYTES)};

    for (int i = 0; i < 2 && world->rank == 0; i++) {
        told[i] = address_of(memory[i]);
        fill(memory[i], BYTES, (uint64_t)i);
        CHECK_OK(proa_regions_attach(win, memory[i], BYTES));
        CHECK_EQUAL(world_flags(memory[i], "sh"), 1);
    }
    world_barrier(world);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int i = 0; i < 2 && world->rank == 1; i++)
        CHECK_OK(put_word(win, 0, told[i], 100 + i));
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
    for (int i = 0; i < 2 && world->rank == 0; i++) {
        CHECK_EQUAL(world_flags(memory[i], "sh"), 0);
        CHECK_EQUAL(*(int64_t *)(void *)memory[i], 100 + i);
        fill(memory[i], 8, (uint64_t)i);
        check_filled(memory[i], BYTES, (uint64_t)i);
    }
    if (world->rank == 0)
        CHECK_EQUAL(file_blocks(), 0);
    for (int i = 0; i < 2; i++)
        munmap(memory[i], BYTES);
}
WORLD_TEST(attached, 2, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(border),
        cmocka_unit_test(attached),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
