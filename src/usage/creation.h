/* SPDX-License-Identifier: BSD-3-Clause */
/* The info keys of a window that all its processes must give alike (MPI-4.1, 13.2.1 and 13.2.7). */
#ifndef PROA_USAGE_CREATION_H
#define PROA_USAGE_CREATION_H

#include "base/calls.h"
#include "window/win.h"

/* Compares the values in force, which that call has set last; caller: its return address, or NULL:
 * this process tells nothing. Collective over the window: all processes have check mode. */
void proa_creation_compare(struct proa_win *win, enum proa_call call, const void *caller);

#endif
