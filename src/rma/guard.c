/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See guard.h.
 *
 * The switch from atomics to stripes, once for an owner. An accessor that uses atomics marks its
 * slot in the owner's block as busy, then reads stripes_only. A process that needs stripes stores
 * stripes_only, then reads all slots until none is busy. Between store and loads the former has a
 * light fence, the latter a heavy one (base/membar.h), so at least one sees the other's store.
 * Either the accessor uses stripes too, or the switch waits until it is done. No process takes a
 * stripe until the switch is complete.
 *
 * Stripes and wide locks. An operation within one stripe takes that stripe. An operation over
 * several takes the wide lock over them, which is one atomic where the stripes would be PROA_WIDE.
 * The taker of a stripe stores its word, then reads the wide lock's. The taker of a wide lock
 * stores its word, then reads its stripes'. All four are sequentially consistent, so at least one
 * taker sees the other. The holder of a stripe that sees the wide lock gives the stripe back; the
 * holder of the wide lock waits until none of its stripes is held. That wait ends, as no holder of
 * a stripe waits for anything. It ends soon, as no process can take one of its stripes meanwhile.
 */
#include "rma/guard.h"
#include "base/atomic.h"

#include <endian.h>
#include <sched.h>
#include <string.h>

/* ---- the switch ---- */

static int is_switched(void *arg)
{
    return proa_atomic_load((uint32_t *)arg, PROA_ACQUIRE) == PROA_STRIPES_ONLY;
}

/* Called after the heavy fence. Relaxed loads suffice to see a slot that was assigned and marked
 * before its accessor's light fence. */
static void wait_for_slots(struct proa_proc_ctl *owner)
{
    uint32_t given = proa_atomic_load(&owner->slots_given, PROA_RELAXED);

    for (uint32_t i = 0; i < given && i < PROA_SLOTS; i++)
        /* busy for a few instructions; partner: proa_guard_slot_leave */
        while (proa_atomic_load(&owner->slots[i].busy, PROA_ACQUIRE))
            sched_yield();
}

void proa_guard_stripes_only(struct proa_proc_ctl *owner)
{
    uint32_t expected = PROA_ATOMICS;

    if (is_switched(&owner->stripes_only))
        return;
    /* relaxed: the heavy fence orders it, and a loser waits by is_switched */
    if (!proa_atomic_compare_exchange(&owner->stripes_only, &expected, PROA_SWITCHING, PROA_RELAXED,
                                      PROA_RELAXED)) {
        if (!is_switched(&owner->stripes_only))
            proa_wait_still(is_switched, &owner->stripes_only, &owner->stripe_doorbell);
        return;
    }
    proa_membar_heavy(); /* partner: the light fence in proa_guard_slot_enter */
    wait_for_slots(owner);
    proa_atomic_store(&owner->stripes_only, PROA_STRIPES_ONLY, PROA_RELEASE);
    proa_doorbell_ring(&owner->stripe_doorbell);
}

/* ---- entering ---- */

/* The processor never exchanges elements whose size is not a power of two; `aligned` has no meaning
 * for them. */
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

/* A stripe or wide lock to acquire. */
struct wanted {
    struct proa_proc_ctl *owner;
    uint64_t which;
};

/* Reads the wide lock first. While it is held, taking and releasing the stripe would ring at every
 * check. */
static int is_taken(void *arg)
{
    const struct wanted *wanted = arg;

    return !proa_atomic_load(&wanted->owner->wide[wanted->which / PROA_WIDE].held, PROA_RELAXED) &&
           proa_guard_stripe_try(wanted->owner, wanted->which);
}

/* The number of pieces of long accumulates that are short after a process has waited. They last
 * some milliseconds, in which a process that accesses again is detected again. */
enum { CONTENDED_PIECES = 4096 };

/* Returns the number of bytes guarded at a time in a run longer than PROA_GUARD_AT_ONCE. Any
 * accessor may count. */
static uint64_t long_piece(struct proa_proc_ctl *owner)
{
    uint32_t contended = proa_atomic_load(&owner->contended, PROA_RELAXED);

    if (!contended)
        return PROA_GUARD_ALONE;
    proa_atomic_store(&owner->contended, contended - 1, PROA_RELAXED);
    return PROA_GUARD_AT_ONCE;
}

/* The wait does not drive the network, which could then need stripes that this thread already
 * holds. */
static void await(int is_done(void *), struct proa_proc_ctl *owner, uint64_t which)
{
    proa_atomic_store(&owner->contended, CONTENDED_PIECES, PROA_RELAXED);
    proa_wait_still(is_done, &(struct wanted){owner, which}, &owner->stripe_doorbell);
}

void proa_guard_stripe_await(struct proa_proc_ctl *owner, uint64_t stripe)
{
    await(is_taken, owner, stripe);
}

static int is_wide_taken(void *arg)
{
    const struct wanted *wanted = arg;
    struct proa_stripe *wide = &wanted->owner->wide[wanted->which];

    return proa_atomic_load(&wide->held, PROA_RELAXED) == 0 &&
           proa_atomic_exchange(&wide->held, 1, PROA_SEQ_CST) == 0;
}

/* Acquires; partner: proa_guard_stripe_give. */
static int is_deserted(void *arg)
{
    const struct wanted *wanted = arg;
    const struct proa_stripe *stripe = &wanted->owner->stripes[wanted->which * PROA_WIDE];
    uint32_t held = 0;

    for (int i = 0; i < PROA_WIDE; i++)
        held |= proa_atomic_load(&stripe[i].held, PROA_SEQ_CST);
    return held == 0;
}

