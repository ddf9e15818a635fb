/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of the host's sends and receives, for the calls that wait for them. The table has a
 * fixed size: a request that was displaced by another one is unknown, and the report of a wait says
 * so.
 *
 * All functions are callable from any thread, and are no-ops without a watchdog.
 */
#ifndef PROA_HANG_REQUESTS_H
#define PROA_HANG_REQUESTS_H

#include "hang/thread_calls.h"

#include <mpi.h>

/* A call returned this request for that message. */
void proa_requests_note(MPI_Request request, const struct proa_awaited_message *message);

/* A call is about to complete requests, or to test them. Forgets them, as their handles may be
 * reused, and copies up to `room` of their messages. Returns their number. Returns -1 if a request
 * is unknown, or if there are more than `room`. messages: destination, or NULL to copy nothing. */
int proa_requests_take(const MPI_Request *requests, int count,
                       struct proa_awaited_message *messages, int room);

/* Copies the messages of up to `room` pending requests. Returns their number. */
int proa_requests_pending(struct proa_awaited_message *messages, int room);

#endif
