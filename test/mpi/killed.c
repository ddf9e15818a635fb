/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of all kinds made, used in all ways and freed, for ever, until one rank is killed:
 *
 *   killed VICTIM MICROSECONDS SEED
 *
 * so long after MPI_Init, by a process of its own, so at any moment, in system calls too. That
 * leaves the file that PROA_KILLED_MARK names.
 * test/killed looks at how the job ends, and what it leaves.
 */
#include "window.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

enum { windows = 6, most_words = 40000, steps = 20 };

static struct area areas[windows]; /* win MPI_WIN_NULL: none there */
static int words[windows];
static uint64_t common, own; /* seeds: what all ranks do together, and each by itself */

/* Sebastiano Vigna's splitmix64. */
static unsigned below(uint64_t *seed, unsigned limit)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (unsigned)((z ^ (z >> 31)) % limit);
}

/* Waits for a byte, which says that MPI is there; then for the moment. */
static int start_killer(long microseconds)
{
    int ready[2];
    char none;
    pid_t victim = getpid();
    if (pipe(ready) != 0)
        exit(3);
    if (fork() == 0) {
        close(ready[1]);
        if (read(ready[0], &none, 1) == 1) {
            nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000},
                      NULL);
            if (getppid() == victim) {
                const char *mark = getenv("PROA_KILLED_MARK");
                if (mark)
                    close(open(mark, O_CREAT | O_WRONLY, 0600));
                kill(victim, SIGKILL);
            }
        }
        _exit(0);
    }
    close(ready[0]);
    return ready[1];
}

static void renew(int i)
{
    enum kind kind = (enum kind)below(&common, nkinds);
    if (areas[i].win != MPI_WIN_NULL)
        close_area(&areas[i]);
    words[i] = 1 + (int)below(&common, most_words);
    areas[i] = open_area(kind, (size_t)words[i] * 8, 8, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void operate(int i, int target)
{
    static long values[most_words], results[most_words];
    int at = (int)below(&own, (unsigned)words[i]), n = 1 + (int)below(&own, 20);
    if (below(&own, 10) == 0)
        n = words[i];
    n = n < words[i] - at ? n : words[i] - at;
    MPI_Aint there = disp_at(&areas[i], target, at);
    MPI_Win win = areas[i].win;
    switch (below(&own, 5)) {
    case 0:
        MPI_Put(values, n, MPI_LONG, target, there, n, MPI_LONG, win);
        break;
    case 1:
        MPI_Get(results, n, MPI_LONG, target, there, n, MPI_LONG, win);
        break;
    case 2:
        MPI_Accumulate(values, n, MPI_LONG, target, there, n, MPI_LONG, MPI_SUM, win);
        break;
    case 3:
        MPI_Fetch_and_op(values, results, MPI_LONG, target, there, MPI_SUM, win);
        break;
    default:
        MPI_Compare_and_swap(values, values + 1, results, MPI_LONG, target, there, win);
    }
}

static int any_rank(void)
{
    return (int)below(&own, (unsigned)nranks);
}

static void with_locks(int i)
{
    for (int k = 0; k < steps; k++) {
        int target = any_rank();
        MPI_Win_lock(below(&own, 2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0,
                     areas[i].win);
        operate(i, target);
        MPI_Win_unlock(target, areas[i].win);
    }
}

static void with_lock_all(int i)
{
    MPI_Win_lock_all(0, areas[i].win);
    for (int k = 0; k < steps; k++) {
        int target = any_rank();
        operate(i, target);
        MPI_Win_flush(target, areas[i].win);
    }
    MPI_Win_unlock_all(areas[i].win);
}

static void with_fences(int i)
{
    MPI_Win_fence(0, areas[i].win);
    for (int k = 0; k < steps; k++) {
        operate(i, any_rank());
        MPI_Win_fence(0, areas[i].win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, areas[i].win);
}

static void with_pscw(int i)
{
    MPI_Group right = group_of_one((rank + 1) % nranks),
              left = group_of_one((rank + nranks - 1) % nranks);
    for (int k = 0; k < steps; k++) {
        MPI_Win_post(left, 0, areas[i].win);
        MPI_Win_start(right, 0, areas[i].win);
        operate(i, (rank + 1) % nranks);
        MPI_Win_complete(areas[i].win);
        MPI_Win_wait(areas[i].win);
    }
    MPI_Group_free(&right);
    MPI_Group_free(&left);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: killed VICTIM MICROSECONDS SEED\n");
        return 2;
    }
    int killer = start_killer(atol(argv[2]));
    start(&argc, &argv);
    common = strtoull(argv[3], NULL, 10);
    own = common + 1 + (uint64_t)rank;
    for (int i = 0; i < windows; i++)
        areas[i].win = MPI_WIN_NULL;
    renew(0);
    check_served();
    if (check_failures)
        return 3;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == atoi(argv[1]) && write(killer, "", 1) != 1)
        return 3;
    void (*const uses[])(int) = {with_locks, with_lock_all, with_fences, with_pscw};
    for (;;) {
        int i = (int)below(&common, windows);
        if (areas[i].win == MPI_WIN_NULL || below(&common, 4) == 0)
            renew(i);
        uses[below(&common, 4)](i);
    }
}
