/* SPDX-License-Identifier: BSD-3-Clause */
/* The info keys of a window that must be equal in all its processes (MPI-4.1, 13.2.1 and
 * 13.2.7). */
#ifndef PROA_USAGE_CREATION_H
#define PROA_USAGE_CREATION_H

#include "base/calls.h"
#include "window/win.h"

/* Compares the values in force. call: call that set them last. caller: return address of the call,
 * or NULL if this process reports nothing. Collective over the window: all processes have check
 * mode. */
void proa_creation_compare(struct proa_win *win, enum proa_call call, const void *caller);

#endif
