/* SPDX-License-Identifier: BSD-3-Clause */
/* See seen.h. */
#include "seen.h"

struct proa_touched seen[SEEN_MOST];
int seen_count;
uint32_t seen_pending;
static struct proa_touched_counts before;

void seen_fail(const char *file, int line, const char *condition)
{
    printf("%s:%d: not so: %s; seen:\n", file, line, condition);
    for (int i = 0; i < seen_count && i < 20; i++)
        printf("  %#lx %lu bytes, kind %d%s%s\n", (unsigned long)seen[i].low,
               (unsigned long)(seen[i].high - seen[i].low), seen[i].what,
               seen[i].is_repeated ? ", repeated" : "", seen[i].is_of_call ? ", by a call" : "");
    fflush(stdout);
    _Exit(1);
}

void seen_begin(void)
{
    if (proa_ask(PROA_ASK_BEGIN, (uintptr_t)&seen_pending, 0, 0) != PROA_TRANSLATOR_VERSION) {
        puts("skipped: not in the tool");
        exit(77);
    }
}

void seen_watch(const void *memory, size_t bytes, int what)
{
    proa_ask(PROA_ASK_WATCH, (uintptr_t)memory, bytes, (uintptr_t)what);
}

void seen_unwatch(const void *memory, size_t bytes, int what)
{
    proa_ask(PROA_ASK_UNWATCH, (uintptr_t)memory, bytes, (uintptr_t)what);
}

void seen_take(struct proa_touched_counts *counts)
{
    struct proa_touched_counts now;
    int more;

    seen_count = 0;
    while ((more = (int)proa_ask(PROA_ASK_DRAIN, (uintptr_t)(seen + seen_count),
                                 (uintptr_t)(SEEN_MOST - seen_count), 0)) > 0)
        seen_count += more;
    CHECK(!seen_pending);
    CHECK(proa_ask(PROA_ASK_COUNTS, (uintptr_t)&now, 0, 0) == 1);
    for (int i = 0; i < 4; i++)
        counts->of[i] = now.of[i] - before.of[i];
    before = now;
    CHECK(counts->of[0] == 0);
}

void seen_expect(const void *memory, size_t first, size_t end, int what, uint64_t accesses)
{
    struct proa_touched_counts counts;
    int of_kind = 0;

    seen_take(&counts);
    for (int i = 0; i < seen_count; i++)
        of_kind += seen[i].what == what;
    CHECK(of_kind == 1);
    CHECK(seen_find((const char *)memory + first, end - first, what));
    CHECK(counts.of[what] == accesses);
}

void seen_expect_nothing(void)
{
    struct proa_touched_counts counts;

    CHECK(!seen_pending);
    seen_take(&counts);
    CHECK(seen_count == 0);
}

const struct proa_touched *seen_find(const void *first, size_t bytes, int what)
{
    for (int i = 0; i < seen_count; i++)
        if (seen[i].low == (uintptr_t)first && seen[i].high == (uintptr_t)first + bytes &&
            seen[i].what == what)
            return &seen[i];
    return NULL;
}
