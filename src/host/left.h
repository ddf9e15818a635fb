/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows that the host serves instead of Proa, counted for statistics, traces and check mode,
 * which have nothing to say of them. */
#ifndef PROA_HOST_LEFT_H
#define PROA_HOST_LEFT_H

/* A window is about to be left to the host, for this reason. */
void proa_left_because(const char *why);

/* The host has made a window. */
void proa_left_count(void);

/* In MPI_Finalize, on rank 0 of MPI_COMM_WORLD, if the user has asked for statistics, a trace or
 * checks: a line if Proa served no window of this rank, with the number of those that the host
 * served, and the reason for the last. */
void proa_left_tell(void);

#endif
