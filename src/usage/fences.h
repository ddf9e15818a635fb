/* SPDX-License-Identifier: BSD-3-Clause */
/* The fences of a window, with their assertions: all processes must give the same ones
 * (MPI-4.1, 13.5.5). Compared when the window is freed. */
#ifndef PROA_USAGE_FENCES_H
#define PROA_USAGE_FENCES_H

#include "window/win.h"

#include <stdint.h>

/* Later fences are not compared. */
enum { PROA_FENCES_MOST = 4096 };

struct proa_fence {
    const void *caller;
    uint32_t hash; /* of the assertions up to this fence */
};

struct proa_fences {
    struct proa_fence *fence;
    uint32_t count, room;
};

/* A fence; assert: MPI's bits. */
void proa_fences_note(struct proa_fences *fences, int assert, const void *caller);

/* Compares them with those of the other processes, and tells of the first that differs. Collective
 * over the window: all processes have check mode. */
void proa_fences_compare(const struct proa_fences *fences, struct proa_win *win);

/* Do all processes of the window bring the same value? Collective, as above. */
int proa_fences_agree(struct proa_win *win, uint32_t value);

#endif
