/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows that the host serves instead of Proa, counted for statistics, traces and check mode,
 * which do not cover them. */
#ifndef PROA_HOST_LEFT_H
#define PROA_HOST_LEFT_H

/* Called before a window is left to the host. why: the reason. */
void proa_left_because(const char *why);

/* Called when the host has created a window. */
void proa_left_count(void);

/* Called in MPI_Finalize, on rank 0 of MPI_COMM_WORLD, if the user has requested statistics, a
 * trace or checks. If Proa served no window of this rank, logs a line with the number of those that
 * the host served, and the reason for the last. */
void proa_left_tell(void);

#endif
