/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window of three ranks in one process: the two others are on other nodes, and there only as
 * peers of a network that brings what a fuzzer gives it.
 *
 * The network delivers on the program's thread alone, so that the same input does the same. With
 * nothing left to deliver it loses both peers, so that every wait ends.
 */
#ifndef PROA_FUZZ_FAR_H
#define PROA_FUZZ_FAR_H

#include "window/win.h"

#define MUST(condition)   \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

enum { FAR_OURS, FAR_EVIL, FAR_QUIET, FAR_RANKS };

enum { FAR_BYTES = 512 }; /* of the window */

/* The next message: its bytes, how many, and the rank that sends it. 0: there is no further one. */
typedef int far_next(const struct proa_win *win, char *whole, size_t *bytes, int *sender);

/* Opens such a window, whose network brings what `next` says; starts core first, once. The memory
 * of all flavors but PROA_FLAVOR_ALLOCATE is of just that size for sanitizers, and has a margin. */
struct proa_win *far_open(enum proa_flavor flavor, far_next *next);

/* Where its memory is, if that is not Proa's. */
char *far_memory(void);

/* Moves the network once. */
void far_drive(void);

/* How many batches of a rank were delivered; has it been lost? */
uint64_t far_batches(int rank);
int far_is_lost(int rank);

/* Nothing may have been written outside of the window. */
void far_close(struct proa_win *win);

#endif
