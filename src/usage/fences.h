/* SPDX-License-Identifier: BSD-3-Clause */
/* The fences of a window and their assertions. All processes must give the same assertions
 * (MPI-4.1, 13.5.5). They are compared when the window is freed. */
#ifndef PROA_USAGE_FENCES_H
#define PROA_USAGE_FENCES_H

#include "window/win.h"

#include <stdint.h>

/* Fences after this number are not compared. */
enum { PROA_FENCES_MOST = 4096 };

struct proa_fence {
    const void *caller;
    uint32_t hash; /* hash of the assertions up to this fence */
};

struct proa_fences {
    struct proa_fence *fence;
    uint32_t count, room;
};

/* Records a fence. assert: assertions, in MPI's bits. */
void proa_fences_note(struct proa_fences *fences, int assert, const void *caller);

/* Compares the fences with those of the other processes, and reports the first difference.
 * Collective over the window: all processes have check mode. */
void proa_fences_compare(const struct proa_fences *fences, struct proa_win *win);

/* Returns true if all processes of the window pass the same value. Collective as above. */
int proa_fences_agree(struct proa_win *win, uint32_t value);

#endif
