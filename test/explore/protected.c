/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread traps at protected memory while another one protects it or gives it back, and while
 * system calls borrow its pages (traps/protection.c). */
#include "explore.h"
#include "base/atomic.h"

#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 2 };

/* The kernel's page table: readable and writable, or not. */
static struct shared {
    int is_closed[PAGES];
    int lent; /* system calls that rely on the first page */
} * s;

static char memory[PAGES * PAGE] __attribute__((aligned(PAGE)));

static int set_pages(const void *from, size_t bytes, int access)
{
    const size_t first = (size_t)((const char *)from - memory) / PAGE;

    for (size_t i = first; i < first + bytes / PAGE; i++)
        proa_atomic_store(&s->is_closed[i], access == PROT_NONE, PROA_RELAXED);
    return 0;
}

#define mprotect(from, bytes, access) set_pages(from, bytes, access)
#include "traps/protection.c"

static void prepare(void)
{
    page_bytes = PAGE;
    started = 1;
    explore_share(ranges, sizeof ranges);
    explore_share(&readers, sizeof readers);
    explore_share(&lent, sizeof lent);
}

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
}

static void setup_protected(void)
{
    setup();
    explore_check(proa_protection_add(memory, sizeof memory) == 0);
}

/* What the handler does with a fault. */
static void trap(void)
{
    const struct range *range;

    readers_enter();
    range = range_of((uintptr_t)memory);
    if (range)
        explore_check(range->pages == PAGES &&
                      proa_atomic_load(traps_of(range, (uintptr_t)memory), PROA_RELAXED) == 0);
    readers_leave();
}

static void added(int thread)
{
    if (thread)
        trap();
    else
        explore_check(proa_protection_add(memory, sizeof memory) == 0);
}

/* Pages that were given back are not closed by a step that ends then. */
static void dropped(int thread)
{
    const struct range *range;

    if (thread == 0) {
        proa_protection_drop(memory);
        return;
    }
    readers_enter();
    range = range_of((uintptr_t)memory);
    if (range)
        explore_check(range->pages == PAGES && range->traps);
    readers_leave();
}

static void is_open(void)
{
    explore_check(!s->is_closed[0] && !s->is_closed[1]);
}

const struct explore_scenario explore_protected[] = {
    {.name = "protected.added", .threads = 2, .prepare = prepare, .setup = setup, .body = added},
    {.name = "protected.dropped",
     .threads = 2,
     .prepare = prepare,
     .setup = setup_protected,
     .body = dropped,
     .finish = is_open},
    {0},
};
