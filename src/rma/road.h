/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roads: the ways to a byte of a target's window. A span has one (window/span.h), a road is a
 * constant table.
 *
 *   store  load and store, where the memory is mapped: arenas of any process, memory that has moved
 *          to where neighbours map it (adopt/adopt.h), our own memory outside of both
 *          rma/road_store.c
 *   cma    the kernel copies: a neighbour's memory outside of its arena
 *          rma/road_cma.c
 *   net    messages to the target, or the network's own puts and gets: another node
 *          remote/move.c
 *
 * A new way to reach memory is a table here, a file of its own, and a line where spans are made
 * (create/reach.c, rma/regions.c).
 */
#ifndef PROA_RMA_ROAD_H
#define PROA_RMA_ROAD_H

#include "base/hidden.h"
#include "shm/cma.h"
#include "rma/rows.h"
#include "window/span.h"

struct proa_combine;

/* Runs of one size at equal distances, as a put or a get moves them. */
struct proa_runs {
    uint64_t position; /* of the first in the target's window */
    int64_t stride;    /* from one to the next */
    char *origin;
    int64_t origin_stride;
    uint64_t bytes, count;
};

/* A put or get in progress. */
struct proa_carry {
    struct proa_win *win;
    int rank, put;
    const struct proa_road *road; /* that has been used last; NULL: none */
    struct proa_cma_batch batch;  /* cma: the aggregated runs */
};

/* A list of runs on one side of a put or a get, all of it in a row on the other. */
struct proa_listed {
    struct proa_rows rows;
    uint64_t position; /* in the target's window */
    char *origin;
    int at_origin; /* the list is */
};

struct proa_road {
    /* Moves runs that lie in the span. May aggregate (gather) them until settle is called. PROA_OK
     * or a code. */
    int (*move)(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *runs);
    /* The same for a list, all of which lies in the span. NULL: move does as well. */
    int (*move_list)(struct proa_carry *carry, const struct proa_span *span,
                     const struct proa_listed *listed);
    /* Does what combine says to its run of elements, the first at position; all of them lie in
     * the span. Guards them as rma/guard.h says; the guard is left by the caller. PROA_OK or a
     * code. */
    int (*combine)(struct proa_combine *combine, const struct proa_span *span, uint64_t position);
    /* The same to rows, of elements without padding, of an operation of more elements than may be
     * worked on by processor atomics; position: of their base. From *at on, as many as lie in the
     * span, at least one. Moves *at, and origin and result of combine->run, whose count is left
     * anywhere. NULL: combine does as well, run by run. */
    int (*combine_rows)(struct proa_combine *combine, const struct proa_span *span,
                        uint64_t position, const struct proa_rows *rows, struct proa_rows_at *at);
    /* Ends what move has begun of one put or get. NULL: move leaves nothing open. */
    int (*settle)(struct proa_carry *carry);
};

extern PROA_HIDDEN const struct proa_road proa_road_store, proa_road_cma, proa_road_net;

/* A put or get is: begin, any number of the next two, end. All return PROA_OK or a code. */
void proa_carry_begin(struct proa_carry *carry, struct proa_win *win, int rank, int put);
/* Runs that lie in one span. */
int proa_carry_runs(struct proa_carry *carry, const struct proa_span *span,
                    const struct proa_runs *runs);
/* A list that lies in one span. */
int proa_carry_list(struct proa_carry *carry, const struct proa_span *span,
                    const struct proa_listed *listed);
/* Bytes in a row, over as many spans as they may. */
int proa_carry_bytes(struct proa_carry *carry, uint64_t position, char *origin, uint64_t bytes);
int proa_carry_end(struct proa_carry *carry);

#endif
