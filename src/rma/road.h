/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roads: the ways to a byte of a target's window. A span has one road (window/span.h), a constant
 * table of functions.
 *
 *   store  load and store, where the memory is mapped: arenas of any process, memory that has moved
 *          to where neighbours map it (adopt/adopt.h), our own memory outside of both
 *          rma/road_store.c
 *   cma    the kernel copies: a neighbour's memory outside of its arena
 *          rma/road_cma.c
 *   net    messages to the target, or the network's own puts and gets: another node
 *          remote/move.c
 *
 * A new way to reach memory needs a table here, a file, and a line where spans are made
 * (create/reach.c, rma/regions.c). The table of net lies above this folder, so its folder registers
 * it.
 */
#ifndef PROA_RMA_ROAD_H
#define PROA_RMA_ROAD_H

#include "base/fail.h"
#include "base/hidden.h"
#include "rma/runs.h"
#include "shm/cma.h"
#include "window/win.h"

struct proa_combine;

/* A put or get in progress. */
struct proa_carry {
    struct proa_win *win;
    int rank, put;
    struct proa_cma_batch batch; /* CMA: the aggregated runs */
};

struct proa_road {
    /* Moves runs that lie in the span. May aggregate them until proa_carry_end. Returns PROA_OK or
     * a code. Over the network, runs are never a list. */
    int (*move)(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *runs);
    /* Applies the operation to the elements of runs that lie in the span. The caller excludes other
     * accessors; over the network the target does. Returns PROA_OK or a code. */
    int (*apply)(struct proa_combine *combine, const struct proa_span *span,
                 const struct proa_runs *runs);
};

extern PROA_HIDDEN const struct proa_road proa_road_store, proa_road_cma;
/* The road net, set before the first window over several nodes is created, and then constant. */
extern PROA_HIDDEN const struct proa_road *proa_road_net;

/* Returns the road of a span. */
static inline const struct proa_road *proa_road_of(const struct proa_span *span)
{
    return span->road == PROA_ROAD_STORE ? &proa_road_store
           : span->road == PROA_ROAD_CMA ? &proa_road_cma
                                         : proa_road_net;
}

/* A put or get consists of begin, any number of moves by a road or by the next two functions, and
 * end. All return PROA_OK or a code. */
static inline void proa_carry_begin(struct proa_carry *carry, struct proa_win *win, int rank,
                                    int put)
{
    carry->win = win;
    carry->rank = rank;
    carry->put = put;
    carry->batch.peer = NULL; /* set by the road */
    carry->batch.runs = 0;
}
/* Moves runs over any number of spans. Lists are in the target. */
int proa_carry_runs(struct proa_carry *carry, const struct proa_runs *runs);
/* Moves contiguous bytes likewise. */
int proa_carry_bytes(struct proa_carry *carry, uint64_t position, char *origin, uint64_t bytes);
static inline int proa_carry_end(struct proa_carry *carry)
{
    return carry->batch.runs ? proa_cma_end(&carry->batch) : PROA_OK;
}

/* ---- for programs that load and store themselves, and for statistics ---- */

/* Returns the start of target's window memory in this process, for loads and stores; for an empty
 * part of a contiguous shared window, where it would start. Returns NULL if there is no such
 * address, or none that outlives the window, as for another process's adopted memory. */
static inline char *proa_win_load_store(struct proa_win *win, int target)
{
    const struct proa_target *t = &win->targets[target];

    win->direct = 1;
    if (t->span_count != 1 || (t->only.adopted && target != win->rank))
        return NULL;
    return t->only.adopted ? (char *)win->base : t->only.here;
}

/* BY_REGION: for a dynamic window, which may have regions of several kinds. */
enum proa_reach { PROA_BY_STORE, PROA_BY_KERNEL, PROA_BY_NETWORK, PROA_BY_REGION };

/* Returns the slowest of several ways. */
static inline enum proa_reach proa_reach_of(const struct proa_target *target)
{
    if (proa_is_remote(target))
        return PROA_BY_NETWORK;
    for (uint32_t i = 0; i < target->span_count; i++)
        if (target->spans[i].road == PROA_ROAD_CMA)
            return PROA_BY_KERNEL;
    return target->span_count ? PROA_BY_STORE : PROA_BY_REGION;
}

#endif
