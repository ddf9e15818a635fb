/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host MPI's own functions, found after Proa's by dlsym(RTLD_NEXT, "PMPI_...").
 *
 * The table, the look-up and the message about a missing symbol all come from two lists. CHAPTER
 * (base/calls.h) are the functions that Proa exports itself and passes on for windows that it does
 * not serve; HELPERS are the rest that Proa calls.
 */
#ifndef PROA_HOST_PMPI_H
#define PROA_HOST_PMPI_H

#include "base/atomic.h"
#include "base/calls.h"
#include "base/hidden.h"

#include <mpi.h>
#include <stddef.h>

/* A host that is older than MPI-4.0 has no large counts. */
#if MPI_VERSION >= 4
#define PROA_PMPI_CHAPTER(X) PROA_CALLS(X) PROA_CALLS_LARGE(X)
#define PROA_PMPI_VERSIONED(X) \
    X(Type_get_envelope_c)     \
    X(Type_get_contents_c)     \
    X(Type_get_extent_c)       \
    X(Info_get_string)
#else
#define PROA_PMPI_CHAPTER(X) PROA_CALLS(X)
#define PROA_PMPI_VERSIONED(X) \
    X(Type_get_envelope)       \
    X(Type_get_contents)       \
    X(Type_get_extent)         \
    X(Info_get)                \
    X(Info_get_valuelen)
#endif

#define PROA_PMPI_HELPERS(X) \
    PROA_PMPI_VERSIONED(X)   \
    X(Initialized)           \
    X(Finalized)             \
    X(Query_thread)          \
    X(Comm_size)             \
    X(Comm_rank)             \
    X(Comm_create_keyval)    \
    X(Comm_get_attr)         \
    X(Comm_set_attr)         \
    X(Comm_group)            \
    X(Comm_split)            \
    X(Comm_free)             \
    X(Comm_test_inter)       \
    X(Comm_set_errhandler)   \
    X(Comm_call_errhandler)  \
    X(Comm_get_errhandler)   \
    X(Group_size)            \
    X(Group_free)            \
    X(Group_translate_ranks) \
    X(Group_excl)            \
    X(Group_incl)            \
    X(Comm_create_group)     \
    X(Info_create)           \
    X(Info_set)              \
    X(Error_class)           \
    X(Error_string)          \
    X(Add_error_class)       \
    X(Add_error_string)      \
    X(Errhandler_free)       \
    X(Allgather)             \
    X(Allreduce)             \
    X(Bcast)                 \
    X(Iallgather)            \
    X(Iallreduce)            \
    X(Irecv)                 \
    X(Test)                  \
    X(Cancel)                \
    X(Wait)                  \
    X(Grequest_start)        \
    X(Grequest_complete)     \
    X(Status_set_elements)   \
    X(Status_set_cancelled)  \
    X(Type_size)             \
    X(Type_get_name)         \
    X(Type_create_keyval)    \
    X(Type_set_attr)         \
    X(Type_free)             \
    X(Send)                  \
    X(Isend)                 \
    X(Win_create_keyval)     \
    X(Win_create_errhandler) \
    X(Comm_spawn)            \
    X(Comm_spawn_multiple)   \
    X(Info_dup)              \
    X(Info_free)             \
    X(Get_library_version)   \
    X(Comm_get_parent)       \
    X(Comm_accept)           \
    X(Comm_connect)          \
    X(Comm_join)

/* The exit status of a process with another MPI than the one for which this library was built,
 * after a line that reports it. A shell returns the same status for a missing program. */
enum { PROA_EXIT_WRONG_MPI = 127 };

struct proa_pmpi {
#define PROA_PMPI_FIELD(name) __typeof__(&PMPI_##name) name;
    PROA_PMPI_CHAPTER(PROA_PMPI_FIELD)
    PROA_PMPI_HELPERS(PROA_PMPI_FIELD)
#undef PROA_PMPI_FIELD
};

/* Returns a function of the host, such as "PMPI_Put"; NULL if the host has none of that name, or is
 * not loaded yet. */
void *proa_pmpi_symbol(const char *name);

/* The same with the function's type, for a function that the header has. */
#define PROA_PMPI_FIND(name) ((__typeof__(&PMPI_##name))proa_pmpi_symbol("PMPI_" #name))

/* Fills the table, if it is not filled yet. Returns 1; or 0 if a symbol is missing, which does not
 * matter to a program that creates no windows. */
int proa_pmpi_look(void);

/* Returns the table, filled at the first call. A missing symbol ends the process with a line that
 * names it, as Proa cannot continue without the MPI. */
extern PROA_HIDDEN const struct proa_pmpi *proa_pmpi_filled; /* NULL until filled */
const struct proa_pmpi *proa_pmpi_fill(void);

static inline const struct proa_pmpi *proa_pmpi(void)
{
    /* partner: proa_pmpi_look */
    const struct proa_pmpi *table = proa_atomic_load(&proa_pmpi_filled, PROA_ACQUIRE);

    return __builtin_expect(table != NULL, 1) ? table : proa_pmpi_fill();
}

#endif
