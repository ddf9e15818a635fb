/* SPDX-License-Identifier: BSD-3-Clause */
/* How every figure of bench/ is measured, with or without MPI. */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include <stdint.h>

struct loop_plan {
    int loops;        /* how many are measured */
    double loop_ns;   /* what a loop should last at least about */
    double budget_ns; /* all loops together: what takes longer ends after LOOPS_FEWEST */
};

/* The plan for more processes than there are processors: a loop has to be longer than the turns
 * that the scheduler gives them. */
struct loop_plan loop_plan_crowded(const struct loop_plan *plan);

/* Nanoseconds for one iteration. */
struct loop_figure {
    double median_ns, min_ns;
};

enum { LOOPS_FEWEST = 3, LOOPS_MOST = 100 };

/* Does `n` iterations and gives back how many nanoseconds they took. */
typedef double loop_run(void *arg, long n);

/* Finds out how many iterations fill a loop, which also warms up, then measures the loops. */
struct loop_figure loop_measure(const struct loop_plan *plan, loop_run *run, void *arg);

/* The figure of values that were measured in another way. Sorts them. */
struct loop_figure loop_figure_of(double *values, int count);

/* The one line of output: "case NAME ns MEDIAN min MIN". */
void loop_print(const char *name, struct loop_figure figure);

double loop_now_ns(void);

#endif
