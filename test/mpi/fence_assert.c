/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All assertions of MPI_Win_fence in every combination that is legal where it stands. A random
 * walk, the same on all ranks, decides what each step between two fences does; the assertions that
 * are then true are given, all of them or a random choice:
 *   NOPRECEDE  nothing was issued since the fence before     (given by all ranks or by none)
 *   NOSUCCEED  nothing will be issued until the next fence   (given by all ranks or by none)
 *   NOSTORE    this rank stored nothing in its window since the fence before
 *   NOPUT      no put or accumulate will come until the next fence
 */
#include "window.h"

enum step { nothing, put, get, accumulate, nsteps };
enum { steps = 150 };

/* Each rank's window: what the left neighbour put, what all accumulated, what this rank stored. The
 * first two alternate between two places, so that a rank may look at the result of a step while its
 * neighbours are already in the next one. */
static MPI_Aint put_at(int number)
{
    return number % 2;
}
static MPI_Aint sum_at(int number)
{
    return 2 + number % 2;
}
static const MPI_Aint stored_at = 4;

struct walk {
    struct area a;
    uint64_t common, own; /* random sequences: one for all ranks, one for this rank */
    long sent[2], got;    /* buffers of the operations under way; sent alternates like the window */
    long expected[5];
};

static int neighbour(int shift)
{
    return (rank + nranks + shift) % nranks;
}

static int choose_asserts(struct walk *w, enum step before, enum step after, int stored)
{
    int for_all = 0, for_one = 0;
    if (before == nothing)
        for_all |= MPI_MODE_NOPRECEDE;
    if (after == nothing)
        for_all |= MPI_MODE_NOSUCCEED;
    if (!stored)
        for_one |= MPI_MODE_NOSTORE;
    if (after == nothing || after == get)
        for_one |= MPI_MODE_NOPUT;
    int given = 0;
    for (int bit = 1; bit <= (for_all | for_one); bit <<= 1) {
        if ((for_all & bit) && random_below(&w->common, 2))
            given |= bit;
        if ((for_one & bit) && random_below(&w->own, 2))
            given |= bit;
    }
    return given;
}

static void issue(struct walk *w, enum step step, int number)
{
    int right = neighbour(1), left = neighbour(-1);
    struct area *a = &w->a;
    const long *sent = &w->sent[number % 2];
    w->sent[number % 2] = number + rank;
    if (step == put)
        MPI_Put(sent, 1, MPI_LONG, right, disp_at(a, right, put_at(number)), 1, MPI_LONG, a->win);
    else if (step == get)
        MPI_Get(&w->got, 1, MPI_LONG, left, disp_at(a, left, stored_at), 1, MPI_LONG, a->win);
    else if (step == accumulate)
        for (int target = 0; target < nranks; target++)
            MPI_Accumulate(sent, 1, MPI_LONG, target, disp_at(a, target, sum_at(number)), 1,
                           MPI_LONG, MPI_SUM, a->win);
}

/* All ranks store the same number; none stores where a get may read. */
static int store(struct walk *w, enum step step, int number)
{
    if (step == get || random_below(&w->common, 2))
        return 0;
    ((long *)w->a.base)[stored_at] = w->expected[stored_at] = number;
    return 1;
}

/* What the window must hold after the fence that ends step `number`. */
static void verify(struct walk *w, enum step step, int number)
{
    const long *memory = w->a.base;
    const char *kind = kind_names[w->a.kind];
    if (step == put)
        w->expected[put_at(number)] = number + neighbour(-1);
    if (step == accumulate)
        w->expected[sum_at(number)] += (long)number * nranks + (long)nranks * (nranks - 1) / 2;
    if (step == get)
        CHECK(w->got == w->expected[stored_at], "%s, step %d: got %ld, not %ld", kind, number,
              w->got, w->expected[stored_at]);
    const MPI_Aint places[] = {put_at(number), sum_at(number), stored_at};
    for (int i = 0; i < 3; i++)
        CHECK(memory[places[i]] == w->expected[places[i]], "%s, step %d: %ld, not %ld, at %d", kind,
              number, memory[places[i]], w->expected[places[i]], (int)places[i]);
}

static void run_walk(enum kind kind)
{
    struct walk w = {.common = 42, .own = 1000u + (unsigned)rank};
    w.a = open_area(kind, sizeof w.expected, sizeof(long), MPI_COMM_WORLD);
    enum step before = nothing;
    int stored = 1;
    for (int number = 1; number <= steps; number++) {
        enum step after = number == steps ? nothing : (enum step)random_below(&w.common, nsteps);
        MPI_Win_fence(choose_asserts(&w, before, after, stored), w.a.win);
        verify(&w, before, number - 1);
        issue(&w, after, number);
        stored = store(&w, after, number);
        before = after;
    }
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED | MPI_MODE_NOPUT, w.a.win);
    close_area(&w.a);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++)
        run_walk(kind);
    return finish("fence_assert");
}
