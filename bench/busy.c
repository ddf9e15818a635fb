/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided towards a target that computes and makes no MPI call: the case that one-sided
 * communication is for. One sample for each time the target computes.
 */
#include "bench.h"

static const double compute_ns = 200e6; /* as long as the target is away */
static const double lead_ns = 5e6;      /* until then it surely is */
static const double enough_ns = 20e6;   /* of work for the origin */
static const double batch_ns = 0.5e6;   /* what it does between two looks at the clock, at least */

enum { SAMPLES = 3 };

static void compute(double duration_ns)
{
    double end_ns = loop_now_ns() + duration_ns;
    volatile double x = 1;

    while (loop_now_ns() < end_ns)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001;
}

/* Twice as many operations each time, so that one that takes as long as the target computes is done
 * only once. Then the best of some. */
static double operate(struct bench *b)
{
    double spent_ns = 0, best_ns = 0;

    for (long n = 1; spent_ns < enough_ns;) {
        double start_ns = loop_now_ns(), took_ns;

        b->job->body(b, n);
        took_ns = loop_now_ns() - start_ns;
        spent_ns += took_ns;
        if (took_ns < batch_ns)
            n *= 2;
        else if (best_ns == 0 || took_ns / (double)n < best_ns)
            best_ns = took_ns / (double)n;
    }
    return best_ns;
}

/* Before the target computes rank 0 has used the window once: connections and the like are not what
 * is measured. */
static double sample(struct bench *b)
{
    double each_ns = 0;

    if (b->rank == 0)
        b->job->body(b, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (b->rank != 0) {
        compute(compute_ns);
    } else {
        compute(lead_ns);
        each_ns = operate(b);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return each_ns;
}

struct loop_figure measure_busy(struct bench *b)
{
    double values[SAMPLES];

    for (int i = 0; i < SAMPLES; i++)
        values[i] = sample(b);
    return loop_figure_of(values, SAMPLES);
}
