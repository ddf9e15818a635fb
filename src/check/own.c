/* SPDX-License-Identifier: BSD-3-Clause */
/* See own.h. */
#include "check/own.h"
#include "base/atomic.h"
#include "base/calls.h"
#include "check/conflict.h"
#include "check/ordering.h"
#include "check/reuse.h"
#include "host/types.h"
#include "order/clock.h"
#include "order/crossing.h"
#include "window/epoch.h"

static struct proa_own_range ranges[PROA_OWN_MOST];
static int range_count;
struct proa_own_span proa_own_span;
static struct proa_accesses kept; /* by target process; addresses are of this process */

int proa_own_begin(int processes)
{
    return proa_accesses_begin(&kept, processes);
}

void proa_own_end(void)
{
    proa_accesses_end(&kept);
    range_count = 0;
}

/* Adds `more` ranges. Returns the number of ranges. */
static int count_ranges(int more)
{
    proa_atomic_store(&range_count, range_count + more, PROA_RELAXED);
    return range_count;
}

static void span_ranges(void)
{
    struct proa_own_span span = {UINT64_MAX, 0};

    for (int i = 0; i < range_count; i++) {
        span.low = ranges[i].low < span.low ? ranges[i].low : span.low;
        span.high = ranges[i].high > span.high ? ranges[i].high : span.high;
    }
    proa_own_span = span;
}

static void add(const struct proa_own_range *range)
{
    if (range->low < range->high && range_count < PROA_OWN_MOST)
        ranges[count_ranges(1) - 1] = *range;
    span_ranges();
}

void proa_own_open(const struct proa_win *win, struct proa_ordering *ordering, uint64_t number)
{
    const uint64_t low = (uintptr_t)win->base, bytes = win->targets[win->rank].bytes;

    if (win->flavor != PROA_FLAVOR_DYNAMIC)
        add(&(struct proa_own_range){low, low + bytes, number, 0, win, ordering});
}

/* base: base address, or NULL for all of the window. */
static void drop(uint64_t number, const void *base)
{
    for (int i = range_count - 1; i >= 0; i--)
        if (ranges[i].number == number && (!base || ranges[i].low == (uintptr_t)base))
            ranges[i] = ranges[count_ranges(-1)];
    span_ranges();
}

void proa_own_close(uint64_t number)
{
    drop(number, NULL);
}

void proa_own_attach(const struct proa_win *win, struct proa_ordering *ordering, uint64_t number,
                     const void *base, uint64_t bytes)
{
    const uint64_t low = (uintptr_t)base;

    add(&(struct proa_own_range){low, low + bytes, number, 1, win, ordering});
}

void proa_own_detach(uint64_t number, const void *base)
{
    drop(number, base);
}

const struct proa_own_range *proa_own_range(uint64_t *low, uint64_t *high)
{
    for (const struct proa_own_range *range = ranges; range < ranges + range_count; range++) {
        const uint64_t first = *low > range->low ? *low : range->low;
        const uint64_t end = *high < range->high ? *high : range->high;

        if (first < end) {
            *low = first;
            *high = end;
            return range;
        }
    }
    return NULL;
}

void proa_own_keep(int process, const struct proa_access *access, uint64_t low, uint64_t bytes,
                   int stores)
{
    uint64_t high = low + bytes;
    const struct proa_own_range *range = proa_own_range(&low, &high);
    struct proa_access own;

    if (!range || !access->moment)
        return;
    own = *access;
    own.low = low;
    own.high = high;
    own.number = range->number;
    own.kind = stores ? PROA_ACCESS_WRITE : PROA_ACCESS_READ;
    own.fetches = own.op = 0;
    own.serial = 0; /* assertions apply to operations on this process */
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

/* ---- accesses other than operations ---- */

/* Compares the access with pending operations of this process on its own window. */
static void compare_with_own(const struct proa_win *win, struct proa_accesses *own, int process,
                             uint64_t base, const struct proa_access *access)
{
    const struct proa_access *found = proa_accesses_conflict(own, process, access);
    struct proa_access first, second = *access;

    if (!found)
        return;
    first = *found;
    first.low -= base, first.high -= base;
    second.low -= base, second.high -= base;
    proa_conflict_tell(win, win->rank, proa_epoch_towards(win, win->rank), &first, &second, NULL);
}

void proa_own_touch(const struct proa_win *win, struct proa_ordering *ordering,
                    const struct proa_access *access)
{
    struct proa_access own = *access;
    struct proa_accesses *pending;
    uint64_t base;
    int process;

    pending = proa_ordering_accesses(ordering, win->rank, &process, &base);
    compare_with_own(win, pending, process, base, access);
    if (proa_clock_shares()) /* others may have learned of it from memory before this call */
        return;
    proa_ordering_fill(ordering, PROA_CALL_Win_sync, &own);
    proa_crossing_hand_over(process, &own, proa_clock_stamp());
    proa_board_flush();
    proa_clock_complete();
    proa_moment_drop(own.moment);
}

/* ---- the host's calls ---- */

int proa_own_touchable(void)
{
    return proa_ordering_is_on() && proa_atomic_load(&range_count, PROA_RELAXED) != 0;
}

static void touch_piece(void *arg, int64_t start, uint64_t bytes)
{
    struct proa_access access = *(const struct proa_access *)arg;
    const struct proa_own_range *range;

    access.low = (uint64_t)start;
    access.high = access.low + bytes;
    range = proa_own_range(&access.low, &access.high);
    if (range)
        proa_own_touch(range->win, range->ordering, &access);
}

void proa_own_touch_call(const char *call, const void *caller, const void *memory, int64_t count,
                         MPI_Datatype datatype, int stores)
{
    const struct proa_type *type = count > 0 ? proa_type_find(datatype) : NULL;
    struct proa_access access = {.caller = caller,
                                 .kind = stores ? PROA_ACCESS_WRITE : PROA_ACCESS_READ};

    if (!type || type->size == 0)
        return;
    proa_inside_enter();
    proa_clock_listen(); /* a notification may order them */
    access.call = proa_access_host_call(call);
    proa_reuse_pieces(memory, count, type, touch_piece, &access);
    proa_inside_leave();
}
