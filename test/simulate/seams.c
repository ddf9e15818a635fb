/* SPDX-License-Identifier: BSD-3-Clause */
/* What the core asks of the system and of the C library, and the simulator answers: the clock,
 * sleep and wake, threads, and the account of each rank's memory. The core's library calls these by
 * the linker's --wrap. */
#include "simulate.h"
#include "base/system.h"
#include "scenarios.h"
#include "sync/lock.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- time ---- */

static long now_ns(void)
{
    return simulate_running() ? simulate_now(simulate_running()) : 0;
}

static void yield(void)
{
}

static void rest(long ns)
{
    simulate_spend(simulate_running(), ns);
}

static void sleep_at(uint32_t *word, uint32_t expected, long timeout_ns)
{
    (void)word, (void)expected, (void)timeout_ns;
}

static void wake(uint32_t *word)
{
    (void)word;
    simulate_rung();
}

static long none(void)
{
    return 0;
}

static const struct proa_system simulated = {.now_ns = now_ns,
                                             .yield = yield,
                                             .rest = rest,
                                             .sleep = sleep_at,
                                             .wake = wake,
                                             .preempted = none,
                                             .ran_ns = none};

const struct proa_system *proa_system = &simulated;

const struct proa_net_transport *proa_net_find(const char *choice)
{
    (void)choice;
    return &simulate_transport;
}

/* ---- threads ---- */

int simulate_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                    void *arg);
int __wrap_pthread_join(pthread_t thread, void **result);
pid_t __wrap_gettid(void);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);

int simulate_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                    void *arg)
{
    (void)attributes, (void)start, (void)arg;
    *thread = pthread_self();
    return 0;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return 0;
}

pid_t __wrap_gettid(void)
{
    return simulate_number(simulate_running()) + 1;
}

/* Signals would be blocked for a new thread only, and a store to statics raises one (statics.c). */
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how, (void)set, (void)old;
    return 0;
}

/* A processor for each rank of a node. */
int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    (void)pid;
    CPU_ZERO_S(bytes, set);
    CPU_SET_S(simulate_number(simulate_running()) % simulate_plan()->per_node, bytes, set);
    return 0;
}

/* ---- counts ---- */

long simulate_looks;

int __wrap_proa_lock_look(struct proa_lock_request *request);

int __wrap_proa_lock_look(struct proa_lock_request *request)
{
    simulate_looks++;
    return proa_lock_look(request);
}

/* ---- memory ---- */

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

static void *counted(void *memory)
{
    simulate_count_memory((long)malloc_usable_size(memory));
    return memory;
}

void *__wrap_malloc(size_t bytes)
{
    return counted(malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return counted(calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    simulate_count_memory(-(long)malloc_usable_size(memory));
    return counted(realloc(memory, bytes));
}

void __wrap_free(void *memory)
{
    simulate_count_memory(-(long)malloc_usable_size(memory));
    free(memory);
}
