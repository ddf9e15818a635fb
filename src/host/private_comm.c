/* SPDX-License-Identifier: BSD-3-Clause */
/* See private_comm.h. */
#include "host/private_comm.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/host_progress.h"
#include "host/pmpi.h"

#include <stddef.h>

static MPI_Comm private_comm;
static int has_comm;
static MPI_Request never = MPI_REQUEST_NULL;
static char progressing;

/* Makes progress in the host: tests a receive that nothing will ever match. A probe would not do:
 * on a communicator of one process MPICH checks only messages that the process has sent itself.
 * Only one thread at a time may test a request, and its progress serves the others too. */
static void progress(void)
{
    int flag;

    if (proa_atomic_exchange(&progressing, 1, PROA_ACQUIRE))
        return;
    proa_pmpi()->Test(&never, &flag, MPI_STATUS_IGNORE);
    proa_atomic_store(&progressing, 0, PROA_RELEASE);
}

/* Creates a communicator of this process alone from one that a session gave. Local: only the
 * members of the new group take part. */
static int split_off(MPI_Comm comm, MPI_Comm *alone)
{
    const struct proa_pmpi *mpi = proa_pmpi();
    MPI_Group all, self;
    int rank, error;

    if (mpi->Comm_rank(comm, &rank) != MPI_SUCCESS || mpi->Comm_group(comm, &all) != MPI_SUCCESS)
        return MPI_ERR_COMM;
    error = mpi->Group_incl(all, 1, &rank, &self);
    if (error == MPI_SUCCESS) {
        error = mpi->Comm_create_group(comm, self, 0, alone);
        mpi->Group_free(&self);
    }
    mpi->Group_free(&all);
    return error;
}

int proa_private_comm_prepare(MPI_Comm comm)
{
    const struct proa_pmpi *mpi = proa_pmpi();
    int error;

    if (has_comm)
        return PROA_OK;
    error = comm == MPI_COMM_NULL ? mpi->Comm_split(MPI_COMM_SELF, 0, 0, &private_comm)
                                  : split_off(comm, &private_comm);
    if (error != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER, "the host MPI could not create a private communicator");
    mpi->Comm_set_errhandler(private_comm, MPI_ERRORS_RETURN);
    has_comm = 1;
    return PROA_OK;
}

int proa_private_comm_begin(MPI_Comm comm)
{
    const struct proa_pmpi *mpi = proa_pmpi();

    if (proa_private_comm_prepare(comm) != PROA_OK)
        return PROA_ERR_OTHER;
    if (mpi->Irecv(NULL, 0, MPI_BYTE, 0, 0, private_comm, &never) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER,
                         "the host MPI could not create a request for its progress");
    proa_host_progress_set(progress);
    return PROA_OK;
}

void proa_private_comm_unprepare(void)
{
    if (has_comm)
        proa_pmpi()->Comm_free(&private_comm);
    has_comm = 0;
}

void proa_private_comm_end(MPI_Comm instead)
{
    proa_host_progress_set(NULL);
    proa_pmpi()->Cancel(&never);
    proa_pmpi()->Wait(&never, MPI_STATUS_IGNORE);
    proa_private_comm_unprepare();
    private_comm = instead;
}

MPI_Comm proa_private_comm(void)
{
    return private_comm;
}
