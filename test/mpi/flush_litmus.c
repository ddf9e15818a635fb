/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flush and sync are fences (MPI-4.1, 13.5.4 and 13.4): two ranks under lock_all each put into the
 * other's word, flush, and get their own. Not both may miss what the other has put; and the same
 * with stores and loads around MPI_Win_sync. Rounds are numbered, so words only grow.
 */
#include "window.h"
#include "../apart.h"

#include <sched.h>

enum { rounds = 10000 };

/* One rank's part of the window, in words of 8 bytes: the other's puts, meetings (rank 0's are
 * used), and this rank's reads. */
enum { put_at = 16, met_at = 32, read_at = 48, words = read_at + rounds };

struct pair {
    MPI_Win win;
    int64_t *own, *other; /* as loads and stores reach them */
};

typedef int64_t one_turn(const struct pair *p, int64_t round);

/* Spins: the two go on within less than a microsecond of each other, if there are processors for
 * both. */
static void meet(const struct pair *p)
{
    int64_t *met = &(rank ? p->other : p->own)[met_at],
            both = (__atomic_fetch_add(met, 1, __ATOMIC_SEQ_CST) / 2 + 1) * 2;
    for (long i = 1; __atomic_load_n(met, __ATOMIC_SEQ_CST) < both; i++)
        if (i % 2000 == 0)
            sched_yield();
}

static int64_t put_flush_get(const struct pair *p, int64_t round)
{
    int64_t seen = -1;
    MPI_Put(&round, 1, MPI_INT64_T, 1 - rank, put_at, 1, MPI_INT64_T, p->win);
    if (round % 2)
        MPI_Win_flush(1 - rank, p->win);
    else
        MPI_Win_flush_all(p->win);
    MPI_Get(&seen, 1, MPI_INT64_T, rank, put_at, 1, MPI_INT64_T, p->win);
    MPI_Win_flush_local(rank, p->win);
    return seen;
}

static int64_t store_sync_load(const struct pair *p, int64_t round)
{
    __atomic_store_n(&p->other[put_at], round, __ATOMIC_RELAXED);
    MPI_Win_sync(p->win);
    return __atomic_load_n(&p->own[put_at], __ATOMIC_RELAXED);
}

/* In how many rounds from `first` on did both ranks read less than its number? */
static int both_missed(const struct pair *p, one_turn *turn, int64_t first)
{
    uint64_t seed = (uint64_t)rank;
    int missed = 0;
    for (int i = 0; i < rounds; i++) {
        meet(p);
        /* at hand, so that the load in the turn is quick */
        __atomic_load_n(&p->own[put_at], __ATOMIC_RELAXED);
        for (volatile int wait = random_below(&seed, 32); wait > 0; wait--)
            continue;
        p->own[read_at + i] = turn(p, first + i);
    }
    meet(p);
    for (int i = 0; i < rounds; i++)
        missed += p->own[read_at + i] < first + i && p->other[read_at + i] < first + i;
    meet(p);
    return missed;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks != 2)
        return skip("needs 2 ranks");
    struct area a =
        open_area(kind_shared, words * sizeof(int64_t), sizeof(int64_t), MPI_COMM_WORLD);
    struct pair p = {.win = a.win};
    MPI_Aint bytes;
    int unit;
    MPI_Win_shared_query(a.win, rank, &bytes, &unit, &p.own);
    MPI_Win_shared_query(a.win, 1 - rank, &bytes, &unit, &p.other);
    processor_of_my_own(rank);
    MPI_Win_lock_all(0, a.win);
    int missed = both_missed(&p, put_flush_get, 1);
    CHECK(missed == 0, "put, flush, get: in %d rounds each rank missed the other's put", missed);
    missed = both_missed(&p, store_sync_load, 1 + rounds);
    CHECK(missed == 0, "store, sync, load: in %d rounds each rank missed the other's store",
          missed);
    MPI_Win_unlock_all(a.win);
    close_area(&a);
    return finish("flush_litmus");
}
