/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One time for all processes of a trace, in nanoseconds since the first of them began to record:
 * ticks become nanoseconds of their node by the pairs of the headers, and those of other nodes
 * become the first node's by the comparisons (CLOCK records), with straight lines in between.
 */
#ifndef PROA_TRACE_CLOCK_H
#define PROA_TRACE_CLOCK_H

#include "reader.h"

/* Of this node's and the reference's clock at one moment. */
struct proa_clock_sample {
    int64_t own_ns, reference_ns;
    int64_t error_ns;
};

struct proa_clock {
    uint64_t node;
    struct proa_trace_pair first, last;
    int is_known; /* it is the reference, or was compared */
    int count, room;
    struct proa_clock_sample *samples; /* by time */
    int64_t error_ns;                  /* the largest of them */
};

struct proa_clocks {
    int count;
    struct proa_clock *clocks; /* of nodes */
    int *of_file;              /* the node of each file */
    int64_t start_ns;
};

/* Reads all comparisons. */
void proa_clocks_read(struct proa_clocks *clocks, struct proa_reader *reader);
void proa_clocks_free(struct proa_clocks *clocks);

/* The time of that file's ticks. */
int64_t proa_clock_time(const struct proa_clocks *clocks, int file, uint64_t ticks);

#endif
