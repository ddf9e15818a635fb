/* SPDX-License-Identifier: BSD-3-Clause */
/* See system.h: Linux. */
#include "base/system.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
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

/* The fourth field of /proc/loadavg begins with the number. */
static int runnable(void)
{
    int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC), count = 0;
    char text[64] = "";

    if (file < 0)
        return 0;
    if (read(file, text, sizeof text - 1) <= 0 || sscanf(text, "%*s %*s %*s %d", &count) != 1)
        count = 0;
    close(file);
    return count;
}

/* The leader of a group cannot begin a session, so it joins its parent's group for a moment. If
 * other processes, such as children, are in its group, setsid(2) fails. */
static void leave_session(void)
{
    if (setpgid(0, getpgid(getppid())) == 0 && setsid() < 0)
        setpgid(0, 0);
}

static const struct proa_system kernel = {.now_ns = now_ns,
                                          .yield = yield,
                                          .rest = rest,
                                          .sleep = sleep_at,
                                          .wake = wake,
                                          .preempted = preempted,
                                          .ran_ns = ran_ns,
                                          .runnable = runnable,
                                          .leave_session = leave_session};

const struct proa_system *proa_system = &kernel;
