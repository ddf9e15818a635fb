/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that wait and are on no window, for the watchdog: creation of windows, the end of MPI, and
 * the host's messages and collectives. Without a watchdog these cost a load. */
#ifndef PROA_HANG_WAITS_H
#define PROA_HANG_WAITS_H

#include "hang/whereabouts.h"

#include <mpi.h>

/* A call of all processes of comm. */
static inline void proa_waits_begin(enum proa_call call, MPI_Comm comm, const void *caller)
{
    if (proa_whereabouts_on)
        proa_whereabouts_enter(&(struct proa_whereabouts){.call = proa_call_name(call),
                                                          .caller = caller,
                                                          .awaits = PROA_AWAITS_ALL,
                                                          .members = proa_members_of_comm(comm)});
}

/* A call of the host's, by its name; awaits: ALL, ONE (the peer, a rank in comm) or ANY. */
static inline void proa_waits_begin_host(const char *call, enum proa_awaited awaits, MPI_Comm comm,
                                         int peer, const void *caller)
{
    if (!proa_whereabouts_on)
        return;
    if (awaits == PROA_AWAITS_ONE && peer < 0) /* MPI_ANY_SOURCE, or MPI_PROC_NULL for an instant */
        awaits = PROA_AWAITS_ANY;
    proa_whereabouts_enter(&(struct proa_whereabouts){
        .call = call,
        .caller = caller,
        .awaits = awaits,
        .members = awaits == PROA_AWAITS_ANY ? NULL : proa_members_of_comm(comm),
        .peer = peer});
}

static inline void proa_waits_end(void)
{
    if (proa_whereabouts_on)
        proa_whereabouts_leave();
}

#endif
