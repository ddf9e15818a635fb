/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guards: mutual exclusion of accumulates on the same element.
 *
 * Three ways. The choice depends only on properties that are the same for all accessors of an
 * element at a time (its basic type, its place, the owner's state), never on the path of the
 * operation:
 *   plain     no other process or thread may access the target now: an exclusive lock, or a post to
 *             us alone
 *   atomics   one processor atomic an element
 *   stripes   a lock over PROA_STRIPE_BYTES of the owner's memory, and an ordinary loop inside;
 *             for elements over several stripes, one over PROA_WIDE of them
 * An owner's memory starts with atomics. The first operation that is too long for them
 * (PROA_ATOMICS_MOST elements) makes its owner use stripes from then on; guard.c shows why no
 * access can conflict with the switch.
 */
#ifndef PROA_RMA_GUARD_H
#define PROA_RMA_GUARD_H

#include "window/epoch.h"
#include "base/atomic.h"
#include "rma/road.h"

/* Two elements take as long by atomics as under a stripe, whose cost is the same for many elements.
 * A few more, such as the coordinates of a point, still use atomics, because one operation that is
 * too long switches all others to stripes for good. Single elements, above all contended ones, are
 * faster without stripes. A window that several threads of a process access uses no atomics
 * (proa_win.atomics_most), as a slot is for one thread at a time.
 */
enum { PROA_ATOMICS_MOST = 4 };

enum proa_guard { PROA_GUARD_PLAIN, PROA_GUARD_ATOMICS, PROA_GUARD_STRIPES };

/* An accumulate in progress; all zero before the first choice. */
struct proa_guarded {
    enum proa_guard guard;
    struct proa_slot *slot;  /* marked busy until proa_guard_leave; NULL if none */
    struct proa_peer *owner; /* owner of the held stripes; NULL if none is held */
    uint64_t first, stripes; /* the held stripes; several are held by wide locks, from the first
                              * stripe of one on */
    int entered, aligned;    /* entered: 1 if chosen already; aligned: for elements aligned to their
                              * size */
};

/* Chooses and enters a guard, for a run of elements of `bytes` bytes at key in span's owner. total:
 * number of elements of the whole operation. The runs of one operation in one span share a struct
 * proa_guarded, which is left and entered again only if the choice may differ. */
void proa_guard_enter(struct proa_win *win, int rank, const struct proa_span *span, uint64_t key,
                      uint64_t total, size_t bytes, struct proa_guarded *guarded);
void proa_guard_leave(struct proa_guarded *guarded);

/* The most bytes that are guarded at a time. Each guard costs an atomic that waits for all earlier
 * stores, or system calls; but other accessors wait meanwhile. If none has waited lately (contended
 * is 0), a plain loop continues up to ALONE bytes. No single size suits both cases: always AT_ONCE
 * costs a fetch of 256 KiB 3 %; always ALONE makes a single element beside it take 7 us, not 0.25
 * (doc/decisions/028-stripes-and-wide-locks.md). */
enum {
    PROA_GUARD_AT_ONCE = 16 * PROA_STRIPE_BYTES,
    PROA_GUARD_ALONE = 64 * PROA_STRIPE_BYTES,
};
static inline uint64_t proa_guard_most(const struct proa_proc_ctl *owner)
{
    return proa_atomic_load(&owner->contended, PROA_RELAXED) ? PROA_GUARD_AT_ONCE
                                                             : PROA_GUARD_ALONE;
}

/* For PROA_GUARD_STRIPES: ensures that the stripes are held of elements whose first bytes have keys
 * from key on, for at most `bytes` bytes. Holds one stripe, or all stripes of the wide locks.
 * Returns the number of bytes from key on that they cover, at most PROA_GUARD_ALONE. */
uint64_t proa_guard_stripes(struct proa_guarded *guarded, struct proa_peer *owner, uint64_t key,
                            uint64_t bytes);

static inline uint64_t proa_guard_stripe_of(uint64_t key)
{
    return key / PROA_STRIPE_BYTES % PROA_STRIPES;
}

/* Returns whether it could cover all of these bytes. most: the most bytes guarded at a time. */
static inline int proa_guard_may_cover(uint64_t key, uint64_t bytes, uint64_t most)
{
    uint64_t in_all = key % (PROA_STRIPE_BYTES * (uint64_t)PROA_STRIPES) + bytes;

    return key % PROA_STRIPE_BYTES + bytes <= most &&
           in_all <= PROA_STRIPE_BYTES * (uint64_t)PROA_STRIPES;
}

/* The wide locks over bytes that it could cover, to be released together. */
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

/* Scattered stripes: those of the bytes that were added, all held by wide locks. Not to be held
 * together with stripes of a proa_guarded, which is left before. */
struct proa_stripe_set {
    /* 0 or 1; not bits, as each store of a bit would wait for the previous one */
    uint8_t has[PROA_WIDE_LOCKS];
};
static inline void proa_guard_set_add(struct proa_stripe_set *set, uint64_t key)
{
    set->has[proa_guard_stripe_of(key) / PROA_WIDE] = 1;
}
void proa_guard_set_take(struct proa_proc_ctl *owner, const struct proa_stripe_set *set);
void proa_guard_set_give(struct proa_proc_ctl *owner, const struct proa_stripe_set *set);

/* From now on every accessor uses stripes for owner's memory. Called for targets of windows that
 * several threads of a process access. */
void proa_guard_stripes_only(struct proa_proc_ctl *owner);

/* ---- one stripe: inline, as the plain way (rma/accumulate.c) lives on it ---- */

static inline void proa_guard_stripe_give(struct proa_proc_ctl *owner, uint64_t stripe)
{
    proa_atomic_store(&owner->stripes[stripe].held, 0, PROA_RELEASE);
    proa_doorbell_ring(&owner->stripe_doorbell);
}

/* Takes the stripe. Returns 1, or 0 if the stripe or its wide lock is held. Acquires; partners:
 * proa_guard_stripe_give, and stripes_release in guard.c, whose header explains wide locks. */
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

/* Waits until it has taken the stripe. */
void proa_guard_stripe_await(struct proa_proc_ctl *owner, uint64_t stripe);

static inline void proa_guard_stripe_take(struct proa_proc_ctl *owner, uint64_t stripe)
{
    if (__builtin_expect(!proa_guard_stripe_try(owner, stripe), 0))
        proa_guard_stripe_await(owner, stripe);
}

/* Returns whether only this process has access to the target now. Only a lock and a post to one
 * origin set these bits, never an epoch for all targets. */
static inline int proa_guard_is_alone(const struct proa_win *win, int rank)
{
    return win->targets[rank].epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_SOLE) && !win->threads;
}

/* Returns whether the processor can exchange elements of this size. */
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

/* Marks this process's slot, so that it may use processor atomics on owner's memory until
 * proa_guard_slot_leave. Returns the slot, or NULL if the owner has switched to stripes or has no
 * slot for us. */
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

/* Returns the guard for an element of `bytes` bytes in an operation of `total` elements. Only this
 * function chooses. address: address of the element, here or in its owner, with the same alignment.
 * *slot: for PROA_GUARD_ATOMICS, the slot to leave after the operation. */
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
