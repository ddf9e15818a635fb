/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which memory of windows is protected, with PROA_CHECK_MEMORY, so that loads and stores of the
 * program to it trap (traps/view.h); the rest of it is guarded by watchpoints (check/local.h).
 */
#ifndef PROA_CHECK_PROTECT_H
#define PROA_CHECK_PROTECT_H

#include "window/win.h"

#include <stdint.h>

/* The memory of a window that has come to be, or goes. */
void proa_protect_window(struct proa_win *win);
void proa_unprotect_window(const struct proa_win *win);

/* Memory that was attached to a dynamic window, until proa_local_detach. base: where the program
 * has it. */
void proa_protect_region(struct proa_win *win, const void *base, uint64_t bytes);

#endif
