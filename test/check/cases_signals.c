/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores by programs that block signals, or handle them. */
#include "cases.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static volatile long seen;

/* They use the first four words of the window. */
static INLINE void put_beside(void (*what)(void), int at)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, at);
    if (rank == TARGET)
        what();
    MPI_Win_fence(0, win);
}

#define TWINS(name, what)          \
    static void wrong_##name(void) \
    {                              \
        put_beside(what, 0);       \
    }                              \
    static void right_##name(void) \
    {                              \
        put_beside(what, 4);       \
    }

/* ---- masks ---- */

static void load_with_mask(void)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    seen = *(volatile long *)memory;
    sigprocmask(SIG_BLOCK, &all, NULL);
    seen = *(volatile long *)(memory + 1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

TWINS(all_blocked, load_with_mask)

static void load_in_handler(int number)
{
    (void)number;
    seen = *(volatile long *)memory;
}

static void raise_one(void)
{
    struct sigaction action = {.sa_handler = load_in_handler}, before;

    sigfillset(&action.sa_mask);
    sigaction(SIGUSR1, &action, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, NULL);
}

TWINS(in_handler, raise_one)

/* ---- handlers of the signals that check mode has taken ---- */

static volatile int handled;

static void count(int number)
{
    (void)number;
    handled++;
}

/* A trap is not the program's to handle; what it sends to itself is. */
static INLINE void handle(int number)
{
    void (*before)(int) = signal(number, count);

    handled = 0;
    seen = *(volatile long *)(memory + 2);
    if (handled != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    raise(number);
    if (handled != 1 || signal(number, before) != count)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void load_with_handlers(void)
{
    struct sigaction action = {.sa_handler = count}, before, ours;

    handle(SIGSEGV);
    handle(SIGTRAP);
    sigaction(SIGSEGV, &action, &before);
    seen = *(volatile long *)memory;
    sigaction(SIGSEGV, &before, &ours);
    if (handled != 1 || ours.sa_handler != count)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

TWINS(handled, load_with_handlers)

/* ---- handlers that store ---- */

/* A signal to the process is the program's to handle, and no thread's of the host. */
static void store_on_alarm(int number)
{
    (void)number;
    if (syscall(SYS_gettid) != getpid())
        MPI_Abort(MPI_COMM_WORLD, 1);
    *(volatile long *)memory = 1;
    handled++;
}

static void wait_for_alarms(void)
{
    const struct itimerval soon = {.it_value = {.tv_usec = 1000}};
    void (*before)(int) = signal(SIGALRM, store_on_alarm);

    for (int i = 0; i < 40; i++) {
        handled = 0;
        setitimer(ITIMER_REAL, &soon, NULL);
        while (!handled)
            sched_yield();
    }
    signal(SIGALRM, before);
}

TWINS(on_alarm, wait_for_alarms)

/* A page that the program opens when it is touched. */
static void *volatile closed;
static volatile size_t page_bytes;

static void open_page(int number)
{
    (void)number;
    mprotect(closed, page_bytes, PROT_READ | PROT_WRITE);
    *(volatile long *)memory = 1;
}

static void touch_closed(void)
{
    void (*before)(int) = signal(SIGSEGV, open_page);

    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    closed = mmap(NULL, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile long *)closed = 1;
    munmap(closed, page_bytes);
    signal(SIGSEGV, before);
}

TWINS(on_fault, touch_closed)

#define BOTH(name, what) RIGHT(name), LOCAL(name, "MPI_Put", FIRST, what, TARGET)

const struct scene signals[] = {
    BOTH(all_blocked, "a load"), BOTH(in_handler, "a load"), BOTH(handled, "a load"),
    BOTH(on_alarm, "a store"),   BOTH(on_fault, "a store"),  {0},
};
