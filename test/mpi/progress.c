/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A target that computes does not delay origins. The last rank computes, with no MPI call at all,
 * until every other rank has finished a passive epoch on its window: so the origins' calls cannot
 * have needed it. The ranks see this of each other through a mapped file, not through MPI and not
 * by the clock; a time limit only ends the wait when the test has failed.
 */
#include "window.h"
#include <fcntl.h>
#include <proa_notify.h>
#include <sched.h>
#include <sys/mman.h>

enum { many = 20000 };

struct board {
    int computing; /* number of the case in which the target computes */
    int finished;  /* origins that have finished all cases so far */
};

static struct board *open_board(void)
{
    char path[4096] = "";
    int file = -1;
    if (rank == 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(path, sizeof path, "%s/progress-test-XXXXXX", folder ? folder : "/tmp");
        file = mkstemp(path);
        if (file < 0 || ftruncate(file, sizeof(struct board)) != 0)
            MPI_Abort(MPI_COMM_WORLD, 98);
    }
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank != 0)
        file = open(path, O_RDWR);
    void *board = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (board == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 97);
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(path);
    return board;
}

static long values[many], results[many];

static void lock_put(struct area *a, int t, int n)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, a->win);
    MPI_Put(values, n, MPI_LONG, t, disp_at(a, t, 0), n, MPI_LONG, a->win);
    MPI_Win_unlock(t, a->win);
}

static void lock_get(struct area *a, int t, int n)
{
    MPI_Win_lock(MPI_LOCK_SHARED, t, 0, a->win);
    MPI_Get(results, n, MPI_LONG, t, disp_at(a, t, 0), n, MPI_LONG, a->win);
    MPI_Win_unlock(t, a->win);
}

static void lock_accumulate(struct area *a, int t, int n)
{
    MPI_Win_lock(MPI_LOCK_SHARED, t, 0, a->win);
    MPI_Accumulate(values, n, MPI_LONG, t, disp_at(a, t, 0), n, MPI_LONG, MPI_SUM, a->win);
    MPI_Win_unlock(t, a->win);
}

static void lock_fetch(struct area *a, int t, int n)
{
    MPI_Win_lock(MPI_LOCK_SHARED, t, 0, a->win);
    for (int i = 0; i < n && i < 10; i++)
        MPI_Fetch_and_op(&values[i], &results[i], MPI_LONG, t, disp_at(a, t, i), MPI_SUM, a->win);
    MPI_Win_unlock(t, a->win);
}

static void flush_swap(struct area *a, int t, int n)
{
    (void)n;
    MPI_Win_lock_all(0, a->win);
    MPI_Compare_and_swap(&values[1], &values[0], &results[0], MPI_LONG, t, disp_at(a, t, 0),
                         a->win);
    MPI_Win_flush(t, a->win);
    MPI_Get_accumulate(values, 2, MPI_LONG, results, 2, MPI_LONG, t, disp_at(a, t, 0), 2, MPI_LONG,
                       MPI_SUM, a->win);
    MPI_Win_flush_local(t, a->win);
    MPI_Put(values, 1, MPI_LONG, t, disp_at(a, t, 5), 1, MPI_LONG, a->win);
    MPI_Win_flush_all(a->win);
    MPI_Win_unlock_all(a->win);
}

static void request(struct area *a, int t, int n)
{
    MPI_Request r;
    MPI_Win_lock(MPI_LOCK_SHARED, t, 0, a->win);
    MPI_Rget(results, n, MPI_LONG, t, disp_at(a, t, 0), n, MPI_LONG, a->win, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Win_unlock(t, a->win);
}

static void notify(struct area *a, int t, int n)
{
    MPI_Win_lock(MPI_LOCK_SHARED, t, 0, a->win);
    PROA_Put_notify(values, n, MPI_LONG, t, disp_at(a, t, 0), n, MPI_LONG, 0, a->win);
    PROA_Accumulate_notify(values, 1, MPI_LONG, t, disp_at(a, t, 0), 1, MPI_LONG, MPI_SUM, 0,
                           a->win);
    MPI_Win_flush(t, a->win);
    PROA_Get_notify(results, n, MPI_LONG, t, disp_at(a, t, 0), n, MPI_LONG, 0, a->win);
    MPI_Win_unlock(t, a->win);
}

static const struct {
    const char *name;
    void (*run)(struct area *, int target, int n);
    int n;
} cases[] = {
    {"lock, put, unlock", lock_put, 1},
    {"lock, large put, unlock", lock_put, many},
    {"lock, get, unlock", lock_get, 1},
    {"lock, large get, unlock", lock_get, many},
    {"lock, accumulate, unlock", lock_accumulate, 1},
    {"lock, large accumulate, unlock", lock_accumulate, many},
    {"lock, fetch_and_op, unlock", lock_fetch, 1},
    {"lock, many fetch_and_op, unlock", lock_fetch, 10},
    {"lock_all, compare_and_swap, flush", flush_swap, 1},
    {"lock, rget, wait, unlock", request, many},
    {"notified operations", notify, 1},
    {"large notified operations", notify, many},
};
enum { ncases = sizeof cases / sizeof cases[0] };

static double patience = 10;

/* Computes until the origins have finished; false when they do not. */
static int compute(struct board *board, int number)
{
    double begin = MPI_Wtime(); /* reads a clock; no progress is made by it */
    __atomic_store_n(&board->computing, number, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&board->finished, __ATOMIC_SEQ_CST) < number * (nranks - 1))
        if (MPI_Wtime() - begin > patience)
            return 0;
    return 1;
}

static void run_case(struct area *a, struct board *board, int which, int number)
{
    int target = nranks - 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == target) {
        int served = compute(board, number);
        CHECK(served, "%s: %s waits for a target that computes", kind_names[a->kind],
              cases[which].name);
        if (!served)
            patience = 0.5; /* enough is known */
        return;
    }
    while (__atomic_load_n(&board->computing, __ATOMIC_SEQ_CST) < number)
        sched_yield();
    cases[which].run(a, target, cases[which].n);
    __atomic_fetch_add(&board->finished, 1, __ATOMIC_SEQ_CST);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks < 2)
        return skip("needs 2 ranks");
    struct board *board = open_board();
    for (int i = 0; i < many; i++)
        values[i] = i;
    int number = 0;
    for (int kind = 0; kind < nkinds; kind++)
        for (int which = 0; which < ncases; which++) {
            /* A fresh window each time: first contact must not need the target either. */
            struct area a = open_area(kind, many * sizeof(long), sizeof(long), MPI_COMM_WORLD);
            PROA_Win_set_num_notify(a.win, MPI_INFO_NULL, 1);
            run_case(&a, board, which, ++number);
            run_case(&a, board, which, ++number);
            close_area(&a);
        }
    return finish("progress");
}
