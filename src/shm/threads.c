/* SPDX-License-Identifier: BSD-3-Clause */
/* See threads.h. */
#include "shm/threads.h"
#include "base/atomic.h"
#include "shm/segment.h"
#include "shm/valgrind.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449 /* Linux 5.16 */
#endif
#ifndef SYS_futex_wait
#define SYS_futex_wait 455 /* Linux 6.7 */
#endif

/* ---- threads that are not the program's ---- */

/* Ids of threads that are not the program's; 0 for an unused entry. Each is stored once, by the
 * thread that starts MPI or by itself. No other data depends on the id, so relaxed order
 * suffices. */
enum { FOREIGN_MOST = 64 };
static int foreign[FOREIGN_MOST];
static int alone;                   /* 1 if there was one thread when MPI_Init was called */
static _Thread_local sigset_t mask; /* the mask when the host was called */

/* Threads beyond the first FOREIGN_MOST count as the program's. */
static void foreign_replace(int old, int new)
{
    int found = old;

    for (int i = 0; i < FOREIGN_MOST; i++, found = old)
        if (proa_atomic_compare_exchange(&foreign[i], &found, new, PROA_RELAXED, PROA_RELAXED))
            return;
}

static int is_foreign(int id)
{
    for (int i = 0; i < FOREIGN_MOST; i++)
        if (proa_atomic_load(&foreign[i], PROA_RELAXED) == id)
            return 1;
    return 0;
}

/* struct sched_attr of sched_setattr(2), which some C libraries lack. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

static void ask_for_short_slices(void)
{
    enum { SLICE_NS = 100000 }; /* the shortest that the kernel permits */
    struct scheduling own;

    if (syscall(SYS_sched_getattr, 0, &own, sizeof own, 0) != 0 || own.policy != SCHED_OTHER)
        return;
    own.runtime_ns = SLICE_NS;
    syscall(SYS_sched_setattr, 0, &own, 0);
}

void proa_threads_begin(void)
{
    ask_for_short_slices();
    foreign_replace(0, gettid());
}

void proa_threads_end(void)
{
    foreign_replace(gettid(), 0);
}

void proa_threads_find(struct proa_threads *threads)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;

    threads->count = folder ? 0 : -1;
    while (threads->count >= 0 && (entry = readdir(folder))) {
        int id = atoi(entry->d_name);

        if (id <= 0 || id == gettid() || is_foreign(id))
            continue;
        if (threads->count == PROA_THREADS_MOST)
            threads->count = -1;
        else
            threads->id[threads->count++] = id;
    }
    if (folder)
        closedir(folder);
}

/* In Valgrind any thread that does not block a signal of the process may receive it, while the
 * kernel prefers the main thread. Threads inherit the mask of the thread that starts them. Signals
 * of faults and those that end a job stay unblocked. */
static void keep_signals_off(void)
{
    static const int stay[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,  SIGTRAP,
                               SIGSYS,  SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    sigset_t off;

    sigfillset(&off);
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        sigdelset(&off, stay[i]);
    pthread_sigmask(SIG_BLOCK, &off, &mask);
}

void proa_threads_host_begin(void)
{
    struct proa_threads threads;

    if (proa_is_in_valgrind())
        keep_signals_off();
    proa_threads_find(&threads);
    alone = threads.count == 0;
}

void proa_threads_host_end(void)
{
    struct proa_threads threads;

    if (proa_is_in_valgrind())
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (!alone)
        return;
    proa_threads_find(&threads);
    for (int i = 0; i < threads.count; i++)
        foreign_replace(0, threads.id[i]);
}

/* ---- their system calls ---- */

/* The system call in which a thread sleeps. */
struct call {
    long number; /* -1 if none */
    uint64_t arg[6];
};

/* Finds the system call of a thread. Returns 0, or -1 if the kernel does not report it. The file
 * contains "202 0x7f00 0x0 0x1 0x0 0x0 0x0 0x7ffd 0x7f01", "-1 0x7ffd 0x7f01" (a fault), or
 * "running". A thread that enters a wait arrives there within a microsecond, the time of a
 * check. */
static int look(int id, struct call *call)
{
    enum { TRIES = 3 };
    char path[64], text[256] = "running", *at = text;
    ssize_t got = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", id);
    for (int i = 0; i < TRIES && text[0] == 'r'; i++)
        got = proa_file_read(path, text, sizeof text);
    call->number = -1;
    if (got <= 0) /* a thread that has ended does not sleep */
        return got < 0 && (errno == ENOENT || errno == ESRCH) ? 0 : -1;
    if (text[0] != 'r')
        call->number = strtol(at, &at, 10);
    for (int i = 0; i < 6 && call->number >= 0; i++)
        call->arg[i] = strtoull(at, &at, 16);
    return 0;
}

static int overlaps(uint64_t at, uint64_t bytes, uint64_t first, uint64_t end)
{
    return at < end && at + bytes > first;
}

static int use_of_futex(const struct call *call, uint64_t first, uint64_t end)
{
    int command = (int)call->arg[1] & FUTEX_CMD_MASK;

    if (command == FUTEX_WAIT_REQUEUE_PI && overlaps(call->arg[4], 4, first, end))
        return PROA_THREADS_WAIT_FIXED;
    if (call->arg[1] & FUTEX_PRIVATE_FLAG || !overlaps(call->arg[0], 4, first, end))
        return 0;
    return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET ? PROA_THREADS_WAIT
                                                                 : PROA_THREADS_WAIT_FIXED;
}

/* Lists of words or of buffers of a call are not examined. */
static int use_of(const struct call *call, uint64_t first, uint64_t end)
{
    switch (call->number) {
    case SYS_futex:
        return use_of_futex(call, first, end);
    case SYS_futex_wait:
    case SYS_futex_waitv:
        return PROA_THREADS_WAIT_FIXED;
    case SYS_read:
    case SYS_pread64:
        return overlaps(call->arg[1], call->arg[2], first, end) ? PROA_THREADS_READ : 0;
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
        return PROA_THREADS_READ;
    default:
        return 0;
    }
}

int proa_threads_look(const struct proa_threads *threads, uint64_t first, uint64_t end,
                      void (*wake)(uint64_t word, void *context), void *context)
{
    int all = 0;

    for (int i = 0; i < threads->count; i++) {
        struct call call = {0};
        int use = look(threads->id[i], &call) == 0 ? use_of(&call, first, end)
                                                   : PROA_THREADS_WAIT_FIXED | PROA_THREADS_READ;

        if (use == PROA_THREADS_WAIT && wake)
            wake(call.arg[0], context);
        all |= use;
    }
    return all;
}
