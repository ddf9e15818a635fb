/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that may wait and are on no window, for the watchdog: creation of windows, the end of MPI,
 * and the host's messages and collectives. Without a watchdog each costs one load. */
#ifndef PROA_HANG_WAITS_H
#define PROA_HANG_WAITS_H

#include "hang/members.h"
#include "hang/thread_calls.h"

#include <mpi.h>

/* A call of all processes of comm starts. */
static inline void proa_waits_begin(enum proa_call call, MPI_Comm comm, const void *caller)
{
    if (proa_thread_calls_on)
        proa_thread_calls_enter(&(struct proa_thread_call){.call = proa_call_name(call),
                                                           .caller = caller,
                                                           .awaits = PROA_AWAITS_ALL,
                                                           .members = proa_members_of_comm(comm)});
}

/* A call of the host on all of comm starts. call: its name. */
static inline void proa_waits_begin_host(const char *call, MPI_Comm comm, const void *caller)
{
    if (proa_thread_calls_on)
        proa_thread_calls_enter(&(struct proa_thread_call){.call = call,
                                                           .caller = caller,
                                                           .awaits = PROA_AWAITS_ALL,
                                                           .members = proa_members_of_comm(comm)});
}

/* A call starts that waits for the counterparts of `count` messages. messages: unchanged until the
 * call returns. count: number of messages, or -1 if unknown. */
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
