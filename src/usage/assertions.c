/* SPDX-License-Identifier: BSD-3-Clause */
/* See assertions.h. */
#include "usage/assertions.h"
#include "base/atomic.h"
#include "sync/notify.h"
#include "sync/rwlock.h"
#include "usage/misuse.h"
#include "window/epoch.h"
#include "window/sync_ops.h"

#include <mpi.h>

int proa_rules_asserting;

/* Shifts in the bit of one more call. */
static void shift(uint64_t *bits, int is_set)
{
    *bits = *bits << 1 | (is_set != 0);
    if (is_set)
        proa_atomic_store(&proa_rules_asserting, 1, PROA_RELAXED);
}

/* ---- fences ---- */

/* Operations of another kind of epoch leave the window touched as well. */
static void check_fence(struct proa_rules *rules)
{
    rules->fenced++;
    shift(&rules->noput, rules->assert &MPI_MODE_NOPUT);
    if (rules->assert & MPI_MODE_NOPUT)
        rules->noput_fence = rules->caller;
    proa_fences_note(&rules->fences, rules->assert, rules->caller);
    if (rules->assert & MPI_MODE_NOPRECEDE && proa_epoch_all(rules->win) & PROA_EPOCH_FENCE &&
        proa_epoch_touched(rules->win))
        proa_misuse(PROA_MISUSE_NOPRECEDE, rules->win, "MPI_Win_fence", rules->caller, NULL,
                    "MPI_Win_fence with MPI_MODE_NOPRECEDE follows operations of rank %d",
                    rules->win->rank);
}

/* ---- starts and locks ---- */

/* On one node, a message that orders the post before the start makes its word visible here. */
static void check_start(const struct proa_rules *rules)
{
    const struct proa_win *win = rules->win;

    if (!(rules->assert &MPI_MODE_NOCHECK))
        return;
    for (int i = 0; i < win->started_group.count; i++) {
        const int rank = win->started_group.rank[i];
        const uint64_t *posted =
            win->targets[rank].ctl ? win->sync->word(win, rank, PROA_WORD_POSTED) : NULL;

        if (posted && proa_atomic_load(posted, PROA_ACQUIRE) < 2 * rules->peers[rank].starts)
            proa_misuse(PROA_MISUSE_NOCHECK_START, win, "MPI_Win_start", rules->caller, NULL,
                        "MPI_Win_start with MPI_MODE_NOCHECK comes before MPI_Win_post of rank %d",
                        rank);
    }
}

/* This process does not hold the target's lock, so every lock in the target's word is of another
 * process. */
static int is_locked_otherwise(const struct proa_win *win, int rank)
{
    const struct proa_target *target = &win->targets[rank];
    const int exclusive =
        (proa_epoch_towards(win, rank) & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER)) != 0;
    uint32_t state;

    if (win->remote_window || !target->ctl)
        return 0;
    state = proa_atomic_load(&target->ctl->lock.state, PROA_ACQUIRE);
    if (state & PROA_RW_BROKEN)
        return 0;
    return exclusive ? state != 0 || proa_atomic_load(&win->leader->all.active, PROA_ACQUIRE) != 0
                     : (state & PROA_RW_HELD) != 0;
}

static void check_lock(const struct proa_rules *rules, int target)
{
    const struct proa_win *win = rules->win;

    if (!(rules->assert &MPI_MODE_NOCHECK))
        return;
    for (int rank = 0; rank < win->size; rank++)
        if ((target < 0 || rank == target) && proa_epoch_towards(win, rank) & PROA_EPOCH_LOCK &&
            is_locked_otherwise(win, rank))
            proa_misuse(PROA_MISUSE_NOCHECK_LOCK, win,
                        target < 0 ? "MPI_Win_lock_all" : "MPI_Win_lock", rules->caller, NULL,
                        "a lock of rank %d is taken with MPI_MODE_NOCHECK while another process "
                        "has a conflicting one",
                        rank);
}

/* ---- locked and exposed windows ---- */

/* This process holds no lock on itself, so its lock words show locks of other processes. A
 * requested lock counts as well: nothing orders it after MPI_Win_wait. */
static int is_locked_by_others(const struct proa_win *win)
{
    uint32_t state;

    if (win->remote_window || !win->ctl || proa_epoch_towards(win, win->rank) & PROA_EPOCH_LOCK)
        return 0;
    state = proa_atomic_load(&win->ctl->lock.state, PROA_ACQUIRE);
    if (state & PROA_RW_BROKEN)
        return 0;
    return state != 0 || proa_atomic_load(&win->leader->all.active, PROA_ACQUIRE) != 0;
}

static void check_exposed(const struct proa_rules *rules, enum proa_call call, const void *caller)
{
    if (rules->win->exposed && rules->win->exposed_group.count > 0 &&
        is_locked_by_others(rules->win))
        proa_misuse(PROA_MISUSE_LOCKED_EXPOSED, rules->win, proa_call_name(call), caller, NULL,
                    "another process locks the window of rank %d while it is exposed",
                    rules->win->rank);
}

/* ---- stores ---- */

void proa_rules_stored(struct proa_rules *rules, const void *place)
{
    if (rules && !rules->stored)
        rules->stored = place;
}

/* The stores before the call were taken already. */
static void check_stores(struct proa_rules *rules, enum proa_call call)
{
    const struct proa_finding_call store = {.call = "a store", .caller = rules->stored};

    if (rules->stored && (call == PROA_CALL_Win_fence || call == PROA_CALL_Win_post) &&
        rules->assert & MPI_MODE_NOSTORE)
        proa_misuse(PROA_MISUSE_NOSTORE, rules->win, proa_call_name(call), rules->caller, &store,
                    "%s with MPI_MODE_NOSTORE follows stores of rank %d to its window",
                    proa_call_name(call), rules->win->rank);
    rules->stored = NULL;
}

