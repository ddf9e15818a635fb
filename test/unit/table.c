/* SPDX-License-Identifier: BSD-3-Clause */
/* The table from handles to objects (base/table.c): against a model, growing, read by threads while
 * one writes. */
#include "world.h"

#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void *value_of(uintptr_t n)
{
    return (void *)(n * 16 + 8);
}

/* Tables here are static: old slots stay for readers, and leak checkers find them by way of the
 * table. */

/* ---- against a model ---- */

enum { KEYS = 3000 };

/* Keys as the hosts have them: small numbers with high bits (MPICH), addresses (Open MPI),
 * anything. */
static uintptr_t key_of(int kind, uintptr_t i)
{
    if (kind == 0)
        return 0xa0000000u + i;
    if (kind == 1)
        return 0x7f1200000000u + i * 256;
    if (kind == 2)
        return i + 2; /* 0 and 1 are the table's own */
    /* what the hash likes least, if anything */
    return (uintptr_t)((i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static void against_model(int kind)
{
    static uintptr_t model[KEYS]; /* 0: not there */
    static struct proa_table tables[4] = {PROA_TABLE_INIT, PROA_TABLE_INIT, PROA_TABLE_INIT,
                                          PROA_TABLE_INIT};
    struct proa_table *table = &tables[kind];
    uint64_t seed = (uint64_t)kind;

    memset(model, 0, sizeof model);
    CHECK(!proa_table_find(table, key_of(kind, 0)));
    CHECK(!proa_table_remove(table, key_of(kind, 0)));
    for (long step = 0; step < world_rounds(300000); step++) {
        uintptr_t i = world_below(&seed, step < 100000 ? 50 : KEYS), key = key_of(kind, i);
        uint64_t what = world_below(&seed, 10);
        if (what < 4) {
            model[i] = 1 + world_below(&seed, 1 << 20);
            CHECK_EQUAL(proa_table_set(table, key, value_of(model[i])), 0);
        } else if (what < 7) {
            CHECK_EQUAL(proa_table_remove(table, key), model[i] ? value_of(model[i]) : NULL);
            model[i] = 0;
        }
        CHECK_EQUAL(proa_table_find(table, key), model[i] ? value_of(model[i]) : NULL);
    }
    for (uintptr_t i = 0; i < KEYS; i++)
        CHECK_EQUAL(proa_table_find(table, key_of(kind, i)), model[i] ? value_of(model[i]) : NULL);
}

static void model_body(struct world *world)
{
    (void)world;
    for (int kind = 0; kind < 4; kind++)
        against_model(kind);
}

/* Slots whose key has gone keep its value, and neither 0 nor 1, which were never set, finds it. */
static void no_key_body(struct world *world)
{
    static struct proa_table table = PROA_TABLE_INIT;
    char value;

    (void)world;
    for (uintptr_t key = 2; key < 2000; key++) {
        CHECK_EQUAL(proa_table_set(&table, key, &value), 0);
        CHECK(proa_table_remove_pair(&table, key, &value) == &value);
        for (uintptr_t none = 0; none < 2; none++) {
            CHECK(!proa_table_find(&table, none));
            CHECK(!proa_table_remove_pair(&table, none, &value));
        }
    }
}

/* ---- growth ---- */

static void growth_body(struct world *world)
{
    static struct proa_table table = PROA_TABLE_INIT;
    uintptr_t many = (uintptr_t)world_rounds(200000);
    (void)world;

    for (uintptr_t i = 0; i < many; i++) {
        CHECK_EQUAL(proa_table_set(&table, key_of(1, i), value_of(i)), 0);
        CHECK_EQUAL(proa_table_find(&table, key_of(1, i / 2)), value_of(i / 2));
    }
    for (uintptr_t i = 0; i < many; i++)
        CHECK_EQUAL(proa_table_find(&table, key_of(1, i)), value_of(i));
    CHECK(!proa_table_find(&table, key_of(1, many)));
    /* at most half full, and not larger than need be */
    CHECK(2 * many <= __atomic_load_n(&table.slots, __ATOMIC_SEQ_CST)->mask + 1);
    CHECK(__atomic_load_n(&table.slots, __ATOMIC_SEQ_CST)->mask + 1 <= 16 * many);
    for (uintptr_t i = 0; i < many; i++)
        CHECK_EQUAL(proa_table_remove(&table, key_of(1, i)), value_of(i));
    for (uintptr_t i = 0; i < many; i += 97)
        CHECK(!proa_table_find(&table, key_of(1, i)));
}

/* ---- handles that come and go ---- */

/* The same few keys again and again: one size for ever. */
static void reuse_body(struct world *world)
{
    static struct proa_table table = PROA_TABLE_INIT;
    const struct proa_table_slots *slots = NULL;
    (void)world;

    for (uintptr_t i = 0; i < (uintptr_t)world_rounds(300000); i++) {
        CHECK_EQUAL(proa_table_set(&table, key_of(0, i % 20), value_of(i)), 0);
        CHECK_EQUAL(proa_table_find(&table, key_of(0, i % 20)), value_of(i));
        if (i > 10)
            CHECK_EQUAL(proa_table_remove(&table, key_of(0, (i - 10) % 20)), value_of(i - 10));
        if (i == 1000)
            slots = __atomic_load_n(&table.slots, __ATOMIC_SEQ_CST);
        if (i > 1000)
            CHECK_EQUAL(__atomic_load_n(&table.slots, __ATOMIC_SEQ_CST),
                        slots); /* not copied any more */
    }
}

/* Always another key, few at a time, beside some that stay: as table.h says, all old slots together
 * take no more than the present ones. */
static void churn_beside(struct proa_table *table, uintptr_t staying, size_t most_slots)
{
    size_t before, after, slots;

    for (uintptr_t i = 0; i < staying; i++)
        CHECK_EQUAL(proa_table_set(table, key_of(0, i), value_of(i)), 0);
    before = world_malloc_bytes();
    for (uintptr_t i = 0; i < 300000; i++) {
        CHECK_EQUAL(proa_table_set(table, key_of(1, i), value_of(i)), 0);
        if (i >= 10)
            CHECK_EQUAL(proa_table_remove(table, key_of(1, i - 10)), value_of(i - 10));
    }
    after = world_malloc_bytes();
    slots = __atomic_load_n(&table->slots, __ATOMIC_SEQ_CST)->mask + 1;
    CHECK(slots <= most_slots);
    /* both are rounded up to pages where malloc maps them by themselves */
    CHECK(after <= before + 2 * slots * sizeof(struct proa_table_slot) + world_pages(2) + 2000);
    for (uintptr_t i = 0; i < staying; i++)
        CHECK_EQUAL(proa_table_find(table, key_of(0, i)), value_of(i));
}

static void churn_body(struct world *world)
{
    static struct proa_table alone = PROA_TABLE_INIT, beside = PROA_TABLE_INIT;
    (void)world;

    churn_beside(&alone, 0, 1024);
    churn_beside(&beside, 70, 1 << 15);
}

/* ---- few keys ---- */

enum { FEW = 90, LAYOUTS = 200 };

/* Predefined types of a host, entered as its library happens to lie: the time of an operation must
 * not depend on that, so hardly any may lie beside the place where it is looked for. */
static void few_body(struct world *world)
{
    static struct proa_table tables[LAYOUTS];
    uint64_t seed = 7;
    int displaced = 0;
    (void)world;

    for (int t = 0; t < LAYOUTS; t++) {
        uintptr_t key[FEW], address = 0x7f0000000000u + world_below(&seed, 1 << 20) * 4096;
        const struct proa_table_slots *slots;
        tables[t] = (struct proa_table)PROA_TABLE_INIT;
        for (int i = 0; i < FEW; i++) {
            key[i] = address += 32 * (1 + world_below(&seed, 24));
            CHECK_EQUAL(proa_table_set(&tables[t], key[i], value_of(key[i])), 0);
        }
        slots = __atomic_load_n(&tables[t].slots, __ATOMIC_SEQ_CST);
        for (int i = 0; i < FEW; i++)
            displaced += slots->slot[proa_table_home(slots, key[i])].key != key[i];
        CHECK(slots->mask + 1 <= 2048);
    }
    CHECK(displaced <= FEW * LAYOUTS / 50);
}

/* ---- readers while one writes ---- */

enum { STABLE = 100, READERS = 3 };

struct read_and_write {
    struct proa_table table;
    int stop;
    /* of those that come and stay: the writer's next entry, or its last */
    uintptr_t latest;
};

static void read_or_write(void *arg, int number)
{
    struct read_and_write *both = arg;
    uint64_t seed = (uint64_t)number;
    void *found;

    if (number == READERS) { /* the writer: others come and go, and the table grows */
        for (uintptr_t i = 0; i < (uintptr_t)world_rounds(100000); i++) {
            CHECK_EQUAL(proa_table_set(&both->table, key_of(0, STABLE + i), value_of(i)), 0);
            if (i > 50 && i % 3)
                CHECK(proa_table_remove(&both->table, key_of(0, STABLE + i - 50)));
            if (i % 8 == 0) {
                __atomic_store_n(&both->latest, i, __ATOMIC_SEQ_CST);
                CHECK_EQUAL(proa_table_set(&both->table, key_of(1, i), value_of(i)), 0);
            }
        }
        __atomic_store_n(&both->stop, 1, __ATOMIC_SEQ_CST);
        return;
    }
    while (!__atomic_load_n(&both->stop, __ATOMIC_SEQ_CST)) {
        uintptr_t i = world_below(&seed, STABLE);
        /* there all the time */
        CHECK_EQUAL(proa_table_find(&both->table, key_of(0, i)), value_of(1000 + i));
        CHECK(!proa_table_find(&both->table, key_of(2, i))); /* never there */
        i = __atomic_load_n(&both->latest, __ATOMIC_SEQ_CST);
        found = proa_table_find(&both->table, key_of(1, i)); /* there, or not yet */
        CHECK(!found || found == value_of(i));
    }
}

static void readers_body(struct world *world)
{
    static struct read_and_write both = {.table = PROA_TABLE_INIT};
    (void)world;

    for (uintptr_t i = 0; i < STABLE; i++)
        CHECK_EQUAL(proa_table_set(&both.table, key_of(0, i), value_of(1000 + i)), 0);
    world_threads(READERS + 1, read_or_write, &both);
}

/* Several writers, each with keys of its own. */
static void write_own(void *arg, int number)
{
    struct proa_table *table = arg;

    for (uintptr_t i = 0; i < (uintptr_t)world_rounds(50000); i++) {
        uintptr_t key = key_of(2, (i % 500) * 8 + (uintptr_t)number);
        CHECK_EQUAL(proa_table_set(table, key, value_of(i)), 0);
        CHECK_EQUAL(proa_table_find(table, key), value_of(i));
        if (i % 2)
            CHECK_EQUAL(proa_table_remove(table, key), value_of(i));
    }
}

static void writers_body(struct world *world)
{
    static struct proa_table table = PROA_TABLE_INIT;
    (void)world;

    world_threads(4, write_own, &table);
}

/* ---- the tests ---- */

static void run(world_body *body)
{
    world_run(&(struct world_plan){.size = 1, .body = body});
}

static void model(void **state)
{
    (void)state;
    run(model_body);
}

static void no_key(void **state)
{
    (void)state;
    run(no_key_body);
}

static void growth(void **state)
{
    (void)state;
    run(growth_body);
}

static void reuse(void **state)
{
    (void)state;
    run(reuse_body);
}

static void churn(void **state)
{
    (void)state;
    run(churn_body);
}

static void few(void **state)
{
    (void)state;
    run(few_body);
}

static void readers(void **state)
{
    (void)state;
    run(readers_body);
}

static void writers(void **state)
{
    (void)state;
    run(writers_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model),   cmocka_unit_test(growth), cmocka_unit_test(reuse),
        cmocka_unit_test(churn),   cmocka_unit_test(few),    cmocka_unit_test(readers),
        cmocka_unit_test(writers), cmocka_unit_test(no_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
