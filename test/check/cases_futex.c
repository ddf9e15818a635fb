/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the target that wait for one another by objects in window memory, on which the kernel
 * lets them sleep. One stores to a word; the other one goes on when it has. In the wrong twin
 * another process puts to that word in the same epoch.
 */
#include "cases.h"

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DATA = 1, STATE, OTHER, OBJECT = 8 /* from that word on */ };

static void *object;

static void store_data(void)
{
    *(volatile long *)(memory + DATA) = 3;
}

static void *work_of(void *what)
{
    (*(void (**)(void))what)();
    return NULL;
}

static INLINE void beside(void (*mine)(void), void (*other)(void))
{
    pthread_t thread;

    pthread_create(&thread, NULL, work_of, &other);
    mine();
    pthread_join(thread, NULL);
}

static INLINE void wait_beside(void (*begin)(void), void (*wait)(void), void (*wake)(void), int at)
{
    object = memory + OBJECT;
    if (rank == TARGET)
        begin();
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, at);
    if (rank == TARGET)
        beside(wait, wake);
    MPI_Win_fence(0, win);
}

#define TWINS(name)                                                       \
    static void right_##name(void)                                        \
    {                                                                     \
        wait_beside(begin_##name, wait_by_##name, wake_by_##name, OTHER); \
    }                                                                     \
    static void wrong_##name(void)                                        \
    {                                                                     \
        wait_beside(begin_##name, wait_by_##name, wake_by_##name, DATA);  \
    }

static volatile long *state(void)
{
    return memory + STATE;
}

/* ---- mutex ---- */

static void begin_mutex(void)
{
    pthread_mutexattr_t kind;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    if (pthread_mutex_init(object, &kind) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_by_mutex(void)
{
    long is_there = 0;

    while (!is_there) {
        pthread_mutex_lock(object);
        is_there = *state();
        pthread_mutex_unlock(object);
    }
}

static void wake_by_mutex(void)
{
    pthread_mutex_lock(object);
    usleep(1000); /* the other one sleeps */
    store_data();
    *state() = 1;
    pthread_mutex_unlock(object);
}

TWINS(mutex)

/* ---- condition, whose mutex is elsewhere ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void begin_condition(void)
{
    pthread_condattr_t kind;

    pthread_condattr_init(&kind);
    pthread_condattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    if (pthread_cond_init(object, &kind) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_by_condition(void)
{
    pthread_mutex_lock(&mutex);
    while (!*state())
        pthread_cond_wait(object, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void wake_by_condition(void)
{
    usleep(1000);
    pthread_mutex_lock(&mutex);
    store_data();
    *state() = 1;
    pthread_cond_broadcast(object);
    pthread_mutex_unlock(&mutex);
}

TWINS(condition)

/* ---- semaphore ---- */

static void begin_semaphore(void)
{
    if (sem_init(object, 1, 0) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_by_semaphore(void)
{
    while (sem_wait(object) != 0)
        continue;
}

static void wake_by_semaphore(void)
{
    usleep(1000);
    store_data();
    sem_post(object);
}

TWINS(semaphore)

/* ---- barrier ---- */

static void begin_barrier(void)
{
    pthread_barrierattr_t kind;

    pthread_barrierattr_init(&kind);
    pthread_barrierattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    if (pthread_barrier_init(object, &kind, 2) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_by_barrier(void)
{
    pthread_barrier_wait(object);
}

static void wake_by_barrier(void)
{
    usleep(1000);
    store_data();
    pthread_barrier_wait(object);
}

TWINS(barrier)

/* ---- lock of readers and writers ---- */

static void begin_readers(void)
{
    pthread_rwlockattr_t kind;

    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    if (pthread_rwlock_init(object, &kind) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_by_readers(void)
{
    long is_there = 0;

    while (!is_there) {
        pthread_rwlock_rdlock(object);
        is_there = *state();
        pthread_rwlock_unlock(object);
    }
}

static void wake_by_readers(void)
{
    pthread_rwlock_wrlock(object);
    usleep(1000);
    store_data();
    *state() = 1;
    pthread_rwlock_unlock(object);
}

TWINS(readers)

/* ---- the system call itself ---- */

static void begin_futex(void)
{
}

static void wait_by_futex(void)
{
    int *word = object;

    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void wake_by_futex(void)
{
    int *word = object;

    usleep(1000);
    store_data();
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

TWINS(futex)

#define BOTH(name) RIGHT(name), LOCAL(name, "MPI_Put", FIRST, "a store", TARGET)

const struct scene futexes[] = {
    BOTH(mutex), BOTH(condition), BOTH(semaphore), BOTH(barrier), BOTH(readers), BOTH(futex), {0},
};
