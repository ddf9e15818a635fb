/* SPDX-License-Identifier: BSD-3-Clause */
/* The observer of traces (PROA_TRACE): writes a record of each call on a window, and of its waits,
 * when the call returns (trace/recorder.h). */
#ifndef PROA_WATCH_TRACED_H
#define PROA_WATCH_TRACED_H

#include "base/calls.h"
#include "host/handle.h"
#include "trace/recorder.h"
#include "watch/record.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

struct proa_traced;

/* Starts recording, if the setting asks for it. Called before the first window, in an initialized
 * process. */
void proa_traced_start(void);

/* Returns the state of a new window. Returns NULL if nothing is recorded, or without memory. The
 * functions below are no-ops for NULL. */
struct proa_traced *proa_traced_new(void);
void proa_traced_drop(struct proa_traced *traced);

/* Returns the number of the window in this process's trace; 0 for NULL. */
uint32_t proa_traced_number(const struct proa_traced *traced);

/* The call created the window. Collective over comm if all processes record. */
void proa_traced_open(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                      MPI_Comm comm);

/* The window is about to be freed; none of its processes uses it any more. Collective if all
 * processes record. */
void proa_traced_close(struct proa_traced *traced, const struct proa_win *win);

void proa_traced_name(struct proa_traced *traced, const char *name);

/* A call that is not reported to other observers returned. value, place: fields of its record. */
void proa_traced_put(const struct proa_win *win, enum proa_call call, uint64_t value,
                     uint64_t place);

/* A call returned. Arguments as for proa_watched. */
void proa_traced_call(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                      int rank, int way, uint64_t bytes);

/* The same for an operation by plain load and store, and for a flush, the most frequent calls of
 * programs. */
void proa_traced_stored(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                        int rank, uint64_t bytes);
void proa_traced_flush(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                       int rank);

/* The current call of the thread. */
struct proa_traced_now {
    const struct proa_win *win; /* NULL for none */
    enum proa_call call;
    int rank;
    int is_shown; /* shown in the thread's slot (trace/format.h) */
};
extern PROA_HIDDEN _Thread_local struct proa_traced_now proa_traced_now PROA_INITIAL_EXEC;

/* A call starts. rank: target, or -1. */
static inline void proa_traced_enter(const struct proa_win *win, enum proa_call call, int rank)
{
    if (!proa_handle_of(win)->traced)
        return;
    proa_traced_now.win = win;
    proa_traced_now.call = call;
    proa_traced_now.rank = rank;
}

/* The thread has been waiting within its call for a while, which its slot shows, or the wait ended.
 * word: as for proa_wait_watcher. is_over: true at the end. */
void proa_traced_wait(const uint64_t *word, int is_over);

static inline __attribute__((always_inline)) void proa_traced_observe(const struct proa_win *win,
                                                                      enum proa_call call, int rank,
                                                                      int way, uint64_t bytes)
{
    struct proa_traced *traced = proa_handle_of(win)->traced;

    if (__builtin_expect(traced == NULL, 1))
        return;
    if (way == PROA_STATS_PLAIN)
        proa_traced_stored(traced, win, call, rank, bytes);
    else if (way == PROA_WATCHED_NO_WAY && proa_record_rows[call] == PROA_STATS_FLUSH)
        proa_traced_flush(traced, win, call, rank);
    else
        proa_traced_call(traced, win, call, rank, way, bytes);
}

#endif
