/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door for the library of instruments, libproa-instruments-HOST.so: it exports the host's
 * messages, collectives and files (instruments/host_calls.h), and tells of each call here. Programs
 * without check mode do not load it, so their calls go to the host directly.
 *
 * The loader has that library in front of this one. So the host's functions that Proa calls by
 * itself, which it finds behind its own library (host/pmpi.h), are never observed.
 */
#ifndef PROA_WATCH_OBSERVE_H
#define PROA_WATCH_OBSERVE_H

#include "check/messages.h"
#include "watch/host_buffers.h"
#include "watch/host_waits.h"

/* A call of the host's, from its beginning to its end. */
struct proa_host_seen {
    struct proa_host_call call; /* filled by the caller; `caller`: the return address */
    struct proa_message message;
    struct proa_host_wait wait;
    int is_begun_only; /* the host uses its buffers after the call */
};

struct proa_observe {
    /* Does check mode see the host's calls? Asked in MPI_Init or later. */
    int (*sees_host_calls)(void);
    /* A function of the host's that the caller's own search did not find. NULL: it has none. */
    void *(*find)(const char *name);
    /* Of a function, by its name. */
    struct proa_host_buffers (*buffers_of)(const char *name);
    /* Before the call, and after it. error: what it has returned. */
    void (*begin)(struct proa_host_seen *seen, struct proa_host_buffers buffers);
    void (*end)(const struct proa_host_seen *seen, struct proa_host_buffers buffers, int error);
};

/* The only function of the engine that the other library calls. build: PROA_BUILD (check/begin.h)
 * of that library. NULL: it comes from another build, or for another host, and observes nothing. */
__attribute__((visibility("default"))) const struct proa_observe *proa_observe(const char *build);

#endif
