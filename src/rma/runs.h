/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs of bytes in a target's window, with their places in the buffers of an operation. A walk
 * (type/walk.h) finds them for a road (rma/road.h). These functions copy them and apply operations
 * to them; rma/apply.c guards them.
 */
#ifndef PROA_RMA_RUNS_H
#define PROA_RMA_RUNS_H

#include "type/type.h"
#include "window/span.h"

struct proa_elements;

/*
 * `count` runs, at equal distances or from a list. Also the iterator over them: proa_runs_skip
 * makes the next run the first.
 *
 * A list describes the target, or the origin (at_origin). The other sides are contiguous, so their
 * strides are the size of a run. The stride of the listed side is 0.
 */
struct proa_runs {
    uint64_t count;
    uint64_t bytes;    /* size of each run; 0 if sizes and strides are in the list */
    uint64_t position; /* position in the target's window of the first, or the base of its list */
    int64_t stride;    /* distance from one to the next */
    char *origin;      /* NULL for an accumulate without origin */
    int64_t origin_stride;
    char *result; /* NULL if there is none */
    int64_t result_stride;
    const struct proa_run *run;   /* the first of the list; NULL without a list */
    const struct proa_list *list; /* the list that these are a part of */
    int at_origin;
};

/* Returns the size of the first run, in bytes. */
static inline uint64_t proa_runs_bytes(const struct proa_runs *runs)
{
    return runs->bytes ? runs->bytes : runs->run->bytes;
}

/* Returns the distance from `position` to the first run, in bytes. */
static inline int64_t proa_runs_offset(const struct proa_runs *runs)
{
    return runs->run && !runs->at_origin ? runs->run->offset : 0;
}

/* Returns whether each run in the target ends after the previous one. */
static inline int proa_runs_ascend(const struct proa_runs *runs)
{
    return runs->run ? runs->list->ascends : runs->stride > 0 || runs->count == 1;
}

/* Return the offset from `position` of the lowest byte, and of the end of the highest. For runs
 * that do not ascend, these may exceed the bounds of the remaining runs. */
int64_t proa_runs_low(const struct proa_runs *runs);
int64_t proa_runs_high(const struct proa_runs *runs);

/* Returns the number of first runs that lie within `bytes` bytes of the lowest one; all or none of
 * runs that do not ascend. */
uint64_t proa_runs_within(const struct proa_runs *runs, uint64_t bytes);

/* The same for a span in which the first run begins; at most one of runs that do not ascend. */
uint64_t proa_runs_in(const struct proa_runs *runs, const struct proa_span *span);

/* Returns the total size of the runs, in bytes. */
uint64_t proa_runs_total(const struct proa_runs *runs);

/* Skips the first n runs. */
void proa_runs_skip(struct proa_runs *runs, uint64_t n);

/* proa_runs_row returns the first run as contiguous runs of `unit` bytes, proa_runs_joined the
 * first n of these as one run. */
struct proa_runs proa_runs_row(const struct proa_runs *runs, uint64_t unit);
static inline struct proa_runs proa_runs_joined(const struct proa_runs *row, uint64_t n)
{
    struct proa_runs run = *row;

    run.bytes *= n;
    run.count = 1;
    return run;
}

/* Returns the runs as one if they are contiguous on all sides, else unchanged. */
static inline struct proa_runs proa_runs_merged(const struct proa_runs *runs)
{
    const int64_t bytes = (int64_t)runs->bytes;
    const int are_in_row = !runs->run && runs->stride == bytes &&
                           (!runs->origin || runs->origin_stride == bytes) &&
                           (!runs->result || runs->result_stride == bytes);

    return are_in_row ? proa_runs_joined(runs, runs->count) : *runs;
}

/* Copies the runs between origin and target. target: address of `position`, mapped or in a copy.
 * put: 1 to copy to the target. */
void proa_runs_copy(const struct proa_runs *runs, char *target, int put);

/* Applies the operation of the elements to all runs, which consist of whole elements. target: as
 * above. Sets count and places of the elements. */
void proa_runs_apply(struct proa_elements *elements, const struct proa_runs *runs, char *target);

/* Sets count and places of the elements to those of the first run. */
void proa_runs_first(const struct proa_runs *runs, struct proa_elements *elements);

#endif
