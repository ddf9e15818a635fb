/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of the host's sends and receives, for the calls that wait for them. A fixed table: a
 * request that has lost its place to another one is not known, which a wait says too.
 *
 * All functions are safe from any thread, and do nothing without a watchdog.
 */
#ifndef PROA_HANG_REQUESTS_H
#define PROA_HANG_REQUESTS_H

#include "hang/thread_calls.h"

#include <mpi.h>

/* A call has given this request for that message. */
void proa_requests_note(MPI_Request request, const struct proa_awaited_message *message);

/* A call is about to complete requests, or to look for it: they are forgotten, as their handles may
 * come back for others. Copies the messages of up to `room` of them. Returns their number; -1: one
 * of the requests is not known, or they are more. messages NULL: copies nothing. */
int proa_requests_take(const MPI_Request *requests, int count,
                       struct proa_awaited_message *messages, int room);

/* Copies the messages of up to `room` requests that no call has completed; returns their number. */
int proa_requests_pending(struct proa_awaited_message *messages, int room);

#endif
