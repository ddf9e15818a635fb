/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that core asks of a network: the contract of a transport.
 *
 * A transport is one constant table of functions, and that table is the one symbol it exports. It
 * moves messages, which are small and mean something to core alone, and bytes between memory that
 * processes have exposed. It knows no windows, no epochs and no MPI.
 *
 * Threads: at any time at most one thread of the process is inside a transport's functions; core
 * sees to that. It may be a different one each time: the progress engine, or a thread that waits in
 * Proa. So a transport needs no locks. `wake` is the exception, and `doze` the function it is for.
 * Blocking: none of the functions waits for another process, except doze, which says so. A call
 * that cannot be served now returns PROA_NET_AGAIN. Events (struct proa_net_events) come only from
 * within progress, on the thread that called it.
 *
 * Order, for one pair of processes:
 *   messages arrive once each, in the order in which they were sent;
 *   puts and gets are done in any order, among each other and towards messages, each of them piece
 *   by piece in any order as well;
 *   a put's `done` says that its bytes lie in the target's memory, and a process that is told by a
 *   message sent after that sees them.
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
    PROA_NETS_MOST = 16, /* that a process is on at once */
    PROA_NET_AGAIN = 1,  /* no room now, and nothing has been done: progress, then try again */
    /* Bytes of a message, 15 KiB and their heads: each costs its sender and its receiver a system
     * call or two; with what goes before it, it stays below the 16 KiB up to which libfabric sends
     * one at once. */
    PROA_NET_MESSAGE_MOST = (15 << 10) + 512,
    PROA_NET_ADDRESS_MOST = 96, /* bytes of an address */
    PROA_NET_KEY_MOST = 32      /* bytes of a key */
};

/* A network that this process is on; its content is the transport's affair. A process may be on
 * several of a transport: they share nothing but the thread that is inside. */
struct proa_net;

/* How others reach a process, and memory that it has exposed: bytes to be handed over at window
 * creation, without a meaning to core. Those that a transport does not need are 0. */
struct proa_net_address {
    unsigned char bytes[PROA_NET_ADDRESS_MOST];
};

struct proa_net_key {
    unsigned char bytes[PROA_NET_KEY_MOST];
};

/* Names of the offers of a process, for people, in the same order: "tcp on eth0". */
struct proa_offer_names {
    char text[PROA_OFFERS_MOST][PROA_OFFER_NAME];
};

/* Bytes of another process: address, as that process sees it, in memory that it has exposed under
 * this key. */
struct proa_net_place {
    uint32_t peer;
    uint64_t address;
    const struct proa_net_key *key;
};

/* How a peer is lost. */
enum proa_net_end {
    PROA_NET_GONE,    /* it fails, is silent, or sends nonsense */
    PROA_NET_LEFT,    /* it has closed in order, and all that it sent has come */
    PROA_NET_GAVE_UP, /* it takes this process for gone, and does not listen any more */
};

/* The events that core is told of, from within progress. None may block. They may call send,
 * move and drop, and no other function of the transport. */
struct proa_net_events {
    /* A message has come. body: valid during the call only. */
    void (*message)(void *context, uint32_t peer, const void *body, size_t bytes);
    /* A put or get is done, PROA_OK, or has failed, a negative code, and its buffer is the caller's
     * again. Once for each that was accepted. */
    void (*done)(void *context, uint64_t token, int outcome);
    /* Nothing will come from this peer any more, and what is sent to it is lost. After the `done`
     * of all that was under way to it. */
    void (*lost)(void *context, uint32_t peer, enum proa_net_end end);
};

struct proa_net_transport {
    const char *name; /* for the log and PROA_NET */

    /* Which networks there are, the best first, and a text for people of each. `error` is set as
     * well, where the code is negative: PROA_ERR_OTHER, there is none here. By one thread at a
     * time. May take long, but waits for no other process. */
    int (*offers)(struct proa_offers *offers, struct proa_offer_names *names);

    /* Joins that network; NULL: the best that can be joined. *net, and how others reach us there;
     * PROA_ERR_OTHER: it cannot be joined; PROA_ERR_NO_MEM. events and context: valid until close.
     * By one thread at a time, that creates a window. May take long, but waits for no other
     * process. */
    int (*open)(const struct proa_net_events *events, void *context, const struct proa_offer *offer,
                struct proa_net **net, struct proa_net_address *address);

