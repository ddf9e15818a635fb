/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See guard.h.
 *
 * From atomics to stripes, once for an owner. Whoever uses atomics marks its slot in the owner's
 * block as busy, then looks at stripes_only; whoever needs stripes stores stripes_only, then looks
 * at all slots until none is busy. Between its store and its loads the first has a light fence, the
 * second a heavy one (base/membar.h), so at least one sees the other: either the accessor goes for
 * stripes too, or the switch waits until it is done. Until the switch is complete nobody enters a
 * stripe.
 */
#include "core/guard.h"

#include <sched.h>
#include <string.h>

/* ---- the switch ---- */

static int is_switched(void *arg)
{
    return __atomic_load_n((uint32_t *)arg, __ATOMIC_ACQUIRE) == PROA_STRIPES_ONLY;
}

static void wait_for_slots(struct proa_proc_ctl *owner)
{
    uint32_t given = __atomic_load_n(&owner->slots_given, __ATOMIC_SEQ_CST);

    for (uint32_t i = 0; i < given && i < PROA_SLOTS; i++)
        /* a few instructions long; partner: proa_guard_slot_leave */
        while (__atomic_load_n(&owner->slots[i].busy, __ATOMIC_ACQUIRE))
            sched_yield();
}

void proa_guard_stripes_only(struct proa_proc_ctl *owner)
{
    uint32_t expected = PROA_ATOMICS;

    if (is_switched(&owner->stripes_only))
        return;
    if (!__atomic_compare_exchange_n(&owner->stripes_only, &expected, PROA_SWITCHING, 0,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        if (!is_switched(&owner->stripes_only))
            proa_wait_still(is_switched, &owner->stripes_only, &owner->stripe_bell);
        return;
    }
    proa_membar_heavy(); /* partner: the light fence in proa_guard_slot_enter */
    wait_for_slots(owner);
    __atomic_store_n(&owner->stripes_only, PROA_STRIPES_ONLY, __ATOMIC_RELEASE);
    proa_bell_ring(&owner->stripe_bell);
}

/* ---- coming in ---- */

uint64_t proa_guard_atomics_most(int threads)
{
    return threads ? 0 : PROA_ATOMICS_MOST; /* a slot is for one thread at a time */
}

/* Elements of a size that is no power of two are never exchanged by the processor: for them
 * `aligned` means nothing. */
void proa_guard_enter(struct proa_win *win, int rank, const struct proa_span *span, uint64_t key,
                      uint64_t total, size_t bytes, struct proa_guarded *guarded)
{
    int aligned = (key & (bytes - 1)) == 0;

    if (guarded->entered && guarded->aligned == aligned)
        return;
    proa_guard_leave(guarded);
    guarded->aligned = aligned;
    guarded->entered = 1;
    guarded->guard = proa_guard_choose(win, rank, span, key, total, bytes, &guarded->slot);
}

/* ---- stripes ---- */

static int is_taken(void *stripe)
{
    return proa_guard_stripe_try(stripe);
}

/* Driving the network meanwhile could come to need those that this thread holds already. */
void proa_guard_stripe_await(struct proa_proc_ctl *owner, struct proa_stripe *stripe)
{
    proa_wait_still(is_taken, stripe, &owner->stripe_bell);
}

static void stripes_release(struct proa_guarded *guarded)
{
    struct proa_proc_ctl *ctl;

    if (!guarded->owner)
        return;
    ctl = guarded->owner->ctl;
    for (uint64_t i = 0; i < guarded->stripes; i++)
        __atomic_store_n(&ctl->stripes[guarded->first + i].held, 0, __ATOMIC_RELEASE);
    proa_bell_ring(&ctl->stripe_bell); /* once for all: it may be a fence */
    guarded->owner = NULL;
}

/* Upwards, so that two who want several do not wait for each other. */
static void stripes_take(struct proa_guarded *guarded, struct proa_peer *owner, uint64_t first,
                         uint64_t count)
{
    for (uint64_t i = first + 1; i < first + count; i++) /* atomics wait for each other */
        __builtin_prefetch(&owner->ctl->stripes[i], 1);
    for (uint64_t i = first; i < first + count; i++)
        proa_guard_stripe_take(owner->ctl, &owner->ctl->stripes[i]);
    guarded->owner = owner;
    guarded->first = first;
    guarded->stripes = count;
}

uint64_t proa_guard_stripes(struct proa_guarded *guarded, struct proa_peer *owner, uint64_t key,
                            uint64_t bytes)
{
    uint64_t first = key / PROA_STRIPE_BYTES % PROA_STRIPES, before = key % PROA_STRIPE_BYTES;
    uint64_t count = bytes < PROA_GUARD_AT_ONCE ? (before + bytes - 1) / PROA_STRIPE_BYTES + 1
                                                : PROA_GUARD_AT_ONCE / PROA_STRIPE_BYTES;

    if (count > PROA_STRIPES - first)
        count = PROA_STRIPES - first;
    if (guarded->owner != owner || guarded->first != first || guarded->stripes < count) {
        stripes_release(guarded);
        stripes_take(guarded, owner, first, count);
    }
    return count * PROA_STRIPE_BYTES - before;
}

uint64_t proa_guard_elements(struct proa_guarded *guarded, struct proa_peer *owner, uint64_t key,
                             size_t bytes, uint64_t count, uint64_t wanted)
{
    uint64_t covered = (proa_guard_stripes(guarded, owner, key, wanted) + bytes - 1) / bytes;

    return covered < count ? covered : count;
}

/* Those from `from` on that are in the set: the first one. PROA_STRIPES: none. Eight at a look; the
 * lowest byte is the first one, as everywhere here. */
static inline uint64_t next_in(const struct proa_stripe_set *set, uint64_t from)
{
    for (uint64_t eight; from < PROA_STRIPES; from = from / 8 * 8 + 8) {
        memcpy(&eight, &set->has[from / 8 * 8], sizeof eight);
        eight >>= from % 8 * 8;
        if (eight)
            return from + (uint64_t)__builtin_ctzll(eight) / 8;
    }
    return PROA_STRIPES;
}

#define EACH_STRIPE(set, i) \
    for (uint64_t i = next_in(set, 0); i < PROA_STRIPES; i = next_in(set, i + 1))

/* Upwards, as in stripes_take. */
void proa_guard_set_take(struct proa_proc_ctl *owner, const struct proa_stripe_set *set)
{
    EACH_STRIPE(set, i)
    __builtin_prefetch(&owner->stripes[i], 1);
    EACH_STRIPE(set, i)
    proa_guard_stripe_take(owner, &owner->stripes[i]);
}

void proa_guard_set_give(struct proa_proc_ctl *owner, const struct proa_stripe_set *set)
{
    EACH_STRIPE(set, i)
    __atomic_store_n(&owner->stripes[i].held, 0, __ATOMIC_RELEASE);
    proa_bell_ring(&owner->stripe_bell);
}

void proa_guard_leave(struct proa_guarded *guarded)
{
    if (guarded->slot)
        proa_guard_slot_leave(guarded->slot);
    guarded->slot = NULL;
    stripes_release(guarded);
    guarded->entered = 0;
}
