/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notification counters (draft of MPI-5.1, 12.6): each process of a window has some. A notified
 * operation counts up one of its target's counters when its data are in place there.
 *
 * A counter is a word of shared memory, on a line of its own, in its owner's arena. A neighbour
 * counts it up itself. For a process of another node the owner does so, when the message arrives.
 * So a process waits only for its own words, as everywhere (sync/notify.h).
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
    struct proa_counter *first; /* address here; NULL if there are none or they are not mapped */
    uint32_t count;
    uint32_t is_known; /* whether the count is known, for a process of another node
                        * (remote/notice.h) */
};

/* The counters of a window, since their number was last set. */
struct proa_counters {
    struct proa_counter *own;     /* ours, a block of the arena; NULL if none */
    struct proa_counters_of of[]; /* by rank */
};

/* Sets the number of counters of this process, and all of them to zero. number: may differ between
 * processes. most: the largest number allowed. Collective over the window (draft of MPI-5.1,
 * 12.6.1). Returns PROA_OK, or on all processes alike and with all counters unchanged: PROA_ERR_ARG
 * if the number is negative or exceeds `most`; PROA_ERR_RMA_SYNC if an access epoch is open;
 * PROA_ERR_NO_MEM; PROA_ERR_OTHER if a process has failed. */
int proa_counters_set(struct proa_win *win, int64_t number, int64_t most);

/* Frees the counters that proa_counters_set has created. */
void proa_counters_free(struct proa_win *win);

/* Returns the number of counters of a process of this node. */
static inline uint32_t proa_counters_near(const struct proa_win *win, int rank)
{
    const struct proa_counters *counters = proa_atomic_load(&win->counters, PROA_ACQUIRE);

    return counters ? counters->of[rank].count : 0;
}

/* Returns PROA_OK, or PROA_ERR_RMA_NOTIFICATION if the process of that rank has no counter with
 * this index. */
int proa_counter_outside(int rank, int64_t index, uint32_t count);

static inline int proa_counter_check(int rank, int64_t index, uint32_t count)
{
    return __builtin_expect((uint64_t)index < count, 1) ? PROA_OK
                                                        : proa_counter_outside(rank, index, count);
}

/* Returns the address of an existing counter of a process of this node. */
static inline uint64_t *proa_counter_of(const struct proa_win *win, int rank, uint32_t index)
{
    return &win->counters->of[rank].first[index].value;
}

/* Counts up a counter of that process of this node by one, and wakes its threads that wait for it.
 * Releases all earlier actions of this process, including the operation's loads and stores;
 * partner: proa_counter_value, proa_counter_reset, proa_counter_await. */
static inline void proa_counter_up_at(const struct proa_target *target, uint64_t *word)
{
    proa_atomic_fetch_add(word, 1, PROA_RELEASE);
    proa_doorbell_ring_for_atomic(&target->peer->ctl->bell, word);
}

static inline void proa_counter_up(const struct proa_win *win, int rank, uint32_t index)
{
    proa_counter_up_at(&win->targets[rank], proa_counter_of(win, rank, index));
}

/* Returns the counter of a process of this node, to be counted up; NULL if it has no such counter
 * or is on another node. */
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

/* Called before the operation is issued. Returns PROA_OK if the target has such a counter;
 * otherwise PROA_ERR_RMA_NOTIFICATION or another code, and the operation must not be issued. */
static inline int proa_notified_begin(struct proa_win *win, int rank, int64_t index)
{
    if (__builtin_expect(proa_is_remote(&win->targets[rank]), 0))
        return win->sync->note_begin(win, rank, index);
    return proa_counter_fetched(win, rank, index)
               ? PROA_OK
               : proa_counter_outside(rank, index, proa_counters_near(win, rank));
}

/* Called after the operation. is_issued: 0 if it failed and must not be counted. On one node its
 * data are in place before this call, which counts. Returns PROA_OK or a code. */
static inline int proa_notified_end(struct proa_win *win, int rank, uint32_t index, int is_issued)
{
    if (__builtin_expect(proa_is_remote(&win->targets[rank]), 0))
        return win->sync->note_end(win, rank, is_issued);
    if (is_issued)
        proa_counter_up(win, rank, index);
    return PROA_OK;
}

/* *number: number of counters of the process of that rank. Returns PROA_OK or a code. */
static inline int proa_counters_number(struct proa_win *win, int rank, uint32_t *number)
{
    if (proa_is_remote(&win->targets[rank]))
        return win->sync->counters(win, rank, number);
    *number = proa_counters_near(win, rank);
    return PROA_OK;
}

/* ---- our own existing counters ---- */

/* Returns the counter's value. Acquires; partner: proa_counter_up_at. */
static inline uint64_t proa_counter_value(const struct proa_win *win, uint32_t index)
{
    return proa_atomic_load(proa_counter_of(win, win->rank, index), PROA_ACQUIRE);
}

/* Sets the counter to 0 and returns its previous value, in one atomic step. Acquires, as
 * proa_counter_value. */
static inline uint64_t proa_counter_reset(const struct proa_win *win, uint32_t index)
{
    return proa_atomic_exchange(proa_counter_of(win, win->rank, index), 0, PROA_ACQUIRE);
}

/* Returns whether the counter reaches `least` within the first checks of a wait. Acquires, as
 * proa_counter_value. A neighbour on the other hardware thread of this core answers within a pause,
 * so there are fewer pauses than checks. Without pauses, the checks would slow it down. */
static inline int proa_counter_comes(const uint64_t *word, uint64_t least)
{
    enum { LOOKS_PER_PAUSE = 4 };

    return __builtin_expect(proa_atomic_load(word, PROA_ACQUIRE) >= least, 1) ||
           proa_wait_first_looks(word, least, LOOKS_PER_PAUSE);
}

/* Waits until the counter is at least `least`. Returns PROA_OK and acquires, as proa_counter_value,
 * or PROA_ERR_OTHER if a process of the window has failed. */
int proa_counter_await(struct proa_win *win, uint32_t index, uint64_t least) PROA_HOT;

/* A counter and its awaited value. */
struct proa_threshold {
    uint32_t index;
    uint64_t least;
};

/* Waits until one of `count` counters, at least 1, has reached its value. *outcount: number of
 * counters that have. which: their indices in `of`. Returns PROA_OK or PROA_ERR_OTHER. */
int proa_counters_await_some(struct proa_win *win, const struct proa_threshold *of, int count,
                             int *outcount, int *which);

#endif
