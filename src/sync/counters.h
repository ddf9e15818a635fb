/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notification counters (draft of MPI-5.1, 12.6): each process of a window has some, and a notified
 * operation counts up one of its target's when its data are in place there.
 *
 * A counter is a word of shared memory, on a line of its own, in its owner's arena. A neighbour
 * counts it up itself; for a process of another node its owner does, when the message comes. So a
 * process waits for its own words only, as everywhere (sync/notify.h).
 */
#ifndef PROA_SYNC_COUNTERS_H
#define PROA_SYNC_COUNTERS_H

#include "base/atomic.h"
#include "base/doorbell.h"
#include "base/fail.h"
#include "base/line.h"
#include "base/wait.h"
#include "shm/ctl.h"
#include "window/sync_ops.h"
#include "window/win.h"

/* The counters of one process. */
struct proa_counters_of {
    struct proa_counter *first; /* where they are mapped here; NULL: none are, or nowhere */
    uint32_t count;
    uint32_t is_known; /* the count, of a process of another node (remote/notice.h) */
};

/* Those of a window, since their number was set last. */
struct proa_counters {
    struct proa_counter *own;     /* ours, a block of the arena; NULL: none */
    struct proa_counters_of of[]; /* by rank */
};

/* Gives this process `number` counters from now on, all zero; each process may give another number.
 * most: the largest number that is allowed. Collective over the window. PROA_OK; or, on all
 * processes alike and with all counters as they were: PROA_ERR_ARG, the number is negative or more
 * than `most`; PROA_ERR_RMA_SYNC, an access epoch is open; PROA_ERR_NO_MEM; PROA_ERR_OTHER, a
 * process is gone. (Draft of MPI-5.1, 12.6.1.) */
int proa_counters_set(struct proa_win *win, int64_t number, int64_t most);

/* Frees what proa_counters_set has made. */
void proa_counters_free(struct proa_win *win);

/* The number of counters of a process of this node. */
static inline uint32_t proa_counters_near(const struct proa_win *win, int rank)
{
    const struct proa_counters *counters = proa_atomic_load(&win->counters, PROA_ACQUIRE);

    return counters ? counters->of[rank].count : 0;
}

/* PROA_OK, or PROA_ERR_RMA_NOTIFICATION: the process of that rank has not so many counters. */
int proa_counter_outside(int rank, int64_t index, uint32_t count);

static inline int proa_counter_check(int rank, int64_t index, uint32_t count)
{
    return __builtin_expect((uint64_t)index < count, 1) ? PROA_OK
                                                        : proa_counter_outside(rank, index, count);
}

/* A counter of a process of this node, which has it. */
static inline uint64_t *proa_counter_of(const struct proa_win *win, int rank, uint32_t index)
{
    return &win->counters->of[rank].first[index].value;
}

/* Counts up a counter of that process of this node by one, and wakes its threads that wait for it.
 * Releases all that this process did before, the operation's loads and stores among it; partner:
 * proa_counter_value, proa_counter_reset, proa_counter_await. */
static inline void proa_counter_up_at(const struct proa_target *target, uint64_t *word)
{
    proa_atomic_fetch_add(word, 1, PROA_RELEASE);
    proa_doorbell_ring_for_atomic(&target->peer->ctl->bell, word);
}

static inline void proa_counter_up(const struct proa_win *win, int rank, uint32_t index)
{
    proa_counter_up_at(&win->targets[rank], proa_counter_of(win, rank, index));
}

/* The counter of a process of this node, which will be counted up. NULL: it has no such counter, or
 * is of another node. */
static inline uint64_t *proa_counter_fetched(const struct proa_win *win, int rank, int64_t index)
{
    const struct proa_counters *counters = proa_atomic_load(&win->counters, PROA_ACQUIRE);
    const struct proa_counters_of *of;

    if (__builtin_expect(!counters, 0))
        return NULL;
    of = &counters->of[rank];
    if (__builtin_expect((uint64_t)index >= of->count || !of->first, 0))
        return NULL;
    return &of->first[index].value;
}

/* ---- around a notified operation, on any target ---- */

/* Called before the operation is issued: has the target such a counter? PROA_OK;
 * PROA_ERR_RMA_NOTIFICATION or another code: then the operation must not be issued. */
static inline int proa_notified_begin(struct proa_win *win, int rank, int64_t index)
{
    if (__builtin_expect(proa_is_remote(&win->targets[rank]), 0))
        return win->sync->note_begin(win, rank, index);
    return proa_counter_fetched(win, rank, index)
               ? PROA_OK
               : proa_counter_outside(rank, index, proa_counters_near(win, rank));
}

/* Called after it. is_issued 0: it has failed, and nothing is counted. On one node its data are in
 * place by now; the counter follows. PROA_OK or a code. */
static inline int proa_notified_end(struct proa_win *win, int rank, uint32_t index, int is_issued)
{
    if (__builtin_expect(proa_is_remote(&win->targets[rank]), 0))
        return win->sync->note_end(win, rank, is_issued);
    if (is_issued)
        proa_counter_up(win, rank, index);
    return PROA_OK;
}

/* *number: of the counters of the process of that rank. PROA_OK or a code. */
static inline int proa_counters_number(struct proa_win *win, int rank, uint32_t *number)
{
    if (proa_is_remote(&win->targets[rank]))
        return win->sync->counters(win, rank, number);
    *number = proa_counters_near(win, rank);
    return PROA_OK;
}

/* ---- our own, which exist ---- */

/* Acquires; partner: proa_counter_up. */
static inline uint64_t proa_counter_value(const struct proa_win *win, uint32_t index)
{
    return proa_atomic_load(proa_counter_of(win, win->rank, index), PROA_ACQUIRE);
}

/* Sets it to 0 and returns the value before, in one atomic step; as proa_counter_value. */
static inline uint64_t proa_counter_reset(const struct proa_win *win, uint32_t index)
{
    return proa_atomic_exchange(proa_counter_of(win, win->rank, index), 0, PROA_ACQUIRE);
}

/* Has the counter come to `least`, or does it within the first looks of a wait? As
 * proa_counter_value. A neighbour on the other half of this core answers within a pause, so there
 * are fewer pauses than looks. Without any, the looks would slow it down. */
static inline int proa_counter_comes(const uint64_t *word, uint64_t least)
{
    enum { LOOKS_PER_PAUSE = 4 };

    return __builtin_expect(proa_atomic_load(word, PROA_ACQUIRE) >= least, 1) ||
           proa_wait_first_looks(word, least, LOOKS_PER_PAUSE);
}

/* Returns once it is at least `least`: PROA_OK, as proa_counter_value. PROA_ERR_OTHER: a process of
 * the window is gone. */
int proa_counter_await(struct proa_win *win, uint32_t index, uint64_t least) PROA_HOT;

/* A counter, and the value that it is waited for. */
struct proa_threshold {
    uint32_t index;
    uint64_t least;
};

/* Returns once one of `count` counters, 1 at least, has come to its value: PROA_OK, and in which[]
 * the places of all that have, *outcount of them; or PROA_ERR_OTHER. */
int proa_counters_await_some(struct proa_win *win, const struct proa_threshold *of, int count,
                             int *outcount, int *which);

#endif
