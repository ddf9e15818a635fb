/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of millions of accesses: all are counted, and told as few entries; and the functions that
 * call the code of an access. */
#include "seen.h"

enum { ELEMENTS = 1 << 20, TURNS = 20, SCATTERED = 1 << 18 };

static double data[ELEMENTS] __attribute__((aligned(4096)));

#ifdef __clang__
#define SEPARATE __attribute__((noinline))
#else
#define SEPARATE __attribute__((noinline, noclone))
#endif

SEPARATE static double sum(const volatile double *from, long step)
{
    double result = 0;

    for (long i = 0; i < ELEMENTS; i += step)
        result += from[i];
    return result;
}

static void millions(void)
{
    for (volatile int i = 0; i < TURNS; i++)
        sum(data, 1);
    seen_expect(data, 0, sizeof data, PROA_LOADS, (uint64_t)ELEMENTS * TURNS);
    CHECK(seen[0].is_repeated);
    sum(data, 1);
    seen_expect(data, 0, sizeof data, PROA_LOADS, ELEMENTS);
    CHECK(!seen[0].is_repeated);
}

static void strided(void)
{
    struct proa_touched_counts counts;

    sum(data, 64);
    seen_take(&counts);
    CHECK(counts.of[PROA_LOADS] == ELEMENTS / 64 && seen_count == ELEMENTS / 64);
    CHECK(seen_find(&data[64], 8, PROA_LOADS) && !seen_find(&data[65], 8, PROA_LOADS));
}

/* Each once, in an order that looks like chance. */
SEPARATE static void scatter(volatile double *to)
{
    for (unsigned long i = 0, at = 1; i < SCATTERED; i++, at = (at * 5 + 3) % SCATTERED)
        to[at] = 1;
}

static void scattered(void)
{
    scatter(data);
    seen_expect(data, 0, SCATTERED * sizeof *data, PROA_STORES, SCATTERED);
    CHECK(!seen[0].is_repeated);
}

/* Two lines. */
SEPARATE static void two(volatile double *at)
{
    at[0] = 1;
    at[1] = 1;
}

static void lines(void)
{
    struct proa_touched_counts counts;

    two(data);
    seen_take(&counts);
    CHECK(seen_count == 2 && seen[0].place != seen[1].place && seen[0].stack != seen[1].stack);
}

SEPARATE static void store(volatile double *at)
{
    *at = 2;
}

static volatile int is_late;

SEPARATE static void one_way(void)
{
    store(data + 8);
    is_late++;
}

SEPARATE static void other_way(void)
{
    store(data + 16);
    is_late++;
}

static int same_but(const struct proa_touched *one, const struct proa_touched *other)
{
    uintptr_t first[16], second[16];
    const uintptr_t depth = proa_ask(PROA_ASK_STACK, one->stack, (uintptr_t)first, 16);
    int differ = 0;

    CHECK(depth >= 3);
    CHECK(proa_ask(PROA_ASK_STACK, other->stack, (uintptr_t)second, 16) == depth);
    CHECK(first[0] == one->place && second[0] == other->place);
    for (uintptr_t i = 0; i < depth; i++)
        differ += first[i] != second[i];
    return differ;
}

static void callers(void)
{
    struct proa_touched_counts counts;

    one_way();
    other_way();
    seen_take(&counts);
    CHECK(seen_count == 2 && seen[0].place == seen[1].place);
    CHECK(same_but(&seen[0], &seen[1]) == 2); /* the way, and its own caller's line */
    for (volatile int i = 0; i < 2; i++)
        one_way();
    seen_take(&counts);
    CHECK(seen_count == 1 && seen[0].is_repeated && counts.of[PROA_STORES] == 2);
}

/* What the C library does is its caller's. */
static void library(void)
{
    struct proa_touched_counts counts;
    static char copy[1000];
    size_t (*volatile length)(const char *) = strlen;
    void *(*volatile copies)(void *, const void *, size_t) = memcpy;

    memset(copy, 'x', sizeof copy - 1);
    copies(data, copy, sizeof copy);
    seen_take(&counts);
    CHECK(seen_count == 1 && seen_find(data, sizeof copy, PROA_STORES));
    CHECK(seen[0].place > (uintptr_t)library && seen[0].place < (uintptr_t)library + 1000);
    CHECK(length((const char *)data) == sizeof copy - 1);
    seen_take(&counts);
    CHECK(seen_count >= 1 && seen[0].low == (uintptr_t)data);
    CHECK(seen[0].high >= (uintptr_t)data + sizeof copy);
}

int main(void)
{
    seen_begin();
    seen_watch(data, sizeof data, PROA_LOADS_AND_STORES);
    millions();
    strided();
    scattered();
    lines();
    callers();
    library();
    return 0;
}
