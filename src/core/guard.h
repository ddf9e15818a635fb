/*
 * How accumulates to the same element are kept from disturbing each other.
 *
 * Three ways, chosen by what is the same for all who may work on an element at the same time (its basic type, its place, the window's
 * hints, the owner's state), never by the path that the operation came:
 *   plain     nobody else may access the target now: an exclusive lock, or a post to us alone
 *   atomics   one processor atomic an element
 *   stripes   a lock over PROA_STRIPE_BYTES of the owner's memory, and an ordinary loop inside
 * An owner's memory starts with atomics. The first operation that is too long for them (PROA_ATOMICS_MOST elements) makes its owner use
 * stripes from then on; guard.c has the argument why nobody gets in between.
 */
#ifndef PROA_CORE_GUARD_H
#define PROA_CORE_GUARD_H

#include "core/op.h"
#include "core/place.h"

enum { PROA_ATOMICS_MOST = 8 };

enum proa_guard { PROA_GUARD_PLAIN, PROA_GUARD_ATOMICS, PROA_GUARD_STRIPES };

/* An accumulate in progress, on count elements of a basic type at place. */
struct proa_guarded {
    enum proa_guard guard;
    struct proa_slot *slot;       /* marked busy until proa_guard_leave; NULL: nothing to unmark */
};

/* Chooses and enters. total: elements of the whole operation; bytes: of one element. */
void proa_guard_enter(struct proa_win *win, int rank, const struct proa_place *place, uint64_t total, size_t bytes,
                      struct proa_guarded *guarded);
void proa_guard_leave(struct proa_guarded *guarded);

/* Takes and releases the stripe of an element whose first byte has this key. Returns how many bytes from there on the stripe covers. */
uint64_t proa_stripe_take(struct proa_peer *owner, uint64_t key);
void proa_stripe_release(struct proa_peer *owner, uint64_t key);

/* From now on everybody uses stripes for owner's memory. Called for targets of windows on which several threads of a process work. */
void proa_guard_stripes_only(struct proa_proc_ctl *owner);

#endif
