/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The info keys of the chapter (MPI-4.1, 13.2): the keys that Proa knows, those that a window was
 * given, and the values in force.
 */
#ifndef PROA_HOST_HINTS_H
#define PROA_HOST_HINTS_H

#include <mpi.h>
#include <stddef.h>

/* Reads the key's value. info: may be MPI_INFO_NULL. room: size of text, bytes. Returns 1; or 0 if
 * the key is missing, or its value does not fit (then Proa does not know the value). */
int proa_info_text(MPI_Info info, const char *key, char *text, int room);

/* Returns mpi_minimum_memory_alignment if it is a power of two; 0 if not requested. */
size_t proa_info_alignment(MPI_Info info);

/* X(field, key, value if the user sets none, may MPI_Win_set_info change it) */
#define PROA_HINTS(X)                                               \
    X(no_locks, "no_locks", "false", 1)                             \
    X(ordering, "accumulate_ordering", "rar,raw,war,waw", 1)        \
    X(ops, "accumulate_ops", "same_op_no_op", 1)                    \
    X(granularity, "mpi_accumulate_granularity", "0", 0)            \
    X(same_size, "same_size", "false", 1)                           \
    X(same_unit, "same_disp_unit", "false", 1)                      \
    X(noncontig, "alloc_shared_noncontig", "false", 0)              \
    X(alignment, "mpi_minimum_memory_alignment", "64", 0)           \
    X(adopt, "proa_adopt", "auto", 0)                               \
    X(max_notify, "mpi_assert_max_num_notify", "0", 0)              \
    X(same_notify, "mpi_assert_same_num_notifications", "false", 1) \
    X(kinds, "mpi_memory_alloc_kinds", "system,mpi", 0)             \
    X(asserted_kinds, "mpi_assert_memory_alloc_kinds", "", 0)

enum { PROA_HINT_ROOM = 64 };

struct proa_hints {
#define PROA_HINT_FIELD(field, key, fallback, changes) char field[PROA_HINT_ROOM];
    PROA_HINTS(PROA_HINT_FIELD)
#undef PROA_HINT_FIELD
    int ops_given; /* the user has set accumulate_ops, even to the default */
};

/* Reads the hints from info at creation. info: may be MPI_INFO_NULL. Missing keys and invalid
 * values get their defaults. */
void proa_hints_read(MPI_Info info, struct proa_hints *hints);

/* For MPI_Win_set_info: takes over the keys that may change. */
void proa_hints_change(MPI_Info info, struct proa_hints *hints);

/* Creates an info with the values in force; keys without a value are left out. Returns an MPI error
 * class. */
int proa_hints_info(const struct proa_hints *hints, MPI_Info *info);

/* Returns the most notification counters that a rank may have: INT_MAX, unless less is asserted. */
int proa_hints_notify_most(const struct proa_hints *hints);

/* Returns whether memory that the program brings to this window is adopted: an enum proa_adopt
 * (adopt/adopt.h), by the window's info and the setting PROA_ADOPT. */
int proa_hints_adopt(const struct proa_hints *hints);

#endif
