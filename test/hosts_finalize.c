/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded by test/hosts where the host is MPICH 4.0, so that MPI_Finalize ends over TCP.
 *
 * There each process closes its UCX connections and waits for the other end of each, and then waits
 * for all processes in PMI, where it moves no messages any more: the first process there may keep
 * another from closing, for ever. Newer ones of MPICH wait otherwise. Here no process waits for the
 * other end (NULL: it is closed); the worker's end, which comes after PMI, closes them.
 */
#include <stddef.h>

void *ucp_disconnect_nb(void *connection);

void *ucp_disconnect_nb(void *connection)
{
    (void)connection;
    return NULL;
}
