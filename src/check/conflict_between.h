/* SPDX-License-Identifier: BSD-3-Clause */
/* The finding that operations of different processes on the memory of this one conflict. */
#ifndef PROA_CHECK_CONFLICT_BETWEEN_H
#define PROA_CHECK_CONFLICT_BETWEEN_H

#include "order/accesses.h"
#include "window/win.h"

#include <stdint.h>

/* The window with that number (of struct proa_access) is there from now on, or no longer. */
void proa_conflict_between_open(uint64_t number, const struct proa_win *win);
void proa_conflict_between_close(uint64_t number);

/* Tells of two accesses that were handed over. */
void proa_conflict_between_tell(const struct proa_access *first, const struct proa_access *second);

#endif
