/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How accumulates to the same element are kept from disturbing each other.
 *
 * Three ways. The choice depends only on properties that all accessors of an element share at a
 * time (its basic type, its place, the owner's state), never on the path of the operation:
 *   plain     no other process or thread may access the target now: an exclusive lock, or a post to
 *             us alone
 *   atomics   one processor atomic an element
 *   stripes   a lock over PROA_STRIPE_BYTES of the owner's memory, and an ordinary loop inside;
 *             for elements over several stripes, one over PROA_WIDE of them
 * An owner's memory starts with atomics. The first operation that is too long for them
 * (PROA_ATOMICS_MOST elements) makes its owner use stripes from then on; guard.c has the argument
 * why no access gets in between.
 */
#ifndef PROA_RMA_GUARD_H
#define PROA_RMA_GUARD_H

#include "window/epoch.h"
#include "base/atomic.h"
#include "rma/road.h"

/* Two elements take as long by atomics as under a stripe, whose cost is the same for many elements.
 * A few more, such as the coordinates of a point, are left to atomics all the same: one operation
 * that is too long turns all others to stripes for good. Single elements, above all those that
 * several processes work on, are better off without stripes. A window on which several threads of a
 * process work has none by atomics (proa_win.atomics_most), as a slot is for one thread at a time.
 */
enum { PROA_ATOMICS_MOST = 4 };

enum proa_guard { PROA_GUARD_PLAIN, PROA_GUARD_ATOMICS, PROA_GUARD_STRIPES };

/* An accumulate in progress. All zero: nothing is chosen yet. */
struct proa_guarded {
    enum proa_guard guard;
    struct proa_slot *slot;  /* marked busy until proa_guard_leave; NULL: nothing to unmark */
    struct proa_peer *owner; /* of the stripes that are held; NULL: none is */
    uint64_t first, stripes; /* held; several by wide locks, from the first of one on */
    int entered, aligned; /* chosen already, for elements that are aligned to their size, or not */
};

/* Chooses and enters, for a run of elements of `bytes` bytes at key in span's owner. The runs of
 * one operation in one span share a guarded, which is left and entered anew only where the choice
 * may differ. total: elements of the whole operation. */
void proa_guard_enter(struct proa_win *win, int rank, const struct proa_span *span, uint64_t key,
                      uint64_t total, size_t bytes, struct proa_guarded *guarded);
void proa_guard_leave(struct proa_guarded *guarded);

/* The most bytes that are guarded at a time. Each time has its price, an atomic that waits for all
 * stores before it, or system calls; but other accessors wait meanwhile. Where none has waited
 * lately (contended is 0), a plain loop goes on for ALONE. No single size serves both: AT_ONCE
 * always costs a fetch of 256 KiB 3 %, ALONE always lets a single element beside it take 7 us, not
 * 0.25 (doc/decisions/028-stripes-and-wide-locks.md). */
enum {
    PROA_GUARD_AT_ONCE = 16 * PROA_STRIPE_BYTES,
    PROA_GUARD_ALONE = 64 * PROA_STRIPE_BYTES,
};
static inline uint64_t proa_guard_most(const struct proa_proc_ctl *owner)
{
    return proa_atomic_load(&owner->contended, PROA_RELAXED) ? PROA_GUARD_AT_ONCE
                                                             : PROA_GUARD_ALONE;
}

/* PROA_GUARD_STRIPES: sees to it that the stripes are held of elements whose first bytes have keys
 * from key on, for `bytes` bytes or fewer: by one stripe, or as many as their wide locks have.
 * Returns how many bytes from key on they cover, at most PROA_GUARD_ALONE. */
uint64_t proa_guard_stripes(struct proa_guarded *guarded, struct proa_peer *owner, uint64_t key,
                            uint64_t bytes);

static inline uint64_t proa_guard_stripe_of(uint64_t key)
{
    return key / PROA_STRIPE_BYTES % PROA_STRIPES;
}

/* Would it cover all of these bytes, with so many at most? */
static inline int proa_guard_may_cover(uint64_t key, uint64_t bytes, uint64_t most)
{
    uint64_t in_all = key % (PROA_STRIPE_BYTES * (uint64_t)PROA_STRIPES) + bytes;

    return key % PROA_STRIPE_BYTES + bytes <= most &&
           in_all <= PROA_STRIPE_BYTES * (uint64_t)PROA_STRIPES;
}

/* The same for bytes that it would cover, to be given back at once: the wide locks over them. */
struct proa_wide_range {
    uint64_t first, end;
};
static inline struct proa_wide_range proa_guard_wide_over(uint64_t key, uint64_t bytes)
{
    uint64_t first = proa_guard_stripe_of(key) / PROA_WIDE,
             last = proa_guard_stripe_of(key + bytes - 1) / PROA_WIDE;

    return (struct proa_wide_range){first, last + 1};
}
void proa_guard_wide_take(struct proa_proc_ctl *owner, struct proa_wide_range range);
void proa_guard_wide_give(struct proa_proc_ctl *owner, struct proa_wide_range range);

/* Stripes that are scattered: those of the bytes that have been added, for as long as they are
 * held, all by wide locks. Not together with those of a proa_guarded, which is left before. */
struct proa_stripe_set {
    /* 0 or 1; no bits, of which each would wait for the one before */
    uint8_t has[PROA_WIDE_LOCKS];
};
static inline void proa_guard_set_add(struct proa_stripe_set *set, uint64_t key)
{
    set->has[proa_guard_stripe_of(key) / PROA_WIDE] = 1;
}
void proa_guard_set_take(struct proa_proc_ctl *owner, const struct proa_stripe_set *set);
void proa_guard_set_give(struct proa_proc_ctl *owner, const struct proa_stripe_set *set);

/* From now on every accessor uses stripes for owner's memory. Called for targets of windows on
 * which several threads of a process work. */
void proa_guard_stripes_only(struct proa_proc_ctl *owner);

/* ---- one stripe: inline, as the plain way (rma/accumulate.c) lives on it ---- */

static inline void proa_guard_stripe_give(struct proa_proc_ctl *owner, uint64_t stripe)
{
    proa_atomic_store(&owner->stripes[stripe].held, 0, PROA_RELEASE);
    proa_doorbell_ring(&owner->stripe_doorbell);
}

/* Takes the stripe: 1; or 0 if the stripe or its wide lock is held. Acquires; partners:
 * proa_guard_stripe_give, and stripes_release in guard.c, which has the argument about wide
 * locks. */
static inline int proa_guard_stripe_try(struct proa_proc_ctl *owner, uint64_t stripe)
{
    struct proa_stripe *one = &owner->stripes[stripe];

    if (proa_atomic_load(&one->held, PROA_RELAXED) ||
        proa_atomic_exchange(&one->held, 1, PROA_SEQ_CST))
        return 0;
    if (!proa_atomic_load(&owner->wide[stripe / PROA_WIDE].held, PROA_SEQ_CST))
        return 1;
    proa_guard_stripe_give(owner, stripe);
    return 0;
}

/* Waits for it. */
void proa_guard_stripe_await(struct proa_proc_ctl *owner, uint64_t stripe);

static inline void proa_guard_stripe_take(struct proa_proc_ctl *owner, uint64_t stripe)
{
    if (__builtin_expect(!proa_guard_stripe_try(owner, stripe), 0))
        proa_guard_stripe_await(owner, stripe);
}

/* Is this process the only one with access to the target now? Only a lock and a post to one origin
 * set the bits asked for, never an epoch for all targets. */
static inline int proa_guard_is_alone(const struct proa_win *win, int rank)
{
    return win->targets[rank].epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_SOLE) && !win->threads;
}

