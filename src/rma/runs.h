/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs of bytes in a target's window, with their places in the buffers of an operation: what a walk
 * finds (type/walk.h), on the way to memory (rma/road.h). They are copied and worked on here.
 * Nothing here guards: that is the work of rma/apply.c.
 */
#ifndef PROA_RMA_RUNS_H
#define PROA_RMA_RUNS_H

#include "type/type.h"
#include "window/span.h"

struct proa_elements;

/*
 * `count` runs, at equal distances or as a list says. Also the iterator over them: proa_runs_skip
 * makes the next run the first.
 *
 * A list lies in the target, or at the origin (at_origin). The other sides have its bytes in a row,
 * so their strides are the size of a run. The stride of the listed side is 0.
 */
struct proa_runs {
    uint64_t count;
    uint64_t bytes;    /* of each; 0: as the list says, and so are the strides */
    uint64_t position; /* in the target's window: of the first, or from which its list counts */
    int64_t stride;    /* from one to the next */
    char *origin;      /* NULL: an accumulate without one */
    int64_t origin_stride;
    char *result; /* NULL: none */
    int64_t result_stride;
    const struct proa_run *run;   /* the first of the list; NULL: no list */
    const struct proa_list *list; /* of which these are a part */
    int at_origin;
};

/* Bytes of the first run. */
static inline uint64_t proa_runs_bytes(const struct proa_runs *runs)
{
    return runs->bytes ? runs->bytes : runs->run->bytes;
}

/* Bytes from `position` to the first run. */
static inline int64_t proa_runs_offset(const struct proa_runs *runs)
{
    return runs->run && !runs->at_origin ? runs->run->offset : 0;
}

/* Does each run in the target end behind the one before? */
static inline int proa_runs_ascend(const struct proa_runs *runs)
{
    return runs->run ? runs->list->ascends : runs->stride > 0 || runs->count == 1;
}

/* Offsets from `position`: of the lowest byte, and of the end of the highest. Those of runs that do
 * not ascend may be farther than the last of them. */
int64_t proa_runs_low(const struct proa_runs *runs);
int64_t proa_runs_high(const struct proa_runs *runs);

/* How many of the first runs lie within so many bytes from the lowest one on; all or none of those
 * that do not ascend. */
uint64_t proa_runs_within(const struct proa_runs *runs, uint64_t bytes);

/* The same for a span in which the first one begins; at most one of those that do not ascend. */
uint64_t proa_runs_in(const struct proa_runs *runs, const struct proa_span *span);

/* Bytes of all. */
uint64_t proa_runs_total(const struct proa_runs *runs);

/* Goes on behind the first n. */
void proa_runs_skip(struct proa_runs *runs, uint64_t n);

/* The first run as runs of `unit` bytes, which lie in a row; and the first n of these as one run.
 */
struct proa_runs proa_runs_row(const struct proa_runs *runs, uint64_t unit);
static inline struct proa_runs proa_runs_joined(const struct proa_runs *row, uint64_t n)
{
    struct proa_runs run = *row;

    run.bytes *= n;
    run.count = 1;
    return run;
}

/* The runs as one, if they lie in a row on all sides; else as they are. */
static inline struct proa_runs proa_runs_merged(const struct proa_runs *runs)
{
    const int64_t bytes = (int64_t)runs->bytes;
    const int are_in_row = !runs->run && runs->stride == bytes &&
                           (!runs->origin || runs->origin_stride == bytes) &&
                           (!runs->result || runs->result_stride == bytes);

    return are_in_row ? proa_runs_joined(runs, runs->count) : *runs;
}

/* Copies the runs from the origin to the target, where `position` is mapped or copied; or back. */
void proa_runs_copy(const struct proa_runs *runs, char *target, int put);

/* Does what the elements say, count and places aside, to all runs; these have whole elements.
 * target: as above. Sets count and places of the elements. */
void proa_runs_apply(struct proa_elements *elements, const struct proa_runs *runs, char *target);

/* The elements of the first run: their count and places. */
void proa_runs_first(const struct proa_runs *runs, struct proa_elements *elements);

#endif
