/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank leaves the session that `proa run` made once other work stays, with a pretended machine.
 */
#include "base/load.h"
#include "base/system.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 8, A_SECOND = 1000000000 };

static int runnable, looks, left;

static int pretend_runnable(void)
{
    looks++;
    return runnable;
}

static void pretend_leave(void)
{
    left++;
}

static const struct proa_system pretended = {.runnable = pretend_runnable,
                                             .leave_session = pretend_leave};

/* Watches for a second, at so many threads that want to run, a millisecond from one time to the
 * next. */
static void watch(int threads)
{
    static long now_ns;

    runnable = threads;
    for (long end_ns = now_ns + A_SECOND; now_ns < end_ns; now_ns += 1000000)
        proa_session_watch(RANKS, now_ns);
}

/* rank: the process that the variable names. */
static void pretend(int rank)
{
    char text[16];

    proa_system = &pretended;
    snprintf(text, sizeof text, "%d", rank);
    setenv(PROA_SESSION_VARIABLE, text, 1);
}

/* Each test has a process of its own: what is known of its session stays known. */
static void in_a_child(void (*test)(void))
{
    const pid_t child = fork();
    int status = -1;

    if (child == 0) {
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define HOLDS(what) \
    if (!(what))    \
    _exit(__LINE__ % 200 + 1)

static void shared_and_alone(void)
{
    pretend(getpid());
    watch(RANKS);
    HOLDS(looks > 1 && looks <= 30 && !left);
}

static void shared_and_crowded(void)
{
    pretend(getpid());
    watch(RANKS);
    watch(RANKS + 1);
    HOLDS(left == 1);
}

/* One look that finds others, then one that does not. */
static void others_for_an_instant(void)
{
    static long now_ns;

    pretend(getpid());
    for (int turn = 0; turn < 50; turn++) {
        runnable = RANKS + turn % 2;
        proa_session_watch(RANKS, now_ns += A_SECOND);
    }
    HOLDS(looks == 50 && !left);
}

static void not_shared(void)
{
    pretend(getpid());
    unsetenv(PROA_SESSION_VARIABLE);
    watch(RANKS + 1);
    HOLDS(!looks && !left);
}

static void inherited(void)
{
    pretend(getppid());
    watch(RANKS + 1);
    HOLDS(!looks && !left);
}

static void the_pretended(void **state)
{
    (void)state;
    in_a_child(shared_and_alone);
    in_a_child(shared_and_crowded);
    in_a_child(others_for_an_instant);
    in_a_child(not_shared);
    in_a_child(inherited);
}

/* ---- the machine's ---- */

static void leave(void)
{
    const pid_t parents = getsid(0);

    HOLDS(setpgid(0, 0) == 0);
    proa_system->leave_session();
    HOLDS(getsid(0) == getpid() && getpgrp() == getpid() && parents != getpid());
}

/* Another process of its group keeps a leader in the session, and the group as it is. */
static void leave_with_company(void)
{
    const pid_t session = getsid(0);

    HOLDS(setpgid(0, 0) == 0);
    const pid_t company = fork();
    if (company == 0) {
        pause();
        _exit(0);
    }
    proa_system->leave_session();
    const int stays = getsid(0) == session && getpgrp() == getpid();
    kill(company, SIGKILL);
    HOLDS(stays);
}

static void the_machines(void **state)
{
    (void)state;
    in_a_child(leave);
    in_a_child(leave_with_company);
    assert_true(proa_system->runnable() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_pretended),
                                       cmocka_unit_test(the_machines)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
