/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order by the host's messages and collectives (order/clock.h). The clock is published before each
 * such call, and learned after it.
 *
 * For a message the clock is published to the destination. A collective call is a meeting of all
 * processes of the communicator. They learn only from participants in the same meeting, or in one
 * after the next. For an unknown call the clock is published to all processes. So too much may
 * count as ordered, and never too little.
 */
#ifndef PROA_CHECK_MESSAGES_H
#define PROA_CHECK_MESSAGES_H

#include <mpi.h>

/* Effect of a call of the host on order. TO, FROM: a message. LOOK: as FROM, for a message that may
 * be absent, so programs poll with the call. LATER_TO, LATER_FROM: the same with a request. SWAP: a
 * message to one process and one from another. MEET: all processes of the communicator, none of
 * which returns before all called. SPREAD: as MEET, but some may return earlier. OUT, IN: from the
 * root, to the root. LATER: a nonblocking call on all processes. WORLD: an unknown call, or one on
 * unknown processes. NONE: no order. */
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

/* Called around a call of the host. comm: communicator, or MPI_COMM_NULL for WORLD. peer: peer of a
 * message, or the root. Collective if the call is, in the same order. No-ops without clocks. */
struct proa_message {
    enum proa_message_kind kind;
    int meeting; /* -1 for none */
    int hears;
    const void *caller; /* for proa_message_after: the program's call site, or NULL */
};
void proa_message_before(struct proa_message *message, enum proa_message_kind kind, MPI_Comm comm,
                         int peer);
void proa_message_after(const struct proa_message *message);

/* Called at the start and the end of a call that completes requests. caller: return address, or
 * NULL if the call does not wait, so programs poll with it. */
void proa_message_completes(const void *caller);
void proa_message_completed(const void *caller);

#endif
