/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided while a rank computes and makes no MPI call: the target, which is what one-sided
 * communication is for, with one sample for each time that it computes; or the origin, right after
 * it has put.
 */
#include "bench.h"

static const double compute_ns = 200e6; /* as long as the target is away */
static const double lead_ns = 5e6;      /* until then it surely is */
static const double enough_ns = 20e6;   /* of work for the origin */
static const double batch_ns = 0.5e6;   /* what it does between two looks at the clock, at least */
static const double patience_ns = 5e6;  /* as long as an origin computes that is not heard */

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

/* Own memory, until the other's put has come or that time is over. */
static int hears_within(const struct bench *b, uint64_t expected, double limit_ns)
{
    const volatile uint64_t *word = (const volatile uint64_t *)(void *)b->base;
    double end_ns = loop_now_ns() + limit_ns;

    while (*word < expected && loop_now_ns() < end_ns)
        continue;
    return *word >= expected;
}

/* Both put to each other and compute until they see the other's. Where what is put does not move
 * meanwhile, it does in the flush. */
void body_put_heard(struct bench *b, long n)
{
    uint64_t *word = (uint64_t *)(void *)b->local;

    for (long i = 0; i < n; i++) {
        *word = FIRST_WORD + ++b->counter;
        MPI_Put(word, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, b->win);
        do {
            int heard = hears_within(b, FIRST_WORD + b->counter, patience_ns);

            MPI_Win_flush(b->target, b->win);
            if (heard)
                break;
        } while (!hears_within(b, FIRST_WORD + b->counter, 0));
    }
    b->expected = FIRST_WORD + b->counter;
}
