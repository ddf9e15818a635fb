/* SPDX-License-Identifier: BSD-3-Clause */
/* For users of OpenSHMEM: one window as the symmetric heap, and the calls on it in MPI's
 * words. Each PE puts a number to its neighbour, all count themselves at PE 0, and PE 0 signals
 * them on. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

/* The heap: the same on all PEs, so that its displacements are, too. */
struct heap {
    long number, count, signal, unused;
};

#define OFFSET(member) ((MPI_Aint)offsetof(struct heap, member))

static MPI_Win win;

/* shmem_long_p */
static void put_long(MPI_Aint at, long value, int pe)
{
    MPI_Put(&value, 1, MPI_LONG, pe, at, 1, MPI_LONG, win);
    MPI_Win_flush_local(pe, win);
}

/* shmem_long_atomic_fetch_add */
static long fetch_add(MPI_Aint at, long value, int pe)
{
    long before;

    MPI_Fetch_and_op(&value, &before, MPI_LONG, pe, at, MPI_SUM, win);
    MPI_Win_flush(pe, win);
    return before;
}

/* shmem_long_atomic_set */
static void set_long(MPI_Aint at, long value, int pe)
{
    MPI_Accumulate(&value, 1, MPI_LONG, pe, at, 1, MPI_LONG, MPI_REPLACE, win);
    MPI_Win_flush_local(pe, win);
}

/* shmem_long_wait_until, with SHMEM_CMP_EQ */
static void wait_until(MPI_Aint at, long value, int me)
{
    long now;

    do {
        MPI_Fetch_and_op(NULL, &now, MPI_LONG, me, at, MPI_NO_OP, win);
        MPI_Win_flush(me, win);
    } while (now != value);
}

/* shmem_barrier_all */
static void barrier_all(void)
{
    MPI_Win_flush_all(win);
    MPI_Win_sync(win); /* this PE's own stores */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win); /* the other PEs' */
}

int main(int argc, char **argv)
{
    int me, pes, wrong;
    struct heap *heap;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &pes);
    MPI_Win_allocate(sizeof *heap, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &heap, &win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    *heap = (struct heap){.number = -1};
    barrier_all();

    put_long(OFFSET(number), me, (me + 1) % pes);
    if (fetch_add(OFFSET(count), 1, 0) == pes - 1) /* the last one tells PE 0 */
        set_long(OFFSET(signal), 1, 0);
    if (me == 0) {
        wait_until(OFFSET(signal), 1, me);
        for (int pe = 1; pe < pes; pe++)
            set_long(OFFSET(signal), 2, pe);
    } else {
        wait_until(OFFSET(signal), 2, me);
    }
    barrier_all();

    wrong = heap->number != (me + pes - 1) % pes;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0)
        printf("symmetric: %d PEs, %s\n", pes, wrong ? "a number is wrong" : "each has its number");
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
