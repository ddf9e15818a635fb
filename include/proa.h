/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proa's own additions for programs that want them. A program needs none of this to run on Proa;
 * link with -lproa-mpich, -lproa-openmpi or -lproa-abi, or look the functions up with dlsym to work
 * with and without Proa.
 */
#ifndef PROA_H
#define PROA_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0". Never NULL. */
const char *proa_version(void);

/* How many windows Proa, and not the host MPI, has served in this process so far. */
unsigned long proa_windows_served(void);

#ifdef __cplusplus
}
#endif

#endif
