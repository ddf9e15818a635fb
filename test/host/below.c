/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between Proa and the host: the functions that Proa finds as the host's, preloaded after it. They
 * count, and fail when the program says so. The program's own calls of other chapters do not come
 * by: it calls MPI_X, and these are PMPI_X.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "below.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct below below_state;

/* calls in progress that must be alone: the makings, and the end of a freeing */
static int busy;

static void enter(void)
{
    if (__atomic_fetch_add(&busy, 1, __ATOMIC_SEQ_CST) > 0)
        __atomic_fetch_add(&below_state.overlaps, 1, __ATOMIC_SEQ_CST);
    usleep(300); /* so that another thread would come while this one is inside */
}

static void leave(void)
{
    __atomic_fetch_sub(&busy, 1, __ATOMIC_SEQ_CST);
}

static int is_alone(MPI_Comm comm)
{
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size == 1;
}

#define HOST(name)                                      \
    static __typeof__(&PMPI_##name) host;               \
    if (!host) {                                        \
        void *symbol = dlsym(RTLD_NEXT, "PMPI_" #name); \
        memcpy(&host, &symbol, sizeof host);            \
    }

#define MAKE(comm, call)                                                            \
    if (!is_alone(comm))                                                            \
        return call;                                                                \
    if (below_state.no_windows)                                                     \
        return MPI_ERR_OTHER;                                                       \
    enter();                                                                        \
    int error = call;                                                               \
    leave();                                                                        \
    __atomic_fetch_add(&below_state.makes, error == MPI_SUCCESS, __ATOMIC_SEQ_CST); \
    return error

int PMPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                             MPI_Win *win)
{
    HOST(Win_allocate_shared)
    MAKE(comm, host(size, unit, info, comm, base, win));
}

int PMPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                      MPI_Win *win)
{
    HOST(Win_allocate)
    MAKE(comm, host(size, unit, info, comm, base, win));
}

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    HOST(Win_create_dynamic)
    MAKE(comm, host(info, comm, win));
}

/* Delete functions of the program's run in here, so only the end can be alone. Under Open MPI it
 * need not be. */
int PMPI_Win_free(MPI_Win *win)
{
    HOST(Win_free)
    int error = host(win);
#if defined(MPICH_VERSION) || defined(PROA_ON_abi_mpich)
    enter();
    leave();
#endif
    __atomic_fetch_add(&below_state.frees, 1, __ATOMIC_SEQ_CST);
    return error;
}

/* A request is tested by one thread at a time. */
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    static MPI_Request *inside;
    HOST(Test)
    if (__atomic_exchange_n(&inside, request, __ATOMIC_SEQ_CST) == request)
        __atomic_fetch_add(&below_state.tests_at_once, 1, __ATOMIC_SEQ_CST);
    usleep(300);
    int error = host(request, flag, status);
    __atomic_store_n(&inside, NULL, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&below_state.tests, 1, __ATOMIC_SEQ_CST);
    return error;
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    HOST(Comm_split)
    int error = below_state.no_communicator ? MPI_ERR_OTHER : host(comm, color, key, part);
    below_state.communicators += error == MPI_SUCCESS;
    return error;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    HOST(Comm_group)
    int error = host(comm, group);
    below_state.groups += error == MPI_SUCCESS;
    return error;
}

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *part)
{
    HOST(Group_incl)
    int error = host(group, n, ranks, part);
    below_state.groups += error == MPI_SUCCESS;
    return error;
}

int PMPI_Group_free(MPI_Group *group)
{
    HOST(Group_free)
    int error = host(group);
    below_state.groups -= error == MPI_SUCCESS;
    return error;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    HOST(Comm_free)
    int error = host(comm);
    below_state.communicators -= error == MPI_SUCCESS;
    return error;
}

/* The one message that Proa sends by this function tells the roll in MPI_Init (job/roll.c). */
int PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    HOST(Isend)
    if (getenv("BELOW_DIES")) {
        usleep(1000000); /* MPICH may still connect to this rank in the others' MPI_Init */
        _exit(0);
    }
    return host(data, count, type, to, tag, comm, request);
}
