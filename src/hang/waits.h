/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that wait and are on no window, for the watchdog: creation of windows, the end of MPI, and
 * the host's messages and collectives. Without a watchdog these cost a load. */
#ifndef PROA_HANG_WAITS_H
#define PROA_HANG_WAITS_H

#include "hang/members.h"
#include "hang/thread_calls.h"

#include <mpi.h>

/* A call of all processes of comm. */
static inline void proa_waits_begin(enum proa_call call, MPI_Comm comm, const void *caller)
{
    if (proa_thread_calls_on)
        proa_thread_calls_enter(&(struct proa_thread_call){.call = proa_call_name(call),
                                                           .caller = caller,
                                                           .awaits = PROA_AWAITS_ALL,
                                                           .members = proa_members_of_comm(comm)});
}

/* A call of the host's on all of comm, by its name. */
static inline void proa_waits_begin_host(const char *call, MPI_Comm comm, const void *caller)
{
    if (proa_thread_calls_on)
        proa_thread_calls_enter(&(struct proa_thread_call){.call = call,
                                                           .caller = caller,
                                                           .awaits = PROA_AWAITS_ALL,
                                                           .members = proa_members_of_comm(comm)});
}

/* One that waits for the counterparts of `count` messages, which stay as they are until the call is
 * over; count -1: they are not known. */
static inline void proa_waits_begin_messages(const char *call,
                                             const struct proa_awaited_message *messages, int count,
                                             const void *caller)
{
    if (proa_thread_calls_on)
        proa_thread_calls_enter(
            &(struct proa_thread_call){.call = call,
                                       .caller = caller,
                                       .awaits = count < 0 ? PROA_AWAITS_ANY : PROA_AWAITS_MESSAGES,
                                       .messages = messages,
                                       .count = count});
}

static inline void proa_waits_end(void)
{
    if (proa_thread_calls_on)
        proa_thread_calls_leave();
}

#endif
