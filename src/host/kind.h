/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The properties of a host MPI that the host's own calls do not tell: one constant table for each
 * kind of host, in host/kind_NAME.c. Properties that a header of the host tells, such as the form
 * of its handles, are taken from it there, and nowhere else.
 *
 * Names, titles and symbols, which are known of hosts that Proa's library was not built for as
 * well, stand in cmake/hosts.
 */
#ifndef PROA_HOST_KIND_H
#define PROA_HOST_KIND_H

#include "base/hidden.h"
#include "host/hosts.h"

#include <mpi.h>

/* A row of cmake/hosts. */
struct proa_host_row {
    const char *name;    /* in kinds */
    const char *library; /* the one of Proa's libraries for it */
    const char *title;   /* in messages */
    /* a part of the text of its MPI_Get_library_version; "": this host, if no other row's is
     * found */
    const char *version_says;
    const char *libraries; /* the first parts of its libraries' file names, with blanks between */
    const char *symbol;    /* a function that no other MPI has */
};

/* The last has no name. */
extern PROA_HIDDEN const struct proa_host_row proa_host_rows[];

/* Info keys that hand variables on to the processes of MPI_Comm_spawn, one a line: the key to use,
 * and another one that the program may use for it. */
struct proa_spawn_keys {
    const char *ours, *other;
};

/* The error handler of windows for which the program has set none. */
enum proa_unset_handler {
    PROA_UNSET_FATAL, /* MPI_ERRORS_ARE_FATAL */
    PROA_UNSET_WORLD, /* that of MPI_COMM_WORLD, with that communicator */
    /* the same of MPI_COMM_SELF; while that is MPI_ERRORS_ARE_FATAL, of MPI_COMM_WORLD */
    PROA_UNSET_SELF
};

/* The numbers of MPI's in what MPI_Type_get_contents tells of subarrays and darrays. */
struct proa_contents_numbers {
    int order_c, order_fortran;
    int distribute_block, distribute_cyclic, default_argument;
};

struct proa_host_kind {
    const char *name; /* of its row */

    /* A handle that the host never gives out, and that all its calls refuse as no window. Each
     * number gives another one, of about 2^26, or MPI_WIN_NULL. NULL: it makes as many windows as
     * there is memory for, so that there are no light handles. */
    MPI_Win (*light_handle)(unsigned number);

    /* Is it a handle that light_handle gives? Set if the host does not refuse such handles, but
     * crashes; else NULL. */
    int (*is_light)(MPI_Win handle);

    /* Its PMPI_Win_free cannot be in two threads at a time, other than in delete functions of the
     * program's; around these bind/ has to call proa_handle_pause. */
    int frees_in_turn;

    /* Is it MPI_ERRORS_ABORT (MPI-4.0)? */
    int (*is_errors_abort)(MPI_Errhandler handler);

    /* In the host's version that calls itself so (MPI_Get_library_version). NULL:
     * PROA_UNSET_FATAL. */
    enum proa_unset_handler (*unset_handler)(const char *version);

    /* It speaks PMI-1 to its launcher, by the socket PMI_FD (job/pmi.c). */
    int speaks_pmi;

    /* The types of MPI-1 that mark the bounds of a struct; 0 where it has none. */
    MPI_Datatype lower_bound, upper_bound;

    /* The numbers that it may tell in place of its header's; no order is in both. NULL: it tells
     * its header's. */
    const struct proa_contents_numbers *contents;

    /* The keys in the host's version that calls itself so (MPI_Get_library_version). NULL: no key
     * does it. */
    struct proa_spawn_keys (*spawn_keys)(const char *version);
};

#define PROA_KIND(host) extern const struct proa_host_kind proa_kind_##host;
PROA_KNOWN_HOSTS(PROA_KIND) /* a library has those that it was built for */
#undef PROA_KIND

/* The kind in force: that of the MPI that the program runs on, or the library's first where it is
 * none of the library's. Any thread, at any time; but where a library has several, not before the
 * program's MPI is loaded. */
const struct proa_host_kind *proa_host_kind(void);

/* Is the MPI that the program runs on of a kind of this library's? Asks PMPI_Get_library_version,
 * which works at any time. */
int proa_host_is_here(void);

#endif