static void wide_take(struct proa_proc_ctl *owner, uint64_t which)
{
    struct wanted wanted = {owner, which};

    if (__builtin_expect(!is_wide_taken(&wanted), 0))
        await(is_wide_taken, owner, which);
    if (__builtin_expect(!is_deserted(&wanted), 0))
        await(is_deserted, owner, which);
}

/* In ascending order, so that two takers of several do not wait for each other. */
void proa_guard_wide_take(struct proa_proc_ctl *owner, struct proa_wide_range range)
{
    for (uint64_t i = range.first + 1; i < range.end; i++) /* each atomic waits for the previous
                                                            * one */
        __builtin_prefetch(&owner->wide[i], 1);
    for (uint64_t i = range.first; i < range.end; i++)
        wide_take(owner, i);
}

void proa_guard_wide_give(struct proa_proc_ctl *owner, struct proa_wide_range range)
{
    for (uint64_t i = range.first; i < range.end; i++)
        proa_atomic_store(&owner->wide[i].held, 0, PROA_RELEASE);
    proa_doorbell_ring(&owner->stripe_doorbell); /* once for all, as it may be a fence */
}

static struct proa_wide_range held_by(const struct proa_guarded *guarded)
{
    return (struct proa_wide_range){guarded->first / PROA_WIDE,
                                    (guarded->first + guarded->stripes) / PROA_WIDE};
}

static void stripes_release(struct proa_guarded *guarded)
{
    struct proa_proc_ctl *ctl;

    if (!guarded->owner)
        return;
    ctl = guarded->owner->ctl;
    guarded->owner = NULL;
    if (guarded->stripes == 1)
        proa_guard_stripe_give(ctl, guarded->first);
    else
        proa_guard_wide_give(ctl, held_by(guarded));
}

static void stripes_take(struct proa_guarded *guarded, struct proa_peer *owner, uint64_t first,
                         uint64_t count)
{
    guarded->owner = owner;
    guarded->first = first;
    guarded->stripes = count;
    if (count == 1) {
        proa_guard_stripe_take(owner->ctl, first);
        return;
    }
    guarded->first -= first % PROA_WIDE;
    guarded->stripes = (first % PROA_WIDE + count + PROA_WIDE - 1) / PROA_WIDE * PROA_WIDE;
    proa_guard_wide_take(owner->ctl, held_by(guarded));
}

static int are_held(const struct proa_guarded *guarded, const struct proa_peer *owner,
                    uint64_t first, uint64_t count)
{
    return guarded->owner == owner && guarded->first <= first &&
           first + count <= guarded->first + guarded->stripes;
}

uint64_t proa_guard_stripes(struct proa_guarded *guarded, struct proa_peer *owner, uint64_t key,
                            uint64_t bytes)
{
    uint64_t first = proa_guard_stripe_of(key), before = key % PROA_STRIPE_BYTES;
    uint64_t most = bytes <= PROA_GUARD_AT_ONCE ? PROA_GUARD_AT_ONCE : long_piece(owner->ctl);
    uint64_t count =
        bytes < most ? (before + bytes - 1) / PROA_STRIPE_BYTES + 1 : most / PROA_STRIPE_BYTES;
    uint64_t covered;

    if (count > PROA_STRIPES - first)
        count = PROA_STRIPES - first;
    if (!are_held(guarded, owner, first, count)) {
        stripes_release(guarded);
        stripes_take(guarded, owner, first, count);
    }
    covered = (guarded->first + guarded->stripes - first) * PROA_STRIPE_BYTES - before;
    return covered < most ? covered : most;
}

/* Returns the first wide lock from `from` on that is in the set; PROA_WIDE_LOCKS if none is. Reads
 * eight at a time. */
static inline uint64_t next_in(const struct proa_stripe_set *set, uint64_t from)
{
    for (uint64_t eight; from < PROA_WIDE_LOCKS; from = from / 8 * 8 + 8) {
        memcpy(&eight, &set->has[from / 8 * 8], sizeof eight);
        eight = le64toh(eight) >> from % 8 * 8;
        if (eight)
            return from + (uint64_t)__builtin_ctzll(eight) / 8;
    }
    return PROA_WIDE_LOCKS;
}

#define EACH_WIDE(set, i) \
    for (uint64_t i = next_in(set, 0); i < PROA_WIDE_LOCKS; i = next_in(set, i + 1))

/* In ascending order, as in proa_guard_wide_take. */
void proa_guard_set_take(struct proa_proc_ctl *owner, const struct proa_stripe_set *set)
{
    EACH_WIDE(set, i)
        __builtin_prefetch(&owner->wide[i], 1);
    EACH_WIDE(set, i)
        wide_take(owner, i);
}

void proa_guard_set_give(struct proa_proc_ctl *owner, const struct proa_stripe_set *set)
{
    EACH_WIDE(set, i)
        proa_atomic_store(&owner->wide[i].held, 0, PROA_RELEASE);
    proa_doorbell_ring(&owner->stripe_doorbell);
}

void proa_guard_leave(struct proa_guarded *guarded)
{
    if (guarded->slot)
        proa_guard_slot_leave(guarded->slot);
    guarded->slot = NULL;
    stripes_release(guarded);
    guarded->entered = 0;
}
