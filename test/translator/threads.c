/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of this process and a child of it take turns by a process-shared mutex, with a condition
 * and a semaphore, all in watched memory; and each thread's accesses are told as its own. */
#include "seen.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, TURNS = 500, ALL = (THREADS + 1) * TURNS };

static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t full;
    sem_t go;
    int turns;
} * shared;

static long own[THREADS];
static unsigned numbers[THREADS];

static void take_turns(void)
{
    while (sem_wait(&shared->go) != 0)
        continue;
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&shared->mutex);
        if (++shared->turns == ALL)
            pthread_cond_broadcast(&shared->full);
        pthread_mutex_unlock(&shared->mutex);
    }
}

static void *thread(void *arg)
{
    const long i = (long)arg;

    numbers[i] = (unsigned)syscall(SYS_gettid);
    take_turns();
    *(volatile long *)&own[i] = i;
    return NULL;
}

static void make_shared(void)
{
    pthread_mutexattr_t of_mutex;
    pthread_condattr_t of_condition;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    seen_watch(shared, sizeof *shared, PROA_LOADS_AND_STORES);
    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    CHECK(pthread_mutex_init(&shared->mutex, &of_mutex) == 0);
    pthread_condattr_init(&of_condition);
    pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
    CHECK(pthread_cond_init(&shared->full, &of_condition) == 0);
    CHECK(sem_init(&shared->go, 1, 0) == 0);
}

static void tell_own(void)
{
    struct proa_touched_counts counts;

    seen_take(&counts);
    for (int i = 0; i < THREADS; i++) {
        const struct proa_touched *found = seen_find(&own[i], sizeof own[i], PROA_STORES);

        CHECK(found && found->thread == numbers[i]);
    }
}

int main(void)
{
    pthread_t threads[THREADS];
    pid_t child;
    int status;

    seen_begin();
    seen_watch(own, sizeof own, PROA_LOADS_AND_STORES);
    make_shared();
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, thread, (void *)i) == 0);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        take_turns();
        _exit(0);
    }
    for (int i = 0; i <= THREADS; i++)
        sem_post(&shared->go);
    pthread_mutex_lock(&shared->mutex);
    while (shared->turns < ALL)
        pthread_cond_wait(&shared->full, &shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(shared->turns == ALL);
    tell_own();
    return 0;
}
