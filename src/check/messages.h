/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the host's messages and collectives order (order/clock.h): told before each such call, and
 * learned after it.
 *
 * A message is told to the process that it goes to. A collective call is a meeting of all processes
 * of the communicator, which only learn of those that take part in the same one, or in a later one
 * but the next. A call that is not understood is told to all processes. So too much may count as
 * ordered, and never too little.
 */
#ifndef PROA_CHECK_MESSAGES_H
#define PROA_CHECK_MESSAGES_H

#include <mpi.h>

/* What a call of the host's does for order. TO, FROM: a message; LOOK: the same as FROM, of one
 * that may not be there, so programs poll with it; LATER_TO, LATER_FROM: the same with a request.
 * SWAP: a message to one process and from another. MEET: with all processes of the communicator,
 * none of which returns before all have called; SPREAD: the same, and some may return earlier; OUT,
 * IN: from the root, to the root. LATER: a nonblocking call, with all. WORLD: it is not understood,
 * or concerns processes that are not known. NONE: it orders nothing. */
enum proa_message_kind {
    PROA_MESSAGE_TO,
    PROA_MESSAGE_FROM,
    PROA_MESSAGE_LOOK,
    PROA_MESSAGE_LATER_TO,
    PROA_MESSAGE_LATER_FROM,
    PROA_MESSAGE_SWAP,
    PROA_MESSAGE_MEET,
    PROA_MESSAGE_SPREAD,
    PROA_MESSAGE_OUT,
    PROA_MESSAGE_IN,
    PROA_MESSAGE_LATER,
    PROA_MESSAGE_WORLD,
    PROA_MESSAGE_NONE
};

/* Around a call of the host's. comm: MPI_COMM_NULL for WORLD; peer: of a message, or the root.
 * Collective as the call is, in its order. Without clocks they do nothing. */
struct proa_message {
    enum proa_message_kind kind;
    int meeting; /* -1: none */
    int hears;
    const void *caller; /* for proa_message_after: the program's, if it was called by that */
};
void proa_message_before(struct proa_message *message, enum proa_message_kind kind, MPI_Comm comm,
                         int peer);
void proa_message_after(const struct proa_message *message);

/* A call that completes requests begins; and is over. caller: its return address; NULL: it does not
 * wait for them, so programs poll with it. */
void proa_message_completes(const void *caller);
void proa_message_completed(const void *caller);

#endif
