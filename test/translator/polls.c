/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads of loops that end when a value equals another one, where it is there at the first load; and
 * others. */
#include "seen.h"

enum { BEFORE = 5, NOW = 7 };
static volatile int flags[16] = {NOW, NOW, NOW};

/* In place of a call of MPI. */
static __attribute__((noinline)) void call(void)
{
    __asm__ volatile("" ::: "memory");
}

/* ---- loops that poll ---- */

static __attribute__((noinline)) void until_set(volatile int *flag)
{
    while (!*flag)
        call();
}

static __attribute__((noinline)) void until_value(volatile int *flag, int value)
{
    while (*flag != value) {
        call();
        call();
    }
}

static __attribute__((noinline)) void until_changed(volatile int *flag)
{
    do
        call();
    while (*flag == BEFORE);
}

static __attribute__((noinline)) int until_bit(volatile int *flag)
{
    int turns = 0;

    for (; (*flag & 4) == 0; turns++)
        call();
    return turns;
}

static __attribute__((noinline)) void spin(volatile int *flag)
{
    while (*flag != NOW)
        ;
}

/* ---- others ---- */

static __attribute__((noinline)) int once(volatile int *flag)
{
    if (*flag != NOW)
        return 1;
    return 2;
}

static __attribute__((noinline)) void compared(volatile int *flag, int turns)
{
    for (int i = 0; i < turns; i++) {
        if (*flag != NOW)
            puts("never");
        call();
    }
}

static __attribute__((noinline)) void until_greater(volatile int *flag)
{
    while (*flag < NOW)
        call();
}

static __attribute__((noinline)) int summed(volatile int *values)
{
    int sum = 0;

    for (int i = 0; i < 3; i++)
        sum += values[i];
    return sum;
}

/* Of the loads since the last time; at least one. */
static int poll(void)
{
    struct proa_touched_counts counts;
    int polls = 0;

    seen_take(&counts);
    CHECK(counts.of[PROA_LOADS] > 0);
    for (int i = 0; i < seen_count; i++)
        polls += seen[i].ends_loop;
    CHECK(polls == 0 || polls == seen_count);
    return polls > 0;
}

int main(void)
{
    seen_begin();
    seen_watch((void *)flags, sizeof flags, PROA_LOADS);
    until_set(flags);
    CHECK(poll());
    until_value(flags, NOW);
    CHECK(poll());
    until_changed(flags);
    CHECK(poll());
    CHECK(until_bit(flags) == 0 && poll());
    spin(flags);
    CHECK(poll());
    CHECK(once(flags) == 2 && !poll());
    compared(flags, 3);
    CHECK(!poll());
    until_greater(flags);
    CHECK(!poll());
    CHECK(summed(flags) == 3 * NOW && !poll());
    return 0;
}