/* Is this a size that the processor can exchange? */
static inline int proa_guard_atomics_fit(size_t bytes)
{
    return bytes <= 8 && (bytes & (bytes - 1)) == 0;
}

/* proa_proc_ctl.stripes_only */
enum { PROA_ATOMICS = 0, PROA_SWITCHING = 1, PROA_STRIPES_ONLY = 2 };

static inline void proa_guard_slot_leave(struct proa_slot *slot)
{
    /* partner: wait_for_slots in guard.c */
    proa_atomic_store(&slot->busy, 0, PROA_RELEASE);
}

/* Marks the slot in which this process may use processor atomics on owner's memory, until
 * proa_guard_slot_leave. NULL: it may not, the owner has gone over to stripes, or has no slot for
 * us. */
static inline struct proa_slot *proa_guard_slot_enter(struct proa_peer *owner)
{
    struct proa_slot *slot = owner->slot;

    if (!slot)
        return NULL;
    proa_atomic_store(&slot->busy, 1, PROA_RELAXED);
    proa_membar_light(); /* partner: the heavy fence in proa_guard_stripes_only */
    if (__builtin_expect(proa_atomic_load(&owner->ctl->stripes_only, PROA_ACQUIRE) == PROA_ATOMICS,
                         1))
        return slot;
    proa_guard_slot_leave(slot);
    return NULL;
}

/* The choice, for an element of `bytes` bytes of an operation of `total` elements: here and nowhere
 * else. address: the element's, where it is mapped or in its owner, which are aligned alike. *slot:
 * to be left once the work is done, with PROA_GUARD_ATOMICS. */
static inline enum proa_guard proa_guard_choose(const struct proa_win *win, int rank,
                                                const struct proa_span *span, uint64_t address,
                                                uint64_t total, size_t bytes,
                                                struct proa_slot **slot)
{
    if (proa_guard_is_alone(win, rank))
        return PROA_GUARD_PLAIN;
    if (!span->atomics || !proa_guard_atomics_fit(bytes) || address & (bytes - 1))
        return PROA_GUARD_STRIPES; /* as every accessor does for this element */
    if (total <= win->atomics_most) {
        *slot = proa_guard_slot_enter(span->owner);
        if (*slot)
            return PROA_GUARD_ATOMICS;
    }
    if (proa_atomic_load(&span->owner->ctl->stripes_only, PROA_ACQUIRE) != PROA_STRIPES_ONLY)
        proa_guard_stripes_only(span->owner->ctl);
    return PROA_GUARD_STRIPES;
}

#endif
