/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Properties of a host MPI that the host's own calls do not return: one constant table for each
 * kind of host, in host/kind_NAME.c. Properties that a header of the host shows, such as the form
 * of its handles, are taken from the header there, and nowhere else.
 *
 * Names, titles and symbols, which are also known of hosts that Proa's library was not built for,
 * are in cmake/hosts.
 */
#ifndef PROA_HOST_KIND_H
#define PROA_HOST_KIND_H

#include "base/hidden.h"
#include "host/hosts.h"

#include <mpi.h>

/* A row of cmake/hosts. */
struct proa_host_row {
    const char *name;    /* for kinds */
    const char *library; /* Proa's library for this host */
    const char *title;   /* for messages */
    /* a part of the text of its MPI_Get_library_version; "" matches if no other row does */
    const char *version_says;
    const char *libraries; /* the first parts of its libraries' file names, separated by blanks */
    const char *symbol;    /* a function that no other MPI has */
};

/* The last has no name. */
extern PROA_HIDDEN const struct proa_host_row proa_host_rows[];

/* Info keys that pass variables to the processes of MPI_Comm_spawn, one a line: the key to use, and
 * another one that the program may use for it. */
struct proa_spawn_keys {
    const char *ours, *other;
};

/* The error handler of windows for which the program has set none. */
enum proa_unset_handler {
    PROA_UNSET_FATAL, /* MPI_ERRORS_ARE_FATAL */
    PROA_UNSET_WORLD, /* that of MPI_COMM_WORLD, with that communicator */
    /* that of MPI_COMM_SELF; if it is MPI_ERRORS_ARE_FATAL, that of MPI_COMM_WORLD */
    PROA_UNSET_SELF
};

/* MPI's numbers in the results of MPI_Type_get_contents for subarrays and darrays. */
struct proa_contents_numbers {
    int order_c, order_fortran;
    int distribute_block, distribute_cyclic, default_argument;
};

struct proa_host_kind {
    const char *name; /* as in its row */

    /* Returns a handle that the host never gives out, and that all its calls refuse as an invalid
     * window. Each number gives another handle, out of about 2^26, or MPI_WIN_NULL. NULL if the
     * host creates as many windows as there is memory for, so that no light handles are needed. */
    MPI_Win (*light_handle)(unsigned number);

    /* Returns whether a handle is one of light_handle's. Set if the host does not refuse such
     * handles, but crashes; else NULL. */
    int (*is_light)(MPI_Win handle);

    /* 1 if PMPI_Win_free cannot be in two threads at a time, except in delete functions of the
     * program. bind/ has to call proa_handle_pause around these. */
    int frees_in_turn;

    /* Returns whether a handler is MPI_ERRORS_ABORT (MPI-4.0). */
    int (*is_errors_abort)(MPI_Errhandler handler);

    /* Returns the handler in the version of the host with that text of MPI_Get_library_version.
     * NULL for PROA_UNSET_FATAL. */
    enum proa_unset_handler (*unset_handler)(const char *version);

    /* 1 if the host uses PMI-1 with its launcher, by the socket PMI_FD (job/pmi.c). */
    int speaks_pmi;

    /* The types of MPI-1 that mark the bounds of a struct; 0 if the host has none. */
    MPI_Datatype lower_bound, upper_bound;

    /* The numbers that the host may return instead of its header's; no order is in both. NULL if it
     * returns its header's. */
    const struct proa_contents_numbers *contents;

    /* Returns the keys in the version of the host with that text of MPI_Get_library_version. NULL
     * if no key does it. */
    struct proa_spawn_keys (*spawn_keys)(const char *version);
};

#define PROA_KIND(host) extern const struct proa_host_kind proa_kind_##host;
PROA_KNOWN_HOSTS(PROA_KIND) /* a library has the kinds that it was built for */
#undef PROA_KIND

/* Returns the kind in force: that of the MPI that the program runs on, or the library's first if
 * that MPI is none of the library's. Callable by any thread, at any time; but if a library has
 * several kinds, not before the program's MPI is loaded. */
const struct proa_host_kind *proa_host_kind(void);

/* Returns whether the MPI that the program runs on is of a kind of this library. Calls
 * PMPI_Get_library_version, which works at any time. */
int proa_host_is_here(void);

#endif
