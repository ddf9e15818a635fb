/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of two widths: those with counts of int, and those with MPI_Count, whose names end in _c
 * (MPI-4). Each is written once, in a file X_calls.h, which X.c includes for either width. There
 * PROA_WIDE(Put) is Put or Put_c, and PROA_COUNT is the type. So this file may be included
 * repeatedly.
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

/* The number of the call of that name in that width, for errors and the log. */
#ifndef PROA_CALL_WIDE
#define PROA_CALL_WIDE(name) PROA_JOINED(PROA_CALL_, PROA_WIDE(name))
#define PROA_JOINED(first, second) PROA_JOINED_OF(first, second)
#define PROA_JOINED_OF(first, second) first##second
#endif
