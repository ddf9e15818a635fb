/* SPDX-License-Identifier: BSD-3-Clause */
/* The hosts and networks found on this machine, for `proa info` and `proa doctor`. */
#ifndef PROA_TOOL_ABOUT_H
#define PROA_TOOL_ABOUT_H

#include "host.h"

/* A field is NULL if it was not found. */
struct proa_host_about {
    const char *library;  /* Proa's library for the host */
    const char *mpi;      /* the host's own library, as Proa's library would load it here */
    const char *version;  /* the version that it returns, first line */
    const char *launcher; /* */
};

/* Examines a host. Its library is loaded in a child process to obtain its version. */
struct proa_host_about proa_about_host(const struct proa_host *host);

/* Returns true if any field was found. */
bool proa_about_any(const struct proa_host_about *about);

struct proa_network_about {
    const char *library; /* "libfabric 1.17"; NULL if Proa was built without it, or it is absent */
    const char *why;     /* reason why no network is usable; NULL if one is */
    const char *providers; /* suitable providers of libfabric, separated by blanks; "" */
    const char *taken;     /* "tcp on eth0": the one that Proa would select; or NULL */
    bool forbidden;        /* a network exists, but PROA_NET=none disables it */
};

/* Examines the networks. libfabric is called in a child process. */
struct proa_network_about proa_about_network(void);

#endif
