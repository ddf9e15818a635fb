/*
 * See guard.h.
 *
 * From atomics to stripes, once for an owner. Whoever uses atomics marks its slot in the owner's block as busy, then looks at stripes_only;
 * whoever needs stripes stores stripes_only, then looks at all slots until none is busy. Between its store and its loads the first has a
 * light fence, the second a heavy one (base/membar.h), so at least one sees the other: either the accessor goes for stripes too, or the
 * switch waits until it is done. Until the switch is complete nobody enters a stripe.
 */
#include "core/guard.h"

#include <sched.h>

enum { ATOMICS = 0, SWITCHING = 1, STRIPES = 2 };

/* ---- the switch ---- */

static int is_switched(void *arg)
{
    return atomic_load_explicit((_Atomic uint32_t *)arg, memory_order_acquire) == STRIPES;
}

static void wait_for_slots(struct proa_proc_ctl *owner)
{
    uint32_t given = atomic_load(&owner->slots_given);

    for (uint32_t i = 0; i < given && i < PROA_SLOTS; i++)
        while (atomic_load_explicit(&owner->slots[i].busy, memory_order_acquire)) /* a few instructions long; partner: proa_guard_leave */
            sched_yield();
}

void proa_guard_stripes_only(struct proa_proc_ctl *owner)
{
    uint32_t expected = ATOMICS;

    if (is_switched(&owner->stripes_only))
        return;
    if (!atomic_compare_exchange_strong(&owner->stripes_only, &expected, SWITCHING)) {
        if (!is_switched(&owner->stripes_only))
            proa_wait(is_switched, &owner->stripes_only, &owner->stripe_bell);
        return;
    }
    proa_membar_heavy(); /* partner: the light fence in atomics_enter */
    wait_for_slots(owner);
    atomic_store_explicit(&owner->stripes_only, STRIPES, memory_order_release);
    proa_bell_ring(&owner->stripe_bell);
}

/* 1 if atomics may be used until leave, 0 if the owner has gone over to stripes. */
static int atomics_enter(struct proa_peer *owner, struct proa_guarded *guarded)
{
    struct proa_slot *slot = owner->slot;

    if (!slot)
        return 0;
    atomic_store_explicit(&slot->busy, 1, memory_order_relaxed);
    proa_membar_light(); /* partner: the heavy fence in proa_guard_stripes_only */
    if (__builtin_expect(atomic_load_explicit(&owner->ctl->stripes_only, memory_order_acquire) != ATOMICS, 0)) {
        atomic_store_explicit(&slot->busy, 0, memory_order_release);
        return 0;
    }
    guarded->slot = slot;
    return 1;
}

/* ---- the choice ---- */

static int atomics_possible(const struct proa_place *place, size_t bytes)
{
    return bytes <= 8 && (bytes & (bytes - 1)) == 0 && !place->private_memory && (place->key & (bytes - 1)) == 0;
}

void proa_guard_enter(struct proa_win *win, int rank, const struct proa_place *place, uint64_t total, size_t bytes,
                      struct proa_guarded *guarded)
{
    uint8_t epoch = win->targets[rank].epoch;
    int possible = atomics_possible(place, bytes);

    guarded->slot = NULL;
    if (epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_SOLE) && !win->threads) {
        guarded->guard = PROA_GUARD_PLAIN;
        return;
    }
    guarded->guard = PROA_GUARD_ATOMICS;
    if (possible && win->hints.granularity && win->hints.granularity <= bytes)
        return; /* the user asks for it: this window never uses anything else on such elements */
    if (possible && total <= PROA_ATOMICS_MOST && !win->threads && atomics_enter(place->owner, guarded))
        return;
    if (possible)
        proa_guard_stripes_only(place->owner->ctl);
    guarded->guard = PROA_GUARD_STRIPES;
}

void proa_guard_leave(struct proa_guarded *guarded)
{
    if (guarded->slot)
        atomic_store_explicit(&guarded->slot->busy, 0, memory_order_release);
}

/* ---- stripes ---- */

static struct proa_stripe *stripe_of(const struct proa_peer *owner, uint64_t key)
{
    return &owner->ctl->stripes[key / PROA_STRIPE_BYTES % PROA_STRIPES];
}

static int stripe_try(void *arg)
{
    struct proa_stripe *stripe = arg;

    return atomic_load_explicit(&stripe->held, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&stripe->held, 1, memory_order_acquire) == 0;
}

uint64_t proa_stripe_take(struct proa_peer *owner, uint64_t key)
{
    struct proa_stripe *stripe = stripe_of(owner, key);

    if (!stripe_try(stripe))
        proa_wait(stripe_try, stripe, &owner->ctl->stripe_bell);
    return PROA_STRIPE_BYTES - key % PROA_STRIPE_BYTES;
}

void proa_stripe_release(struct proa_peer *owner, uint64_t key)
{
    atomic_store_explicit(&stripe_of(owner, key)->held, 0, memory_order_release);
    proa_bell_ring(&owner->ctl->stripe_bell);
}
