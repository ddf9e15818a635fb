/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of windows: MPI_Win_lock and lock_all with the queue of sync/rwlock.h, the lock_alls'
 * count, claims, and the sleeps of base/wait.c. Each process works on plain data under its lock. */
#include "window.h"
#include "sync/lock.h"

static struct shared {
    int data;
} * s;

static void setup(void)
{
    window_make(3);
    s = explore_new(sizeof *s, 64);
}

static void write_once(int rank)
{
    explore_check(proa_win_lock(window[rank], 0, 1, 0) == PROA_OK);
    s->data++;
    explore_check(proa_win_unlock(window[rank], 0) == PROA_OK);
}

static void read_once(int rank)
{
    int before;

    explore_check(proa_win_lock(window[rank], 0, 0, 0) == PROA_OK);
    before = s->data;
    explore_check(proa_win_unlock(window[rank], 0) == PROA_OK);
    explore_check(before <= 2);
}

static void read_all(int rank)
{
    int before;

    explore_check(proa_win_lock_all(window[rank], 0) == PROA_OK);
    before = s->data;
    explore_check(proa_win_unlock_all(window[rank]) == PROA_OK);
    explore_check(before <= 2);
}

static void writers(int rank)
{
    window_enter(rank);
    write_once(rank);
}

static void writer_and_reader(int rank)
{
    window_enter(rank);
    rank ? read_once(rank) : write_once(rank);
}

static void writer_and_all(int rank)
{
    window_enter(rank);
    rank ? read_all(rank) : write_once(rank);
}

static void one_of_each(int rank)
{
    window_enter(rank);
    rank == 0 ? write_once(rank) : rank == 1 ? read_once(rank) : read_all(rank);
}

static void writers_and_reader(int rank)
{
    window_enter(rank);
    rank == 2 ? read_once(rank) : write_once(rank);
}

static void writers_and_all(int rank)
{
    window_enter(rank);
    rank == 2 ? read_all(rank) : write_once(rank);
}

static void written_once(void)
{
    explore_check(s->data == 1);
}

static void written_twice(void)
{
    explore_check(s->data == 2);
}

static void written_three_times(void)
{
    explore_check(s->data == 3);
}

#define LOCKS(title, count, ...)                                                             \
    {                                                                                        \
        .name = "locks." title, .threads = count, .prepare = window_prepare, .setup = setup, \
        __VA_ARGS__                                                                          \
    }
const struct explore_scenario explore_locks[] = {
    LOCKS("writers", 2, .body = writers, .finish = written_twice),
    LOCKS("writer_and_reader", 2, .body = writer_and_reader, .finish = written_once),
    LOCKS("writer_and_all", 2, .body = writer_and_all, .finish = written_once),
    LOCKS("three_writers", 3, .body = writers, .finish = written_three_times, .preemptions = 1),
    LOCKS("writers_and_reader", 3, .body = writers_and_reader, .finish = written_twice,
          .preemptions = 1),
    LOCKS("writers_and_all", 3, .body = writers_and_all, .finish = written_twice, .preemptions = 1),
    LOCKS("one_of_each", 3, .body = one_of_each, .finish = written_once, .preemptions = 1),
    {0},
};
