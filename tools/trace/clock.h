/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One time for all processes of a trace, in nanoseconds since the first of them started to record.
 * The pairs of the headers convert ticks to nanoseconds of their node. The comparisons (CLOCK
 * records) convert these to the first node's, with linear interpolation.
 */
#ifndef PROA_TRACE_CLOCK_H
#define PROA_TRACE_CLOCK_H

#include "reader.h"

/* The time of this node's and of the reference clock at one moment. */
struct proa_clock_sample {
    int64_t own_ns, reference_ns;
    int64_t error_ns;
};

struct proa_clock {
    uint64_t node;
    struct proa_trace_pair first, last;
    int is_known; /* is the reference, or was compared */
    int count, room;
    struct proa_clock_sample *samples; /* ordered by time */
    int64_t error_ns;                  /* largest error of the samples */
};

struct proa_clocks {
    int count;
    struct proa_clock *clocks; /* clocks of nodes */
    int *of_file;              /* node of each file */
    int64_t start_ns;
};

/* Reads all comparisons. */
void proa_clocks_read(struct proa_clocks *clocks, struct proa_reader *reader);
void proa_clocks_free(struct proa_clocks *clocks);

/* Returns the time of a file's ticks, nanoseconds. */
int64_t proa_clock_time(const struct proa_clocks *clocks, int file, uint64_t ticks);

#endif
