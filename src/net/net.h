/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that core asks of a network: the contract of a transport.
 *
 * A transport is one constant table of functions, and that table is the one symbol it exports. It
 * moves messages, which are small and have a meaning to core alone, and bytes between memory that
 * processes have exposed. It knows no windows, no epochs and no MPI.
 *
 * Threads: core ensures that at most one thread of the process is inside a transport's functions at
 * any time. It may be a different one each time: the progress engine, or a thread that waits in
 * Proa. So a transport needs no locks. The exceptions are `doze`, and `wake`, which ends a doze.
 * Blocking: none of the functions waits for another process, except doze, which says so. A call
 * that cannot be served now returns PROA_NET_AGAIN. Events (struct proa_net_events) come only from
 * within progress, on the thread that called it.
 *
 * Order, for one pair of processes:
 *   messages arrive once each, in the order in which they were sent;
 *   puts and gets are done in any order, relative to each other and to messages, and so are the
 *   pieces of each of them;
 *   a put's `done` says that its bytes are in the target's memory: a process that receives a message
 *   sent after that sees them.
 * Codes: PROA_OK, a negative code of base/fail.h with proa_failure() set, and PROA_NET_AGAIN where
 * a function says so.
 */
#ifndef PROA_NET_NET_H
#define PROA_NET_NET_H

#include "base/hidden.h"
#include "net/offer.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PROA_NETS_MOST = 16, /* networks that a process is on at once */
    PROA_NET_AGAIN = 1,  /* no room now, and nothing was done: make progress, then try again */
    /* Bytes of a message: 15 KiB and the heads. Each message costs its sender and its receiver a
     * system call or two. With its frame it stays below 16 KiB, up to which libfabric sends a
     * message at once. */
    PROA_NET_MESSAGE_MOST = (15 << 10) + 512,
    PROA_NET_ADDRESS_MOST = 96, /* bytes of an address */
    PROA_NET_KEY_MOST = 32      /* bytes of a key */
};

/* A network that this process is on; its content is private to the transport. A process may be on
 * several networks of a transport, which share nothing but the thread that is inside. */
struct proa_net;

/* The address of a process, and the key of memory that it has exposed. Both are handed over at
 * window creation, and have no meaning to core. Bytes that a transport does not need are 0. */
struct proa_net_address {
    unsigned char bytes[PROA_NET_ADDRESS_MOST];
};

struct proa_net_key {
    unsigned char bytes[PROA_NET_KEY_MOST];
};

/* Readable names of a process's offers, in the same order: "tcp on eth0". */
struct proa_offer_names {
    char text[PROA_OFFERS_MOST][PROA_OFFER_NAME];
};

/* Bytes of another process. address: as that process sees it. key: key under which the process has
 * exposed the memory. */
struct proa_net_place {
    uint32_t peer;
    uint64_t address;
    const struct proa_net_key *key;
};

/* The ways to lose a peer. */
enum proa_net_end {
    PROA_NET_GONE,    /* it fails, is silent, or sends malformed messages */
    PROA_NET_LEFT,    /* it has closed in order, and everything that it sent has arrived */
    PROA_NET_GAVE_UP, /* it has given this process up, and ignores it */
};

/* The events that a transport reports to core during progress. The functions must not block. They
 * may call send, move and drop, and no other function of the transport. */
struct proa_net_events {
    /* A message has arrived. body: valid during the call only. */
    void (*message)(void *context, uint32_t peer, const void *body, size_t bytes);
    /* A put or get is done or has failed, and its buffer is the caller's again. Called once for
     * each that was accepted. outcome: PROA_OK or a negative code. */
    void (*done)(void *context, uint64_t token, int outcome);
    /* The peer is lost: nothing will arrive from it any more, and everything sent to it is lost.
     * Called after the `done` of all operations in flight to it. */
    void (*lost)(void *context, uint32_t peer, enum proa_net_end end);
};

struct proa_net_transport {
    const char *name; /* for the log and PROA_NET */

    /* Finds the available networks. For one thread at a time. May take long, but waits for no other
     * process. offers: result, the best first; `error` is set too if the code is negative. names:
     * result, readable text of each. Returns PROA_OK, or a negative code: PROA_ERR_OTHER if there
     * is no network. */
    int (*offers)(struct proa_offers *offers, struct proa_offer_names *names);

    /* Joins a network. For one thread at a time, which creates a window. May take long, but waits
     * for no other process. events, context: valid until close. offer: the network; NULL for the
     * best that can be joined. net: result. address: result, our address there. Returns PROA_OK,
     * PROA_ERR_OTHER if the network cannot be joined, or PROA_ERR_NO_MEM. */
    int (*open)(const struct proa_net_events *events, void *context, const struct proa_offer *offer,
                struct proa_net **net, struct proa_net_address *address);

