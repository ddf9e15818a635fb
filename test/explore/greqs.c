/* SPDX-License-Identifier: BSD-3-Clause */
/* A generalized request that is done on one thread while another one frees it (bind/greq.c), the
 * host's progress on one thread at a time (host/private_comm.c), and the table of the host's
 * functions (host/pmpi.c). The host is a few functions here, by the header of the standard ABI. */
#include "explore.h"
#include "base/atomic.h"

#include <dlfcn.h>
#include <pthread.h>

static void once(int *is_done, void (*function)(void));
static void *symbol_of_host(const char *name);

#define PROA_LIBRARY "explored"
#define dlsym(library, name) symbol_of_host(name)
#undef PTHREAD_ONCE_INIT
#define PTHREAD_ONCE_INIT 0
#define pthread_once once
#define pthread_once_t int
#include "host/pmpi.c"
#include "host/private_comm.c"
#include "bind/greq.c"

static struct shared {
    struct proa_greq *greq;
    int tests; /* that the host has made of its request */
    int is_complete;
    struct proa_greq_waits waits;
} * s;

/* ---- the host ---- */

static int host_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    (void)request, (void)status;
    s->tests++;
    *flag = 0;
    return MPI_SUCCESS;
}

static int host_complete(MPI_Request request)
{
    (void)request;
    proa_atomic_store(&s->is_complete, 1, PROA_RELEASE);
    return MPI_SUCCESS;
}

static int host_set(MPI_Status *status, MPI_Datatype type, int count)
{
    (void)status, (void)type, (void)count;
    return MPI_SUCCESS;
}

static int host_cancel(MPI_Status *status, int flag)
{
    (void)status, (void)flag;
    return MPI_SUCCESS;
}

static void *symbol_of_host(const char *name)
{
    return strcmp(name, "PMPI_Test") == 0                   ? (void *)host_test
           : strcmp(name, "PMPI_Grequest_complete") == 0    ? (void *)host_complete
           : strcmp(name, "PMPI_Status_set_elements") == 0  ? (void *)host_set
           : strcmp(name, "PMPI_Status_set_cancelled") == 0 ? (void *)host_cancel
                                                            : (void *)symbol_of_host;
}

static void once(int *is_done, void (*function)(void))
{
    explore_lock(is_done);
    if (!*is_done)
        function();
    *is_done = 1;
    explore_unlock(is_done);
}

/* ---- scenarios ---- */

static void prepare(void)
{
    proa_pmpi_filled = NULL;
    table_once = 0;
    memset(&table, 0, sizeof table);
    explore_share(&proa_pmpi_filled, sizeof proa_pmpi_filled);
    explore_share(&table_once, sizeof table_once);
    explore_share(&table, sizeof table);
    explore_share(&missing, sizeof missing);
    explore_share(&progressing, sizeof progressing);
    explore_share(&never, sizeof never);
    explore_share(&proa_greqs, sizeof proa_greqs);
    explore_share(&waits, sizeof waits);
}

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
}

/* Two threads need the table at once. */
static void find_both(int thread)
{
    (void)thread;
    explore_check(proa_pmpi()->Test == host_test);
}

static void setup_table(void)
{
    setup();
    (void)proa_pmpi();
}

static void progress_both(int thread)
{
    (void)thread;
    progress();
}

static void tested(void)
{
    explore_check(s->tests == 1 || s->tests == 2);
}

static void setup_greq(void)
{
    setup_table();
    s->greq = greq_new(PROA_CALL_Rput);
    s->greq->request = (struct proa_request){0};
    count(1);
}

/* The second thread is the host: it asks for the outcome, and frees the request. */
static void done(int thread)
{
    MPI_Status status;

    if (thread == 0) {
        proa_greq_done(s->greq, PROA_ERR_OTHER, "lost");
        return;
    }
    while (!proa_atomic_load(&s->is_complete, PROA_ACQUIRE))
        explore_yield();
    query(s->greq, &status);
    release(s->greq);
}

static void none_is_open(void)
{
    explore_check(proa_greqs == 0);
}

/* ---- notified waits, which the first of them announces (bind/greq.h) ---- */

static void forget(const struct proa_win *win)
{
    explore_check(!win);
}

static void look(void)
{
    s->tests++;
}

static void announce(void)
{
    s->waits = (struct proa_greq_waits){.forget = forget, .look = look};
    proa_greq_set_waits(&s->waits);
}

static void forget_waits(int thread)
{
    thread ? proa_greq_forget(NULL) : announce();
}

static void look_at_waits(int thread)
{
    thread ? proa_greq_tell_host() : announce();
}

const struct explore_scenario explore_greqs[] = {
    {.name = "greqs.table", .threads = 2, .prepare = prepare, .setup = setup, .body = find_both},
    {.name = "greqs.progress",
     .threads = 2,
     .prepare = prepare,
     .setup = setup_table,
     .body = progress_both,
     .finish = tested},
    {.name = "greqs.done",
     .threads = 2,
     .prepare = prepare,
     .setup = setup_greq,
     .body = done,
     .finish = none_is_open},
    {.name = "greqs.forget",
     .threads = 2,
     .prepare = prepare,
     .setup = setup,
     .body = forget_waits},
    {.name = "greqs.look", .threads = 2, .prepare = prepare, .setup = setup, .body = look_at_waits},
    {0},
};
