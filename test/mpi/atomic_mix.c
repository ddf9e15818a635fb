/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks change the same elements at the same time, each with every call that is atomic:
 * fetch_and_op, loops of compare_and_swap, accumulate and get_accumulate of 1 to 10000 elements at
 * any offset. Each rank keeps a tally of what it added; nothing may be lost.
 */
#include "window.h"

enum { words = 10000, rounds = 60 };

struct mix {
    struct area a;
    int64_t *tally[2]; /* what this rank added to the elements of the two targets */
    int64_t *ones, *got;
    uint64_t seed;
};

static const int targets_used = 2; /* the first and the last rank */

static int target_of(int which)
{
    return which ? nranks - 1 : 0;
}

static void add_by_fetch(struct mix *m, int which, int at)
{
    int64_t one = 1, old;
    int t = target_of(which);
    MPI_Fetch_and_op(&one, &old, MPI_INT64_T, t, disp_at(&m->a, t, at), MPI_SUM, m->a.win);
    MPI_Win_flush(t, m->a.win);
    m->tally[which][at]++;
}

static void add_by_swap(struct mix *m, int which, int at)
{
    int t = target_of(which);
    int64_t seen, old, fresh;
    MPI_Fetch_and_op(NULL, &seen, MPI_INT64_T, t, disp_at(&m->a, t, at), MPI_NO_OP, m->a.win);
    MPI_Win_flush(t, m->a.win);
    for (;;) {
        fresh = seen + 1;
        MPI_Compare_and_swap(&fresh, &seen, &old, MPI_INT64_T, t, disp_at(&m->a, t, at), m->a.win);
        MPI_Win_flush(t, m->a.win);
        if (old == seen)
            break;
        seen = old;
    }
    m->tally[which][at]++;
}

static void add_to_many(struct mix *m, int which, int at, int n, int with_get)
{
    int t = target_of(which);
    MPI_Aint disp = disp_at(&m->a, t, at);
    if (with_get)
        MPI_Get_accumulate(m->ones, n, MPI_INT64_T, m->got, n, MPI_INT64_T, t, disp, n, MPI_INT64_T,
                           MPI_SUM, m->a.win);
    else
        MPI_Accumulate(m->ones, n, MPI_INT64_T, t, disp, n, MPI_INT64_T, MPI_SUM, m->a.win);
    MPI_Win_flush(t, m->a.win);
    for (int i = 0; i < n; i++)
        m->tally[which][at + i]++;
}

/* Most single additions go to the first elements, so that ranks do meet there. */
static void one_round(struct mix *m)
{
    for (int which = 0; which < targets_used; which++) {
        for (int i = 0; i < 4; i++)
            add_by_fetch(m, which, random_below(&m->seed, 3));
        for (int i = 0; i < 4; i++)
            add_by_swap(m, which, random_below(&m->seed, 3));
        int n = 1 + random_below(&m->seed, words), first = random_below(&m->seed, words - n + 1);
        add_to_many(m, which, first, n, random_below(&m->seed, 2));
        add_to_many(m, which, 0, 1 + random_below(&m->seed, 8), random_below(&m->seed, 2));
    }
}

static void verify(struct mix *m)
{
    int64_t *sum = need(calloc(words, sizeof *sum));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int which = 0; which < targets_used; which++) {
        MPI_Allreduce(m->tally[which], sum, words, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (rank != target_of(which))
            continue;
        if (nranks == 1) /* both targets are the same rank */
            for (int i = 0; i < words; i++)
                sum[i] = m->tally[0][i] + m->tally[1][i];
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, m->a.win);
        const int64_t *found = m->a.base;
        for (int i = 0; i < words; i++)
            CHECK(found[i] == sum[i], "%s: element %d is %lld instead of %lld",
                  kind_names[m->a.kind], i, (long long)found[i], (long long)sum[i]);
        MPI_Win_unlock(rank, m->a.win);
    }
    free(sum);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    struct mix m = {.seed = 500u + (unsigned)rank,
                    .ones = need(malloc(words * sizeof(int64_t))),
                    .got = need(malloc(words * sizeof(int64_t)))};
    for (int i = 0; i < words; i++)
        m.ones[i] = 1;
    for (int kind = 0; kind < nkinds; kind++) {
        m.a = open_area(kind, words * sizeof(int64_t), sizeof(int64_t), MPI_COMM_WORLD);
        for (int which = 0; which < targets_used; which++)
            m.tally[which] = need(calloc(words, sizeof(int64_t)));
        MPI_Win_lock_all(0, m.a.win);
        for (int i = 0; i < rounds; i++)
            one_round(&m);
        MPI_Win_unlock_all(m.a.win);
        verify(&m);
        close_area(&m.a);
        free(m.tally[0]);
        free(m.tally[1]);
    }
    free(m.ones);
    free(m.got);
    return finish("atomic_mix");
}