    /* Leaves the network. Operations in flight get no `done` any more. No thread is, or will be,
     * inside this network. in_order: 1 if we owe no peer anything; peers that communicate with us
     * get that information. */
    void (*close)(struct proa_net *net, int in_order);

    /* Called by the progress engine at the end of the process: sends others the same information as
     * close, and does nothing else. May wait as long as close for messages in flight to leave. No
     * function is called after it. */
    void (*part)(struct proa_net *net, int in_order);

    /* Makes the process of that address known. For threads that create windows. The process may not
     * have called reach for us yet, and may be ourselves. peer: result, a small number, the same
     * for the same process. Returns PROA_OK, PROA_ERR_OTHER if there is no way to the process, or
     * PROA_ERR_NO_MEM. */
    int (*reach)(struct proa_net *net, const struct proa_net_address *address, uint32_t *peer);

    /* Checks that the network leads to that peer and back. For threads that create windows. Returns
     * PROA_OK if something has arrived from the peer; PROA_NET_AGAIN if not yet, after the peer was
     * asked for a sign of life; PROA_ERR_OTHER if the peer is lost. */
    int (*try)(struct proa_net *net, uint32_t peer);

    /* Exposes memory: others may put to it and get from it until hide. For threads that create
     * windows or attach memory. key: result. Returns PROA_OK, PROA_ERR_NO_MEM, or PROA_ERR_OTHER if
     * this memory cannot be exposed. */
    int (*expose)(struct proa_net *net, void *memory, size_t bytes, struct proa_net_key *key);

    /* Ends the exposure. The caller ensures that no operation on the memory is in flight. For
     * threads that free windows or detach memory. */
    void (*hide)(struct proa_net *net, const struct proa_net_key *key);

    /* Sends a message of up to PROA_NET_MESSAGE_MOST bytes, which are copied: the buffer is the
     * caller's again. For any thread inside Proa, for the progress engine, and for events. Returns
     * PROA_OK, PROA_NET_AGAIN, or PROA_ERR_OTHER if the peer is lost. */
    int (*send)(struct proa_net *net, uint32_t peer, const void *body, size_t bytes);

    /* Begins to put or get bytes. For the same threads as send. The transport owns the buffer at
     * `here` until `done` with this token. put: 0 for a get. Returns PROA_OK, PROA_NET_AGAIN, or
     * PROA_ERR_OTHER if the peer is lost; after an error there is no `done`. Whether the place is
     * exposed is checked at the target. If not, `done` fails, and the peer may be lost, as some
     * networks then end the connection. */
    int (*move)(struct proa_net *net, int put, const struct proa_net_place *there, void *here,
                size_t bytes, uint64_t token);

    /* Gives up a peer that sent a malformed message, with a line in the log that names it. For the
     * same threads as send. Nothing more arrives from the peer except, in a later progress, `lost`.
     * why: the reason. */
    void (*drop)(struct proa_net *net, uint32_t peer, const char *why);

    /* Called by a thread that waits for peers, whichever they are: silent peers get a ping within
     * half a second, for some seconds from now on. For the same threads as send. */
    void (*attend)(struct proa_net *net);

    /* Moves what can be moved, and reports events to core. For the progress engine, and for any
     * thread that waits in Proa. Called often, and cheap if there is nothing to do. Returns the
     * number of events, 0 if none; or a negative code if the network is gone. */
    int (*progress)(struct proa_net *net);

    /* Blocks until progress may find something on one of these networks, wake has been called for
     * one since the last doze, or the time is over. May return early. For the progress engine only,
     * which does not count as inside then: other threads may meanwhile call all other functions but
     * close. count: at most PROA_NETS_MOST. Returns nonzero if something has arrived, as far as is
     * known, even if only progress needs it. */
    int (*doze)(struct proa_net *const nets[], int count, long timeout_ns);

    /* Ends a doze on this network, or the next one before it begins. For any thread, at any time
     * between open and close. */
    void (*wake)(struct proa_net *net);
};

/* Returns the transport for a value of PROA_NET: "auto" for the first of the registry
 * (net/registry.c), or a transport's name. Returns NULL if no transport has that name, as for
 * "none". */
const struct proa_net_transport *proa_net_find(const char *choice);

/* The transport over libfabric, on any network that libfabric has. If Proa was built without
 * libfabric, or the machine lacks it, `offers` reports that. */
extern PROA_HIDDEN const struct proa_net_transport proa_net_ofi;

#endif
