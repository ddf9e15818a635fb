/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash table that is read without locks (base/table.c). */
#include "explore.h"
#include "base/table.h"

static struct shared {
    struct proa_table table;
    int first, second; /* what the keys stand for */
} * s;

/* Two keys with the same place in a table of 64, which has one key: the second makes it grow. */
static uintptr_t first_key = 16, second_key;

static void prepare(void)
{
    for (second_key = first_key + 8;; second_key += 8)
        if (proa_hash_number(first_key, 6) == proa_hash_number(second_key, 6))
            return;
}

static void setup_empty(void)
{
    s = explore_new(sizeof *s, 64);
    s->table = (struct proa_table)PROA_TABLE_INIT;
    s->first = 1;
}

static void setup(void)
{
    setup_empty();
    explore_check(proa_table_set(&s->table, first_key, &s->first) == 0);
}

static void add(int *object, uintptr_t key)
{
    *object = 2;
    explore_check(proa_table_set(&s->table, key, object) == 0);
}

static void look(uintptr_t key, const int *object, int value)
{
    const int *found = proa_table_find(&s->table, key);

    explore_check(!found || (found == object && *found == value));
}

/* The first key stays while the table grows; the second comes with its object. */
static void grow(int thread)
{
    if (thread == 0) {
        add(&s->second, second_key);
    } else {
        explore_check(proa_table_find(&s->table, first_key) == &s->first);
        look(second_key, &s->second, 2);
    }
}

/* The first slots of a table. */
static void begin(int thread)
{
    if (thread == 0)
        add(&s->second, second_key);
    else
        look(second_key, &s->second, 2);
}

/* A key next to the first, without a copy of the table. */
static void insert(int thread)
{
    if (thread == 0) {
        add(&s->second, first_key + 8);
    } else {
        explore_check(proa_table_find(&s->table, first_key) == &s->first);
        look(first_key + 8, &s->second, 2);
    }
}

/* The first key goes, and the second takes its slot. A key that goes is looked for by no other
 * thread: that would be a handle in use while it is freed. */
static void change(int thread)
{
    if (thread == 0) {
        explore_check(proa_table_remove(&s->table, first_key) == &s->first);
        add(&s->second, second_key);
    } else {
        look(second_key, &s->second, 2);
    }
}

/* Two writers. */
static void writers(int thread)
{
    if (thread == 0)
        add(&s->second, second_key);
    else
        explore_check(proa_table_remove_pair(&s->table, first_key, &s->first) == &s->first);
}

static void written(void)
{
    explore_check(proa_table_find(&s->table, first_key) == NULL);
    explore_check(proa_table_find(&s->table, second_key) == &s->second);
}

const struct explore_scenario explore_table[] = {
    {.name = "table.begin", .threads = 2, .prepare = prepare, .setup = setup_empty, .body = begin},
    {.name = "table.insert", .threads = 2, .prepare = prepare, .setup = setup, .body = insert},
    {.name = "table.grow", .threads = 2, .prepare = prepare, .setup = setup, .body = grow},
    {.name = "table.change", .threads = 2, .prepare = prepare, .setup = setup, .body = change},
    {.name = "table.writers",
     .threads = 2,
     .prepare = prepare,
     .setup = setup,
     .body = writers,
     .finish = written},
    {0},
};
