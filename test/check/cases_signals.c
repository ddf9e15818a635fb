/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores by programs that block signals, or handle them. */
#include "cases.h"

#include <pthread.h>
#include <signal.h>

static volatile long seen;

static INLINE void put_beside(void (*what)(void))
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        what();
    MPI_Win_fence(0, win);
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

static void wrong_all_blocked(void)
{
    put_beside(load_with_mask);
}

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

static void wrong_in_handler(void)
{
    put_beside(raise_one);
}

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

static void wrong_handled(void)
{
    put_beside(load_with_handlers);
}

const struct scene signals[] = {
    LOCAL(all_blocked, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(in_handler, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(handled, "MPI_Put", FIRST, "a load", TARGET),
    {0},
};
