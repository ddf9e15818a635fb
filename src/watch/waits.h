/* SPDX-License-Identifier: BSD-3-Clause */
/* The waits of calls. Each thread stores its own waits until the call returns, which reports to the
 * observers which rank each was for. */
#ifndef PROA_WATCH_WAITS_H
#define PROA_WATCH_WAITS_H

#include "base/hidden.h"
#include "window/win.h"

#include <stdint.h>

struct proa_watched_wait {
    const uint64_t *word; /* NULL for more than a count */
    long ns;
    uint64_t end; /* ticks (trace/recorder.h); 0 without a trace */
};

/* The waits of this thread that are not yet assigned to a call. */
struct proa_waits {
    int count, room;
    struct proa_watched_wait *wait;
};
extern PROA_HIDDEN _Thread_local struct proa_waits proa_waits PROA_INITIAL_EXEC;

/* Reasons for the slow path of counting. THREADS: several threads may call at once; never reset.
 * WAITED: some thread waited, and has not assigned the wait to a call yet. Usually 0. */
enum { PROA_RECORD_THREADS = 1, PROA_RECORD_WAITED = 2 };
extern PROA_HIDDEN unsigned proa_record_care;

/* Starts recording waits. Called before the first window; further calls are no-ops. */
void proa_waits_start(void);

/* Returns the rank that ended a wait, found by the awaited word; -1 if unknown. */
int proa_wait_rank(const struct proa_win *win, const uint64_t *word);

/* Discards the thread's waits: they belong to no watched call. */
void proa_waits_forget(void);

#endif
