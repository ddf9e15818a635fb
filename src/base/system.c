/* SPDX-License-Identifier: BSD-3-Clause */
/* See system.h: Linux. */
#include "base/system.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long told_by(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long now_ns(void)
{
    return told_by(CLOCK_MONOTONIC);
}

static long ran_ns(void)
{
    return told_by(CLOCK_THREAD_CPUTIME_ID);
}

static void yield(void)
{
    sched_yield();
}

static void rest(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

static void sleep_at(uint32_t *word, uint32_t expected, long timeout_ns)
{
    struct timespec timeout = {0, timeout_ns};

    syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, NULL, 0);
}

static void wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static long preempted(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static const struct proa_system kernel = {.now_ns = now_ns,
                                          .yield = yield,
                                          .rest = rest,
                                          .sleep = sleep_at,
                                          .wake = wake,
                                          .preempted = preempted,
                                          .ran_ns = ran_ns};

const struct proa_system *proa_system = &kernel;