/* ---- incoming operations ---- */

uint16_t proa_rules_serial(const struct proa_rules *rules, int rank, unsigned epoch)
{
    if (epoch & PROA_EPOCH_START)
        return (uint16_t)(PROA_SERIAL_START | (rules->peers[rank].starts & PROA_SERIAL_NUMBER) |
                          (rules->started_unchecked ? PROA_SERIAL_NOCHECK : 0));
    if (epoch & PROA_EPOCH_FENCE)
        return (uint16_t)(PROA_SERIAL_FENCE | (rules->fenced & PROA_SERIAL_NUMBER));
    return 0;
}

/* Returns the bit of the call with that number. Returns -1 if it is no longer known, or not yet. */
static int bit_of(uint64_t bits, uint64_t count, unsigned number)
{
    const uint64_t age = (count - number) & PROA_SERIAL_NUMBER;

    return age < 64 && age < count ? (int)(bits >> age & 1) : -1;
}

static void tell_noput(const struct proa_rules *rules, const char *call, const void *caller,
                       const struct proa_rules_arrival *arrival)
{
    proa_misuse(PROA_MISUSE_NOPUT, rules->win, call, caller, &arrival->call,
                "%s has MPI_MODE_NOPUT, and %s of rank %d updates the window of rank %d", call,
                arrival->call.call, arrival->process, rules->win->rank);
}

static int rank_of(const struct proa_members *members, int process)
{
    for (int i = 0; i < members->count; i++)
        if (members->rank[i] == process)
            return i;
    return -1;
}

/* Assertions that apply to an operation. */
struct met {
    int rank;     /* rank of its origin; -1 if it is not in the window */
    int noput;    /* its fence or post has MPI_MODE_NOPUT */
    int one_side; /* MPI_MODE_NOCHECK was given by post only, or by start only */
};

static struct met meet(const struct proa_rules *rules, const struct proa_rules_arrival *arrival)
{
    const unsigned number = arrival->serial & PROA_SERIAL_NUMBER;
    const int unchecked = (arrival->serial & PROA_SERIAL_NOCHECK) != 0;
    struct met met = {.rank = rank_of(rules->members, arrival->process)};
    const struct proa_rules_peer *peer = &rules->peers[met.rank < 0 ? 0 : met.rank];
    int nocheck;

    if (met.rank < 0)
        return met;
    if (arrival->serial & PROA_SERIAL_FENCE) {
        met.noput = bit_of(rules->noput, rules->fenced, number) == 1;
        return met;
    }
    met.noput = bit_of(peer->noput, peer->posts, number) == 1;
    nocheck = bit_of(peer->nocheck, peer->posts, number);
    met.one_side = nocheck >= 0 && nocheck != unchecked;
    return met;
}

int proa_rules_permit(const struct proa_rules *rules, const struct proa_rules_arrival *arrival)
{
    const struct met met = meet(rules, arrival);

    return !met.one_side && !(met.noput && arrival->updates);
}

void proa_rules_arrived(const struct proa_rules *rules, const struct proa_rules_arrival *arrival)
{
    const struct met met = meet(rules, arrival);

    if (met.noput && arrival->updates && arrival->serial & PROA_SERIAL_FENCE)
        tell_noput(rules, "MPI_Win_fence", rules->noput_fence, arrival);
    else if (met.noput && arrival->updates)
        tell_noput(rules, "MPI_Win_post", rules->poster, arrival);
    if (met.one_side)
        proa_misuse(
            PROA_MISUSE_NOCHECK_SIDES, rules->win, "MPI_Win_post", rules->poster, &arrival->call,
            "MPI_MODE_NOCHECK is given by MPI_Win_%s alone, between rank %d, which posts, "
            "and an origin, rank %d",
            arrival->serial & PROA_SERIAL_NOCHECK ? "start" : "post", rules->win->rank, met.rank);
}

/* ---- calls ---- */

void proa_assertions_enter(struct proa_rules *rules, enum proa_call call, const void *caller)
{
    if (call == PROA_CALL_Win_fence)
        check_fence(rules);
    else if (call == PROA_CALL_Win_wait || call == PROA_CALL_Win_test)
        check_exposed(rules, call, caller);
}

static void note_post(struct proa_rules *rules)
{
    const struct proa_ranks *group = &rules->win->exposed_group;

    rules->poster = rules->caller;
    for (int i = 0; i < group->count; i++) {
        shift(&rules->peers[group->rank[i]].noput, rules->assert &MPI_MODE_NOPUT);
        shift(&rules->peers[group->rank[i]].nocheck, rules->assert &MPI_MODE_NOCHECK);
    }
    check_exposed(rules, PROA_CALL_Win_post, rules->caller);
}

static void succeed(struct proa_rules *rules, enum proa_call call, int rank)
{
    switch (call) {
    case PROA_CALL_Win_post:
        note_post(rules);
        break;
    case PROA_CALL_Win_start:
        rules->started_unchecked = (rules->assert &MPI_MODE_NOCHECK) != 0;
        check_start(rules);
        break;
    case PROA_CALL_Win_lock:
    case PROA_CALL_Win_lock_all:
        check_lock(rules, rank);
        break;
    default:
        break;
    }
}

void proa_assertions_leave(struct proa_rules *rules, enum proa_call call, int rank, int code)
{
    if (code < 0 && call == PROA_CALL_Win_fence) {
        rules->fenced--;
        rules->noput >>= 1;
    } else if (code >= 0) {
        succeed(rules, call, rank);
    }
    check_stores(rules, call);
}
