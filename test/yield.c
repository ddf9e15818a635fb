/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the ranks of tests: gives the processor away where UCX finds no message.
 *
 * MPICH polls UCX without a pause. With more ranks than processors a rank with work then waits for
 * the time slices of ranks without any, which multiplies the processor time of a test.
 * Open MPI does the same by OMPI_MCA_mpi_yield_when_idle.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Calls that do not wait look as well, such as MPI_Request_free. */
enum { LOOKS = 100 };

static unsigned (*progress)(void *worker); /* of UCX */
static pthread_once_t looked_up = PTHREAD_ONCE_INIT;

/* By the library's handle: a host may load UCX out of sight of RTLD_NEXT. */
static void look_up(void)
{
    void *library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, "ucp_worker_progress") : NULL;
    if (!symbol)
        abort();
    memcpy(&progress, &symbol, sizeof progress);
}

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static _Thread_local unsigned looks;
    pthread_once(&looked_up, look_up);
    unsigned count = progress(worker);
    if (count == 0 && ++looks % LOOKS == 0)
        sched_yield();
    return count;
}
