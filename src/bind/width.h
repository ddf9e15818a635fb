/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of two widths: those with counts of int, and those with MPI_Count, whose names end in _c
 * (MPI-4). Each is written once, in a file X_calls.h, which X.c includes for either width: there
 * PROA_WIDE(Put) is Put, or Put_c, and PROA_COUNT the type. So this may be included again.
 */
#undef PROA_WIDE
#undef PROA_COUNT
#undef PROA_STEP
#ifdef PROA_LARGE
#define PROA_WIDE(name) name##_c
#define PROA_COUNT MPI_Count
#define PROA_STEP MPI_Aint /* of displacement units */
#else
#define PROA_WIDE(name) name
#define PROA_COUNT int
#define PROA_STEP int
#endif

/* Of a name that is a macro: the number of the call, for errors and the log; the function that the
 * library exports; its other names. */
#ifndef PROA_CALL_NAMED
#define PROA_CALL_NAMED(name) PROA_CALL_NAMED_OF(name)
#define PROA_CALL_NAMED_OF(name) PROA_CALL_##name
#define PROA_PMPI_NAMED(name) PROA_PMPI_NAMED_OF(name)
#define PROA_PMPI_NAMED_OF(name) PMPI_##name
#define PROA_ALIAS_NAMED(name) PROA_ALIAS(name)
#endif
