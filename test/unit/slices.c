/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of Proa's own ask the kernel for short slices (shm/threads.h), and for nothing else. */
#include "shm/threads.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

static struct scheduling own(void)
{
    struct scheduling found = {0};

    assert_int_equal(syscall(SYS_sched_getattr, 0, &found, sizeof found, 0), 0);
    return found;
}

/* A thread with this policy and nice value, before and after it has begun. */
struct thread {
    int policy, nice;
    struct scheduling before, after;
};

static void *work(void *arg)
{
    struct thread *thread = arg;

    assert_int_equal(sched_setscheduler(0, thread->policy, &(struct sched_param){0}), 0);
    assert_int_equal(setpriority(PRIO_PROCESS, (id_t)gettid(), thread->nice), 0);
    thread->before = own();
    proa_threads_begin();
    thread->after = own();
    proa_threads_end();
    return NULL;
}

static void run(struct thread *thread)
{
    pthread_t id;

    assert_int_equal(pthread_create(&id, NULL, work, thread), 0);
    assert_int_equal(pthread_join(id, NULL), 0);
}

/* A kernel before 6.12 tells of no slices, and changes none. The program's own thread keeps its. */
static void short_ones(void **state)
{
    struct thread thread = {.policy = SCHED_OTHER, .nice = 3};
    const struct scheduling before = own();

    (void)state;
    run(&thread);
    struct scheduling expected = thread.before;
    if (expected.runtime_ns)
        expected.runtime_ns = 100000;
    assert_memory_equal(&thread.after, &expected, sizeof expected);
    assert_int_equal(thread.after.nice, 3);
    const struct scheduling now = own();
    assert_memory_equal(&now, &before, sizeof now);
}

static void not_of_another_policy(void **state)
{
    static const int policies[] = {SCHED_BATCH, SCHED_IDLE};

    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        struct thread thread = {.policy = policies[i], .nice = 5};

        run(&thread);
        assert_int_equal(thread.after.policy, (unsigned)policies[i]);
        assert_memory_equal(&thread.after, &thread.before, sizeof thread.after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_ones),
                                       cmocka_unit_test(not_of_another_policy)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
