/* SPDX-License-Identifier: BSD-3-Clause */
/* The waits of calls: each thread keeps its own until the call is over, which tells the observers
 * whom they were for. */
#ifndef PROA_WATCH_WAITS_H
#define PROA_WATCH_WAITS_H

#include "base/hidden.h"
#include "window/win.h"

#include <stdint.h>

struct proa_watched_wait {
    const uint64_t *word; /* NULL: more than a count */
    long ns;
    uint64_t end; /* ticks (trace/recorder.h); 0 without a trace */
};

/* The waits of this thread that are not yet assigned to a call. */
struct proa_waits {
    int count, room;
    struct proa_watched_wait *wait;
};
extern PROA_HIDDEN _Thread_local struct proa_waits proa_waits PROA_INITIAL_EXEC;

/* Why counting takes more than to add: several threads may call at once, which never changes back;
 * or some thread has waited, and has not yet told for which call. Usually 0. */
enum { PROA_RECORD_THREADS = 1, PROA_RECORD_WAITED = 2 };
extern PROA_HIDDEN unsigned proa_record_care;

/* Begins to keep waits. Before the first window; more often than once does no harm. */
void proa_waits_start(void);

/* The rank that ended a wait, found by the word that was waited for; -1: not known. */
int proa_wait_rank(const struct proa_win *win, const uint64_t *word);

/* Forgets the thread's waits: they belong to no watched call. */
void proa_waits_forget(void);

#endif
