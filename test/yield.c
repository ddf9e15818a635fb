/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the ranks of tests: gives the processor away while a host polls.
 *
 * MPICH polls UCX without a pause, and Open MPI all that it has. With more ranks than processors a
 * rank with work then waits for the time slices of ranks without any, which multiplies the
 * processor time of a test. Calls that do not wait poll as well, such as MPI_Request_free: not each
 * poll yields, as mpi_yield_when_idle of Open MPI has it, which would stretch them.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 100 };

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

static void count_look(void)
{
    static _Thread_local unsigned looks;
    if (++looks % LOOKS == 0)
        sched_yield();
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
    return count;
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
    count_look();
    return progress();
}
