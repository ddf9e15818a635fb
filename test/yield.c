/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the ranks of tests: gives the processor away while a host polls.
 *
 * MPICH polls UCX without a pause, and Open MPI all that it has. With more ranks than processors a
 * rank with work then waits for the time slices of ranks without any, which multiplies the
 * processor time of a test. Calls that do not wait poll as well, such as MPI_Request_free: not each
 * poll yields, as mpi_yield_when_idle of Open MPI has it, which would stretch them. Where polls
 * have been in vain for milliseconds the rank sleeps between them: on processors that are idle a
 * wait takes as much processor time otherwise as what it waits for.
 *
 * It also counts the yields of all other libraries, for test/mpi/poll_others.c.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 100, LONG = 50 * LOOKS, NAP_NS = 50000, APART_NS = 5000 };

/* Sets *function to the host's. A host may be loaded out of sight of RTLD_NEXT. */
static void find(void *function, const char *name, const char *const *libraries)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    for (; !symbol && *libraries; libraries++) {
        void *library = dlopen(*libraries, RTLD_LAZY | RTLD_NOLOAD);
        symbol = library ? dlsym(library, name) : NULL;
    }
    if (!symbol)
        abort();
    memcpy(function, &symbol, sizeof symbol);
}

static long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static _Thread_local unsigned looks; /* in a row */
static _Thread_local long last_ns;   /* the last one of Open MPI's */

static void count_look(void)
{
    static const struct timespec nap = {.tv_nsec = NAP_NS};

    if (++looks % LOOKS != 0)
        return;
    if (looks > LONG)
        nanosleep(&nap, NULL);
    else
        syscall(SYS_sched_yield);
    last_ns = now_ns();
}

long proa_test_yields;

int sched_yield(void)
{
    __atomic_fetch_add(&proa_test_yields, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_sched_yield);
}

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static const char *const libraries[] = {"libucp.so.0", NULL};
    static unsigned (*progress)(void *worker);
    if (!__atomic_load_n(&progress, __ATOMIC_RELAXED)) {
        unsigned (*found)(void *worker);
        find(&found, "ucp_worker_progress", libraries);
        __atomic_store_n(&progress, found, __ATOMIC_RELAXED);
    }
    unsigned count = progress(worker);
    if (count == 0)
        count_look();
    else
        looks = 0;
    return count;
}

/* Has the thread done something else since its last look? */
static int is_apart(void)
{
    long since_ns = now_ns() - last_ns;

    last_ns += since_ns;
    return since_ns > APART_NS;
}

/* It returns nothing in Open MPI 4. */
int opal_progress(void);

int opal_progress(void)
{
    static const char *const libraries[] = {"libopen-pal.so.40", "libopen-pal.so.80", NULL};
    static int (*progress)(void);
    if (!__atomic_load_n(&progress, __ATOMIC_RELAXED)) {
        int (*found)(void);
        find(&found, "opal_progress", libraries);
        __atomic_store_n(&progress, found, __ATOMIC_RELAXED);
    }
    if (is_apart())
        looks = 0;
    count_look();
    return progress();
}
