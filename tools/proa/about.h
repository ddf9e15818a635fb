/* SPDX-License-Identifier: BSD-3-Clause */
/* The hosts and networks found here. For `proa info` and `proa doctor`. */
#ifndef PROA_TOOL_ABOUT_H
#define PROA_TOOL_ABOUT_H

#include "host.h"

/* NULL where there is none. */
struct proa_host_about {
    const char *library;  /* Proa's for it */
    const char *mpi;      /* the host's own, as Proa's library would get it here */
    const char *version;  /* what that says of itself, its first line */
    const char *launcher; /* */
};

/* The host's library is loaded in a process of its own, to be asked for its version. */
struct proa_host_about proa_about_host(const struct proa_host *host);

/* Is there anything of it? */
bool proa_about_any(const struct proa_host_about *about);

struct proa_network_about {
    const char *library;   /* "libfabric 1.17", or NULL: Proa was built without, or there is none */
    const char *why;       /* why there is no network to use; NULL: there is one */
    const char *providers; /* of libfabric's that would do, with blanks between; "" */
    const char *taken;     /* "tcp on eth0": the one that Proa would take; NULL */
    bool forbidden;        /* there would be one, but for PROA_NET=none */
};

/* libfabric is asked in a process of its own. */
struct proa_network_about proa_about_network(void);

#endif
