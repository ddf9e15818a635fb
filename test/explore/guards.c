/* SPDX-License-Identifier: BSD-3-Clause */
/* How accumulates are kept apart (rma/guard.c): processor atomics, the switch to stripes, stripes
 * and wide locks. Processor atomics are relaxed here, and a loop under a stripe is plain: one
 * beside the other is a data race. */
#include "window.h"
#include "rma/guard.h"
#include "shm/ctl.h"

enum { STRIPES = 8 };

static struct shared {
    int element[STRIPES]; /* one in each stripe */
    struct proa_span span[3];
    struct proa_peer owner[3]; /* as each process sees it */
} * s;

static void setup(void)
{
    struct proa_proc_ctl *ctl;

    window_make(3);
    s = explore_new(sizeof *s, 64);
    ctl = window_peer(0)->ctl;
    ctl->slots_given = 3;
    for (int i = 0; i < 3; i++) {
        window[i]->atomics_most = PROA_ATOMICS_MOST;
        s->owner[i].ctl = ctl;
        s->owner[i].slot = &ctl->slots[i];
        s->span[i] = (struct proa_span){
            .end = STRIPES * PROA_STRIPE_BYTES, .owner = &s->owner[i], .atomics = 1};
    }
}

static void setup_switched(void)
{
    setup();
    window_peer(0)->ctl->stripes_only = PROA_STRIPES_ONLY;
}

static void one(int rank, int i)
{
    struct proa_guarded guarded = {0};
    uint64_t key = (uint64_t)i * PROA_STRIPE_BYTES;

    proa_guard_enter(window[rank], 0, &s->span[rank], key, 1, sizeof s->element[0], &guarded);
    if (guarded.guard == PROA_GUARD_ATOMICS) {
        proa_atomic_fetch_add(&s->element[i], 1, PROA_RELAXED);
    } else {
        proa_guard_stripes(&guarded, &s->owner[rank], key, sizeof s->element[0]);
        s->element[i]++;
    }
    proa_guard_leave(&guarded);
}

static void many(int rank, int first, int count)
{
    struct proa_guarded guarded = {0};
    uint64_t key = (uint64_t)first * PROA_STRIPE_BYTES, bytes = (uint64_t)count * PROA_STRIPE_BYTES;

    proa_guard_enter(window[rank], 0, &s->span[rank], key, 1000, sizeof s->element[0], &guarded);
    explore_check(proa_guard_stripes(&guarded, &s->owner[rank], key, bytes) >= bytes);
    for (int i = 0; i < count; i++)
        s->element[first + i]++;
    proa_guard_leave(&guarded);
}

static void change(int rank)
{
    window_enter(rank);
    rank ? many(rank, 1, 1) : one(rank, 1);
}

static void change_by_two(int rank)
{
    change(rank);
}

/* Before the switch, and after it. */
static void change_between(int rank)
{
    window_enter(rank);
    if (rank) {
        many(rank, 1, 1);
    } else {
        one(rank, 1);
        one(rank, 1);
    }
}

static void stripes(int rank)
{
    window_enter(rank);
    one(rank, 1);
}

static void stripe_and_wide(int rank)
{
    window_enter(rank);
    rank ? many(rank, 0, 4) : one(rank, 1);
}

static void stripes_and_wide(int rank)
{
    window_enter(rank);
    rank == 2 ? many(rank, 0, 3) : one(rank, rank);
}

static void wides(int rank)
{
    window_enter(rank);
    many(rank, rank ? 2 : 0, 4);
}

/* All that was worked on is in the set, or in a range. */
static void set_and_range(int rank)
{
    struct proa_stripe_set set = {{0}};
    struct proa_wide_range range = proa_guard_wide_over(0, 5 * PROA_STRIPE_BYTES);
    struct proa_proc_ctl *ctl = s->owner[rank].ctl;

    window_enter(rank);
    proa_guard_set_add(&set, 1);
    if (rank)
        proa_guard_set_take(ctl, &set);
    else
        proa_guard_wide_take(ctl, range);
    s->element[1]++;
    if (rank)
        proa_guard_set_give(ctl, &set);
    else
        proa_guard_wide_give(ctl, range);
}

/* An accessor is given its slot while the owner's memory changes to stripes. */
static void setup_new(void)
{
    setup();
    s->owner[0].ctl->slots_given = 0;
}

static void new_accessor(int rank)
{
    if (rank == 0)
        s->owner[0].slot =
            &s->owner[0]
                 .ctl->slots[proa_atomic_fetch_add(&s->owner[0].ctl->slots_given, 1, PROA_RELAXED)];
    change(rank);
}

static void counted_by_two(void)
{
    explore_check(s->element[1] == 2);
}

static void counted_by_three(void)
{
    explore_check(s->element[1] == 3);
}

static void counted_each(void)
{
    explore_check(s->element[0] == 2 && s->element[1] == 2 && s->element[2] == 1);
}

#define GUARDS(title, count, ...)                                                         \
    {                                                                                     \
        .name = "guards." title, .threads = count, .prepare = window_prepare, __VA_ARGS__ \
    }
const struct explore_scenario explore_guards[] = {
    GUARDS("change", 2, .setup = setup, .body = change, .finish = counted_by_two),
    GUARDS("change_between", 2, .setup = setup, .body = change_between, .finish = counted_by_three),
    GUARDS("change_by_two", 3, .setup = setup, .body = change_by_two, .finish = counted_by_three,
           .preemptions = 1, .stale = 1),
    GUARDS("stripe", 2, .setup = setup_switched, .body = stripes, .finish = counted_by_two),
    GUARDS("stripe_and_wide", 2, .setup = setup_switched, .body = stripe_and_wide,
           .finish = counted_by_two),
    GUARDS("stripes_and_wide", 3, .setup = setup_switched, .body = stripes_and_wide,
           .finish = counted_each, .preemptions = 1, .stale = 1),
    GUARDS("wides", 2, .setup = setup_switched, .body = wides),
    GUARDS("set_and_range", 2, .setup = setup_switched, .body = set_and_range,
           .finish = counted_by_two),
    GUARDS("new_accessor", 2, .setup = setup_new, .body = new_accessor, .finish = counted_by_two),
    {0},
};
