/* SPDX-License-Identifier: BSD-3-Clause */
/* See loop.h. */
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIES = 3, GROW_MOST = 16, CROWDED = 40 };

double loop_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct loop_plan loop_plan_crowded(const struct loop_plan *plan)
{
    struct loop_plan longer = *plan;

    longer.loop_ns *= CROWDED;
    return longer;
}

static long grow(long n, double took_ns, double wanted_ns)
{
    double factor = took_ns > 0 ? wanted_ns / took_ns : GROW_MOST;

    if (factor > GROW_MOST)
        factor = GROW_MOST;
    return (long)((double)n * (factor < 2 ? 2 : factor));
}

/* The best of a few: one that was interrupted looks long enough when it is not. */
static double quickest(loop_run *run, void *arg, long n, double enough_ns)
{
    double best_ns = run(arg, n);

    for (int i = 1; i < TRIES && best_ns >= enough_ns; i++) {
        double took_ns = run(arg, n);

        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    return best_ns;
}

static long fill_loop(const struct loop_plan *plan, loop_run *run, void *arg, long n)
{
    double enough_ns = plan->loop_ns / 2, took_ns;

    while ((took_ns = quickest(run, arg, n, enough_ns)) < enough_ns)
        n = grow(n, took_ns, plan->loop_ns);
    return n;
}

struct loop_figure loop_measure(const struct loop_plan *plan, loop_run *run, void *arg)
{
    double values[LOOPS_MOST], spent_ns = 0;
    int count = 0;
    long n;

    run(arg, 1); /* first touch, connections */
    n = fill_loop(plan, run, arg, 1);
    while (count < plan->loops && (count < LOOPS_FEWEST || spent_ns < plan->budget_ns)) {
        double took_ns = run(arg, n);

        spent_ns += took_ns;
        /* the machine was slow before: more iterations, from the start */
        if (took_ns < plan->loop_ns / 4 && spent_ns < plan->budget_ns) {
            n = fill_loop(plan, run, arg, n);
            count = 0;
        } else {
            values[count++] = took_ns / (double)n;
        }
    }
    return loop_figure_of(values, count);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct loop_figure loop_figure_of(double *values, int count)
{
    struct loop_figure figure = {0, 0};

    if (count > 0) {
        qsort(values, (size_t)count, sizeof *values, compare);
        figure.min_ns = values[0];
        figure.median_ns =
            count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
    }
    return figure;
}

void loop_print(const char *name, struct loop_figure figure)
{
    printf("case %s ns %.3f min %.3f\n", name, figure.median_ns, figure.min_ns);
    fflush(stdout);
}
