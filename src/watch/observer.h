/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between calls on watched windows and their observers (watch/watch.h). */
#ifndef PROA_WATCH_OBSERVER_H
#define PROA_WATCH_OBSERVER_H

#include "base/calls.h"
#include "proa.h"
#include "window/win.h"

#include <stdint.h>

/* The way of a call (enum proa_stats_way), or one of these: no operation was done, as the call
 * synchronizes or has failed, or the operation was told of already; the same, and its request goes
 * to the user for a later wait. */
enum { PROA_WATCHED_NO_WAY = PROA_STATS_WAYS, PROA_WATCHED_REQUEST };

/* A call on a watched window is over. rank: the target's, or -1; its epoch is the window's. way: as
 * above; bytes: of the operation. */
typedef void proa_observer(const struct proa_win *win, enum proa_call call, int rank, int way,
                           uint64_t bytes);

/* The way to a target's memory other than the fast path's. For a dynamic window, the region that
 * was found last decides. */
enum proa_stats_way proa_way_to(const struct proa_target *target);

#endif
