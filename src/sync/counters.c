/* SPDX-License-Identifier: BSD-3-Clause */
/* See counters.h. */
#include "sync/counters.h"
#include "shm/arena.h"
#include "sync/peer_failure.h"
#include "window/epoch.h"
#include "window/sync_ops.h"

#include <stdlib.h>
#include <string.h>

/* The reasons why a process refuses a number of counters; the lowest bit takes precedence. */
enum { PROA_REFUSED_ARG = 1, PROA_REFUSED_SYNC = 2, PROA_REFUSED_NO_MEM = 4 };

int proa_counter_outside(int rank, int64_t index, uint32_t count)
{
    if (index < 0)
        return proa_fail(PROA_ERR_RMA_NOTIFICATION, "the notification index %lld is negative",
                         (long long)index);
    return proa_fail(PROA_ERR_RMA_NOTIFICATION,
                     "rank %d has %u notification counters, and none of index %lld", rank, count,
                     (long long)index);
}

int proa_counter_await(struct proa_win *win, uint32_t index, uint64_t least)
{
    const uint64_t *word = proa_counter_of(win, win->rank, index);

    return proa_counter_comes(word, least)
               ? PROA_OK
               : proa_await_long(win, -1, word, least, &proa_self->ctl->bell);
}

/* A wait for one of several counters. */
struct some {
    struct proa_win *win;
    const struct proa_threshold *of;
    int count, *outcount, *which;
};

static int have_some_come(void *arg)
{
    const struct some *s = arg;
    int n = 0;

    for (int i = 0; i < s->count; i++)
        if (proa_counter_value(s->win, s->of[i].index) >= s->of[i].least)
            s->which[n++] = i;
    *s->outcount = n;
    return n > 0;
}

int proa_counters_await_some(struct proa_win *win, const struct proa_threshold *of, int count,
                             int *outcount, int *which)
{
    struct some some = {win, of, count, outcount, which};
    struct proa_vigil vigil = {.win = win, .from = -1};

    if (have_some_come(&some))
        return PROA_OK;
    proa_wait_unless(have_some_come, &some, &proa_self->ctl->bell, proa_vigil_is_over, &vigil);
    return have_some_come(&some) ? PROA_OK : proa_failed_report(win, -1);
}

/* ---- the number ---- */

/* Returns the bit of a failure whose sentence is kept; 0 if there is none. */
static uint32_t refusal_of(int code)
{
    switch (code) {
    case PROA_OK:
        return 0;
    case PROA_ERR_ARG:
        return PROA_REFUSED_ARG;
    case PROA_ERR_RMA_SYNC:
        return PROA_REFUSED_SYNC;
    default:
        return PROA_REFUSED_NO_MEM;
    }
}

/* Returns whether an access epoch is open. A fence opens an epoch with the first operation after
 * it. */
static int has_access(const struct proa_win *win)
{
    const uint8_t all = proa_epoch_all(win);

    return all & PROA_EPOCH_LOCK || proa_epoch_locks(win) || win->started ||
           (all & PROA_EPOCH_FENCE && proa_epoch_touched(win));
}

static int check(const struct proa_win *win, int64_t number, int64_t most)
{
    if (number < 0)
        return proa_fail(PROA_ERR_ARG, "the number of notification counters, %lld, is negative",
                         (long long)number);
    if (number > most)
        return proa_fail(PROA_ERR_ARG,
                         "%lld notification counters are more than the asserted most, %lld",
                         (long long)number, (long long)most);
    if (has_access(win))
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "the number of notification counters is set while an access epoch is "
                         "open");
    return PROA_OK;
}

static struct proa_counters *counters_new(const struct proa_win *win, uint32_t number)
{
    const size_t bytes = number * sizeof(struct proa_counter);
    struct proa_counters *counters =
        calloc(1, sizeof *counters + (size_t)win->size * sizeof counters->of[0]);

    if (counters && number)
        counters->own = proa_arena_alloc(bytes, PROA_CACHE_LINE);
    if (!counters || (number && !counters->own)) {
        free(counters);
        return NULL;
    }
    if (number)
        memset(counters->own, 0, bytes);
    return counters;
}

static void counters_drop(struct proa_counters *counters)
{
    if (!counters)
        return;
    if (counters->own)
        proa_arena_free(counters->own);
    free(counters);
}

/* Creates our counters and publishes their place to the neighbours. */
static int make(struct proa_win *win, uint32_t number, struct proa_counters **counters)
{
    struct proa_counters_ctl *shown = &win->ctl->counters;
    int segment = 0;

    *counters = counters_new(win, number);
    if (!*counters)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for %u notification counters", number);
    if (number)
        proa_arena_find((*counters)->own, number * sizeof(struct proa_counter), &segment,
                        &shown->offset);
    shown->segment = (uint32_t)segment;
    shown->count = number;
    return PROA_OK;
}

/* Finds the counters of the neighbours, after the barrier before which they published them. */
static int find(struct proa_win *win, struct proa_counters *counters)
{
    for (int i = 0; i < win->size; i++) {
        const struct proa_target *target = &win->targets[i];
        const struct proa_counters_ctl *shown = target->ctl ? &target->ctl->counters : NULL;
        char *segment;

        if (!shown || !shown->count)
            continue;
        segment = proa_peer_segment(target->peer, (int)shown->segment);
        if (!segment)
            return PROA_ERR_NO_MEM;
        /* a process without new counters has refused:
         * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        counters->of[i].first = (struct proa_counter *)(void *)(segment + shown->offset);
        counters->of[i].count = shown->count;
    }
    return PROA_OK;
}

/* Fails because another process refused its number or cannot reach a neighbour's counters. */
static int refused_elsewhere(uint32_t refused)
{
    if (refused & PROA_REFUSED_ARG)
        return proa_fail(PROA_ERR_ARG, "another rank was given a number of notification counters "
                                       "that is negative or too large");
    if (refused & PROA_REFUSED_SYNC)
        return proa_fail(PROA_ERR_RMA_SYNC, "an access epoch is open on another rank, which sets "
                                            "its number of notification counters");
    return proa_fail(PROA_ERR_NO_MEM, "another rank is out of memory for notification counters");
}

/* All processes return the same class, with our own sentence if the reason is ours. */
static int agree(struct proa_win *win, int outcome)
{
    struct proa_first_failure own = {0};
    uint32_t bits = refusal_of(outcome), mine = bits;
    int error;

    proa_failure_keep(&own, outcome, proa_failure());
    error = win->sync->unite(win, &bits);
    if (error || !bits)
        return error;
    return mine == (bits & -bits) ? proa_fail(own.code, "%s", own.text) : refused_elsewhere(bits);
}

/* The new counters are in place before the last agreement. After it the first notified operation
 * may arrive from another node. */
int proa_counters_set(struct proa_win *win, int64_t number, int64_t most)
{
    struct proa_counters *old = win->counters, *fresh = NULL;
    int error = check(win, number, most);

    if (!error)
        error = make(win, (uint32_t)number, &fresh);
    error = agree(win, error);
    if (!error) {
        error = find(win, fresh);
        proa_atomic_store(&win->counters, fresh, PROA_RELEASE); /* partner: proa_counters_near */
        error = agree(win, error);
    }
    if (error)
        proa_atomic_store(&win->counters, old, PROA_RELEASE);
    counters_drop(error ? fresh : old);
    return error;
}

void proa_counters_free(struct proa_win *win)
{
    counters_drop(win->counters);
    win->counters = NULL;
}
