/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface for the library of instruments, libproa-instruments-HOST.so. That library exports
 * the host's messages, collectives and files (instruments/host_calls.h), and reports each call
 * here. Programs without check mode do not load it, so their calls go directly to the host.
 *
 * In the link map that library precedes this one. Proa finds the host's functions for its own calls
 * after its own library (host/pmpi.h), so they are never observed.
 */
#ifndef PROA_WATCH_OBSERVE_H
#define PROA_WATCH_OBSERVE_H

#include "check/messages.h"
#include "watch/host_buffers.h"
#include "watch/host_waits.h"

/* A call of the host, from start to end. */
struct proa_host_seen {
    struct proa_host_call call; /* filled in by the caller; `caller`: return address */
    struct proa_message message;
    struct proa_host_wait wait;
    int is_begun_only; /* the host uses its buffers after the call */
};

struct proa_observe {
    /* Returns true if check mode observes the host's calls. Called in MPI_Init or later. */
    int (*sees_host_calls)(void);
    /* Returns a function of the host that the caller's own search did not find, or NULL. */
    void *(*find)(const char *name);
    /* Returns the buffers of a function. name: its name. */
    struct proa_host_buffers (*buffers_of)(const char *name);
    /* Called before and after the call. error: result of the call. */
    void (*begin)(struct proa_host_seen *seen, struct proa_host_buffers buffers);
    void (*end)(const struct proa_host_seen *seen, struct proa_host_buffers buffers, int error);
};

/* The only function of the engine that the library of instruments calls. build: PROA_BUILD
 * (check/begin.h) of that library. Returns NULL if it is from another build or for another host; it
 * then observes nothing. */
__attribute__((visibility("default"))) const struct proa_observe *proa_observe(const char *build);

#endif
