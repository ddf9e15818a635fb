/* SPDX-License-Identifier: BSD-3-Clause */
/* See signals.h. */
#include "traps/signals.h"
#include "traps/divert.h"
#include "traps/trap.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* ---- masks ---- */

/* The set without the two. NULL: there is none. */
static const sigset_t *without(sigset_t *copy, const sigset_t *set)
{
    if (!set)
        return NULL;
    *copy = *set;
    sigdelset(copy, SIGSEGV);
    sigdelset(copy, SIGTRAP);
    return copy;
}

static int our_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;

    return pthread_sigmask(how, how == SIG_UNBLOCK ? set : without(&copy, set), old);
}

static int our_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;

    return sigprocmask(how, how == SIG_UNBLOCK ? set : without(&copy, set), old);
}

void proa_signals_unblock(void)
{
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGSEGV);
    sigaddset(&both, SIGTRAP);
    pthread_sigmask(SIG_UNBLOCK, &both, NULL);
}

/* ---- actions ---- */

static int our_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction *of_program = proa_trap_action(number), wanted;

    if (action) {
        wanted = *action; /* which may be *old */
        without(&wanted.sa_mask, &action->sa_mask);
        action = &wanted;
    }
    if (!of_program)
        return sigaction(number, action, old);
    if (old)
        *old = *of_program;
    if (action)
        *of_program = wanted;
    return 0;
}

typedef void handler(int);

static handler *our_signal(int number, handler *with)
{
    struct sigaction action = {.sa_handler = with, .sa_flags = SA_RESTART}, old;

    if (!proa_trap_action(number))
        return signal(number, with);
    return our_sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* ---- all ---- */

#define ROW(name)                                  \
    {                                              \
#name, (const void *)(uintptr_t)our_##name \
    }
static const struct proa_diversion diversions[] = {
    ROW(pthread_sigmask),
    ROW(sigprocmask),
    ROW(sigaction),
    ROW(signal),
};

void proa_signals_divert(void)
{
    proa_divert(diversions, sizeof diversions / sizeof *diversions);
}