    /* Leaves it. Operations in flight have no `done` any more. in_order: we owe no peer anything,
     * and peers that talk to us are told that. No thread is inside this network, or comes, then. */
    void (*close)(struct proa_net *net, int in_order);

    /* The process is at its end: tells others the same as close, and does nothing else. May wait as
     * long as close for messages in flight to leave. Nothing is called after it. By the progress
     * engine. */
    void (*part)(struct proa_net *net, int in_order);

    /* From now on the process of that address is *peer: a small number, the same for the same
     * process. It may be one that has not called reach for us yet, and it may be ourselves.
     * PROA_ERR_OTHER: there is no way to it; PROA_ERR_NO_MEM. By threads that create windows. */
    int (*reach)(struct proa_net *net, const struct proa_net_address *address, uint32_t *peer);

    /* Does the network lead to that peer, and back? PROA_OK: something has come from it by now;
     * PROA_NET_AGAIN: not yet, it has been asked; PROA_ERR_OTHER: it is lost. By threads that
     * create windows. */
    int (*try)(struct proa_net *net, uint32_t peer);

    /* Others may put to and get from this memory by *key, until hide. PROA_ERR_NO_MEM;
     * PROA_ERR_OTHER: not this memory. By threads that create windows or attach memory. */
    int (*expose)(struct proa_net *net, void *memory, size_t bytes, struct proa_net_key *key);

    /* No more. The caller knows that nothing is under way to it. By threads that free windows or
     * detach memory. */
    void (*hide)(struct proa_net *net, const struct proa_net_key *key);

    /* Sends a message of up to PROA_NET_MESSAGE_MOST bytes, which are copied: the buffer is the
     * caller's again. PROA_NET_AGAIN; PROA_ERR_OTHER: the peer is lost. By any thread that is
     * inside Proa, by the progress engine, and by events. */
    int (*send)(struct proa_net *net, uint32_t peer, const void *body, size_t bytes);

    /* Begins to put bytes there (put: not 0), or to get them. The buffer at `here` is the
     * transport's until `done` comes with this token. PROA_NET_AGAIN; PROA_ERR_OTHER: the peer is
     * lost. Then there is no `done`. Whether the place is exposed is found out at the target: that
     * is a failed `done`, and may be the loss of the peer, as some networks then end the
     * connection. By the same threads as send. */
    int (*move)(struct proa_net *net, int put, const struct proa_net_place *there, void *here,
                size_t bytes, uint64_t token);

    /* A message from this peer makes no sense, and `why` gives the reason: the peer is given up,
     * with a line that names it. Nothing more comes from it but, from a later progress, `lost`. By
     * the same threads as send. */
    void (*drop)(struct proa_net *net, uint32_t peer, const char *why);

    /* A thread waits for peers, whichever: those that are silent are asked within half a second,
     * for some seconds from now on. By the same threads as send. */
    void (*attend)(struct proa_net *net);

    /* Moves what can be moved, and tells core of it. How many events there were; 0: nothing has
     * happened; or a negative code: the network is gone. By the progress engine, and by any thread
     * that waits in Proa, often; costs little where there is nothing. */
    int (*progress)(struct proa_net *net);

    /* Blocks until progress may find something on one of these networks, wake has been called for
     * one since the last doze, or the time is over. May return early. Not 0: something has come, as
     * far as is known, be it for progress alone. count: PROA_NETS_MOST at the most. By the progress
     * engine only, which is not counted as being inside then: other threads may call all other
     * functions meanwhile, but close. */
    int (*doze)(struct proa_net *const nets[], int count, long timeout_ns);

    /* Ends a doze at this network, or the next one before it begins. By any thread, at any time
     * between open and close. */
    void (*wake)(struct proa_net *net);
};

/* The transport for a value of PROA_NET: "auto", the first of the registry (net/registry.c); or a
 * transport's name. NULL: there is none of that name, as for "none". */
const struct proa_net_transport *proa_net_find(const char *choice);

/* The transport over libfabric, on any network that libfabric has. Where Proa was built without it,
 * or it is not on the machine, `offers` says so. */
extern PROA_HIDDEN const struct proa_net_transport proa_net_ofi;

#endif
