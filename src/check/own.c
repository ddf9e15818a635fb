/* SPDX-License-Identifier: BSD-3-Clause */
/* See own.h. */
#include "check/own.h"

/* The memory of a window. */
struct range {
    uint64_t low, high, number;
};

static struct range ranges[PROA_OWN_MOST];
static int range_count;
static struct proa_accesses kept; /* by process of the target; their addresses are of this one */

int proa_own_begin(int processes)
{
    return proa_accesses_begin(&kept, processes);
}

void proa_own_end(void)
{
    proa_accesses_end(&kept);
    range_count = 0;
}

void proa_own_open(const struct proa_win *win, uint64_t number)
{
    const uint64_t low = (uintptr_t)win->base, bytes = win->targets[win->rank].bytes;

    if (win->flavor != PROA_FLAVOR_DYNAMIC && bytes > 0 && range_count < PROA_OWN_MOST)
        ranges[range_count++] = (struct range){low, low + bytes, number};
}

void proa_own_close(uint64_t number)
{
    for (int i = 0; i < range_count; i++)
        if (ranges[i].number == number) {
            ranges[i] = ranges[--range_count];
            return;
        }
}

/* NULL: no window has any of these bytes. */
static const struct range *range_of(uint64_t low, uint64_t high)
{
    for (int i = 0; i < range_count; i++)
        if (low < ranges[i].high && high > ranges[i].low)
            return &ranges[i];
    return NULL;
}

void proa_own_keep(int process, const struct proa_access *access, uint64_t low, uint64_t bytes,
                   int stores)
{
    const struct range *range = range_of(low, low + bytes);
    struct proa_access own;

    if (!range || !access->moment)
        return;
    own = *access;
    own.low = low > range->low ? low : range->low;
    own.high = low + bytes < range->high ? low + bytes : range->high;
    own.number = range->number;
    own.kind = stores ? PROA_ACCESS_WRITE : PROA_ACCESS_READ;
    own.fetches = own.op = 0;
    own.serial = 0; /* assertions are of operations on this process */
    proa_accesses_keep(&kept, process, &own);
}

uint32_t proa_own_alive(void)
{
    return kept.alive;
}

void proa_own_drop(int process, proa_access_goes *goes, void *arg)
{
    proa_accesses_drop(&kept, process, 0, goes, arg);
}
