/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that no order leads to from the one that calls MPI: window memory, and buffers. */
#include "cases.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

static volatile long seen;
static sem_t go;

/* ---- threads ---- */

typedef void work(void);

/* The other thread's access comes EARLY after its turn, while a call waits for a rank that is LATE.
 */
enum { EARLY_US = 2000, LATE_US = 20000 };

static sem_t up;    /* the other thread runs */
static int is_turn; /* of the other one: an operation is not complete, or a call begins */

static void *work_of(void *what)
{
    sem_post(&up);
    (*(work **)what)();
    return NULL;
}

/* One thread does `other`, and this one `mine` meanwhile. */
static void beside(work *other, work *mine)
{
    pthread_t thread;

    sem_init(&up, 0, 0);
    __atomic_store_n(&is_turn, 0, __ATOMIC_RELAXED);
    pthread_create(&thread, NULL, work_of, &other);
    sem_wait(&up);
    mine();
    pthread_join(thread, NULL);
    sem_destroy(&up);
}

static void say_turn(void)
{
    __atomic_store_n(&is_turn, 1, __ATOMIC_RELAXED);
}

static void wait_for_turn(void)
{
    while (!__atomic_load_n(&is_turn, __ATOMIC_RELAXED))
        sched_yield();
}

static void wait_for_call(void)
{
    wait_for_turn();
    usleep(EARLY_US);
}

static void nothing(void)
{
}

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- the target's memory ---- */

static void put_under_lock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
    put(TARGET, 0);
    MPI_Win_unlock(TARGET, win);
}

static void load_first(void)
{
    seen = memory[0];
}

static void load_in_call(void)
{
    wait_for_call();
    load_first();
}

static void say_and_meet(void)
{
    say_turn();
    meet();
}

/* The thread that meets the others is not the one that loads. */
static void wrong_barrier_beside(void)
{
    if (rank == TARGET) {
        beside(load_in_call, say_and_meet);
        return;
    }
    if (rank == FIRST) {
        put_under_lock();
        usleep(LATE_US);
    }
    meet();
}

static void right_barrier_before(void)
{
    if (rank == FIRST)
        put_under_lock();
    meet();
    if (rank == TARGET)
        beside(load_first, nothing);
}

static void meet_and_post(void)
{
    meet();
    sem_post(&go);
}

static void wait_and_load(void)
{
    sem_wait(&go);
    seen = memory[0];
}

static void right_barrier_told(void)
{
    sem_init(&go, 0, 0);
    if (rank == FIRST)
        put_under_lock();
    if (rank == TARGET)
        beside(wait_and_load, meet_and_post);
    else
        meet();
    sem_destroy(&go);
}

static void store_in_call(void)
{
    wait_for_call();
    memory[1] = 3;
}

static void receive_token(void)
{
    say_turn();
    MPI_Recv(buffer, 0, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_message_beside(void)
{
    if (rank == FIRST) {
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
        get(TARGET, 1);
        MPI_Win_unlock(TARGET, win);
        usleep(LATE_US);
        MPI_Send(buffer, 0, MPI_LONG, TARGET, 0, MPI_COMM_WORLD);
    } else if (rank == TARGET) {
        beside(store_in_call, receive_token);
    }
}

/* ---- buffers ---- */

static void get_into_window(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
    MPI_Get(memory, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
    say_turn();
    MPI_Win_unlock(TARGET, win);
}

static void load_result(void)
{
    wait_for_turn();
    seen = memory[0];
}

static void wrong_result_beside(void)
{
    if (rank == FIRST)
        beside(load_result, get_into_window);
}

static void right_result_before(void)
{
    if (rank == FIRST) {
        get_into_window();
        beside(load_first, nothing);
    }
}

static void get_third(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
    MPI_Get(memory + 2, 1, MPI_LONG, TARGET, 2, 1, MPI_LONG, win);
    say_turn();
    MPI_Win_unlock(TARGET, win);
}

static void load_third(void)
{
    wait_for_turn();
    seen = memory[2];
}

/* As a task that another thread takes. */
static void wrong_result_of_task(void)
{
    if (rank == FIRST)
        beside(get_third, load_third);
}

static long value;

static void get_value(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
    MPI_Get(&value, 1, MPI_LONG, TARGET, 3, 1, MPI_LONG, win);
    say_turn();
    MPI_Win_unlock(TARGET, win);
}

static void load_value(void)
{
    wait_for_turn();
    seen = value;
}

static void wrong_value_beside(void)
{
    if (rank == FIRST)
        beside(load_value, get_value);
}

/* ---- a thread that polls, while calls of another one take what it loads ---- */

static void poll(void)
{
    while (__atomic_load_n(memory, __ATOMIC_ACQUIRE) == 0)
        continue;
    MPI_Win_sync(win);
    memory[1]++;
    say_turn();
}

static void poll_with_sync(void)
{
    do
        MPI_Win_sync(win);
    while (__atomic_load_n(memory, __ATOMIC_ACQUIRE) == 0);
    MPI_Win_sync(win);
    memory[1]++;
    say_turn();
}

static void get_until_turn(void)
{
    while (!__atomic_load_n(&is_turn, __ATOMIC_RELAXED)) {
        MPI_Get(&value, 1, MPI_LONG, SECOND, 3, 1, MPI_LONG, win);
        MPI_Win_flush(SECOND, win);
    }
}

static INLINE void poll_beside(work *how)
{
    MPI_Win_lock_all(0, win);
    if (rank == TARGET)
        beside(how, get_until_turn);
    if (rank == FIRST) {
        usleep(LATE_US);
        put(TARGET, 1);
        MPI_Win_flush(TARGET, win);
        buffer[2] = 1;
        MPI_Accumulate(buffer + 2, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, MPI_REPLACE, win);
    }
    MPI_Win_unlock_all(win);
}

static void right_poll_beside(void)
{
    poll_beside(poll);
}

static void right_poll_with_sync_beside(void)
{
    poll_beside(poll_with_sync);
}

const struct scene threads[] = {
    LOCAL(barrier_beside, "MPI_Put", FIRST, "a load", TARGET),
    RIGHT(barrier_before),
    RIGHT(barrier_told),
    LOCAL(message_beside, "MPI_Get", FIRST, "a store", TARGET),
    LOCAL(result_beside, "MPI_Get", FIRST, "a load", FIRST),
    RIGHT(result_before),
    LOCAL(result_of_task, "MPI_Get", FIRST, "a load", FIRST),
    LOCAL(value_beside, "MPI_Get", FIRST, "a load", FIRST),
    RIGHT(poll_beside),
    RIGHT(poll_with_sync_beside),
    {0},
};
