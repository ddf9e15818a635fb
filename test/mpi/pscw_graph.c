/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random patterns of origins and targets, another one in every round. All ranks draw the same
 * directed graph; each posts to its origins, starts to its targets, operates on every one of them,
 * completes and waits, as the standard advises. Edges to oneself occur. An empty group is sometimes
 * given and sometimes the call is left out, which is the same.
 */
#include "window.h"

enum { rounds = 100, max_ranks = 64 };

struct graph {
    int norigins, ntargets;
    int origins[max_ranks], targets[max_ranks];
};

static void shuffle(int *list, int n, uint64_t *seed)
{
    for (int i = n - 1; i > 0; i--) {
        int j = random_below(seed, i + 1), kept = list[i];
        list[i] = list[j];
        list[j] = kept;
    }
}

static struct graph draw(uint64_t *common, uint64_t *own)
{
    struct graph g = {0, 0, {0}, {0}};
    int density = random_below(common, 4);
    for (int from = 0; from < nranks; from++)
        for (int to = 0; to < nranks; to++) {
            if (random_below(common, 4) > density)
                continue;
            if (from == rank)
                g.targets[g.ntargets++] = to;
            if (to == rank)
                g.origins[g.norigins++] = from;
        }
    shuffle(g.targets, g.ntargets, own);
    shuffle(g.origins, g.norigins, own);
    return g;
}

/* The window: one word per origin to put into, one word that origins read, one sum. */
static MPI_Aint put_at(int origin)
{
    return origin;
}
static MPI_Aint shown_at(void)
{
    return nranks;
}
static MPI_Aint sum_at(void)
{
    return nranks + 1;
}

static void operate(struct area *a, const struct graph *g, int round, int *sent, int *got)
{
    for (int i = 0; i < g->ntargets; i++) {
        int t = g->targets[i];
        MPI_Put(&sent[0], 1, MPI_INT, t, disp_at(a, t, put_at(rank)), 1, MPI_INT, a->win);
        MPI_Get(&got[t], 1, MPI_INT, t, disp_at(a, t, shown_at()), 1, MPI_INT, a->win);
        if (round % 2)
            MPI_Accumulate(&sent[1], 1, MPI_INT, t, disp_at(a, t, sum_at()), 1, MPI_INT, MPI_SUM,
                           a->win);
    }
}

static void wait_or_test(struct area *a, int by_test)
{
    int done = 0;
    if (!by_test)
        MPI_Win_wait(a->win);
    else
        while (!done)
            MPI_Win_test(a->win, &done);
}

static void verify(const struct area *a, const struct graph *g, int round, const int *got,
                   const int *before)
{
    const int *memory = a->base;
    int *expected = need(malloc(sizeof(int) * (size_t)nranks)), sum = 0;
    memcpy(expected, before, sizeof(int) * (size_t)nranks);
    for (int i = 0; i < g->norigins; i++) {
        expected[g->origins[i]] = 1000 * round + g->origins[i];
        sum += round % 2 ? g->origins[i] + 1 : 0;
    }
    for (int o = 0; o < nranks; o++)
        CHECK(memory[o] == expected[o], "%s, round %d: %d, not %d, from %d", kind_names[a->kind],
              round, memory[o], expected[o], o);
    CHECK(memory[sum_at()] == sum, "%s, round %d: sum %d, not %d", kind_names[a->kind], round,
          memory[sum_at()], sum);
    for (int i = 0; i < g->ntargets; i++) {
        int t = g->targets[i];
        CHECK(got[t] == -1000 * round - t, "%s, round %d: got %d from %d", kind_names[a->kind],
              round, got[t], t);
    }
    free(expected);
}

static void run_round(struct area *a, const struct graph *g, int round, uint64_t *own)
{
    int sent[2] = {1000 * round + rank, rank + 1}, got[max_ranks], before[max_ranks];
    int *memory = a->base;
    memory[shown_at()] = -1000 * round - rank;
    memory[sum_at()] = 0;
    memcpy(before, memory, sizeof(int) * (size_t)nranks);
    MPI_Group origins = group_of(MPI_COMM_WORLD, g->norigins, g->origins);
    MPI_Group targets = group_of(MPI_COMM_WORLD, g->ntargets, g->targets);
    int exposes = g->norigins || random_below(own, 2),
        accesses = g->ntargets || random_below(own, 2);
    if (exposes)
        MPI_Win_post(origins, 0, a->win);
    if (accesses)
        MPI_Win_start(targets, 0, a->win);
    /* Both calls are done with their groups. */
    if (origins != MPI_GROUP_EMPTY)
        MPI_Group_free(&origins);
    if (targets != MPI_GROUP_EMPTY)
        MPI_Group_free(&targets);
    operate(a, g, round, sent, got);
    if (accesses)
        MPI_Win_complete(a->win);
    if (exposes)
        wait_or_test(a, random_below(own, 2));
    verify(a, g, round, got, before);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks > max_ranks)
        return skip("needs at most 64 ranks");
    for (int kind = 0; kind < nkinds; kind++) {
        uint64_t common = 100u + (unsigned)kind, own = 1000u + (unsigned)rank;
        struct area a =
            open_area(kind, sizeof(int) * (size_t)(nranks + 2), sizeof(int), MPI_COMM_WORLD);
        for (int round = 1; round <= rounds; round++) {
            struct graph g = draw(&common, &own);
            run_round(&a, &g, round, &own);
        }
        close_area(&a);
    }
    return finish("pscw_graph");
}
