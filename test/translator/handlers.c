/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's own handlers of signals, which touch watched memory: they run as without the tool,
 * on the thread that they are for, and what they touch is seen. */
#include "seen.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { FAULTS = 100, ALARMS = 20 };

static volatile int data[1024] __attribute__((aligned(4096)));
static char *closed;
static volatile sig_atomic_t faults, traps, alarms, elsewhere;
static pthread_t main_thread;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    data[faults++]++;
    mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
}

static void on_trap(int number)
{
    (void)number;
    data[500]++;
    traps++;
}

static void on_alarm(int number)
{
    (void)number;
    elsewhere += !pthread_equal(pthread_self(), main_thread);
    data[501]++;
    alarms++;
}

static void take_signals(void)
{
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    struct sigaction trap = {.sa_handler = on_trap}, alarm = {.sa_handler = on_alarm};

    CHECK(sigaction(SIGSEGV, &fault, NULL) == 0 && sigaction(SIGTRAP, &trap, NULL) == 0);
    CHECK(sigaction(SIGALRM, &alarm, NULL) == 0);
}

static void fault(void)
{
    for (int i = 0; i < FAULTS; i++) {
        CHECK(mprotect(closed, 4096, PROT_NONE) == 0);
        closed[i] = (char)i;
        data[600] = closed[i];
    }
    CHECK(faults == FAULTS && data[600] == FAULTS - 1);
    for (int i = 0; i < FAULTS; i++)
        CHECK(data[i] == 1);
}

static void await_alarms(void)
{
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};

    main_thread = pthread_self();
    setitimer(ITIMER_REAL, &often, NULL);
    while (alarms < ALARMS)
        data[700]++;
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(!elsewhere && data[501] == alarms);
}

int main(void)
{
    struct proa_touched_counts counts;

    seen_begin();
    seen_watch((const void *)data, sizeof data, PROA_LOADS_AND_STORES);
    closed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(closed != MAP_FAILED);
    take_signals();
    fault();
    seen_take(&counts);
    CHECK(seen_find((const void *)data, FAULTS * sizeof *data, PROA_STORES));
    raise(SIGTRAP);
    CHECK(traps == 1);
    seen_expect((const void *)data, 500 * sizeof *data, 501 * sizeof *data, PROA_STORES, 1);
    await_alarms();
    seen_take(&counts);
    CHECK(seen_find((const void *)&data[501], sizeof *data, PROA_STORES));
    return 0;
}
