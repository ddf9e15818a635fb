/* SPDX-License-Identifier: BSD-3-Clause */
/* The observer of traces (PROA_TRACE): writes a record of each call on a window, and of its waits,
 * when it is over (trace/recorder.h). */
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

/* Begins to record, if the setting says so. Before the first window, on a process that has
 * started. */
void proa_traced_start(void);

/* For a window that is being made; NULL: nothing is recorded, or there is no memory. The functions
 * below do nothing for NULL. */
struct proa_traced *proa_traced_new(void);
void proa_traced_drop(struct proa_traced *traced);

/* The number of the window in this process's trace; 0 for NULL. */
uint32_t proa_traced_number(const struct proa_traced *traced);

/* The window has come to be, by that call. Collective over comm if all record. */
void proa_traced_open(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                      MPI_Comm comm);

/* The window is about to be freed; all its processes are done with it. Collective if all record. */
void proa_traced_close(struct proa_traced *traced, const struct proa_win *win);

void proa_traced_name(struct proa_traced *traced, const char *name);

/* A call that no other observer is told of is over; value, place: of its record. */
void proa_traced_put(const struct proa_win *win, enum proa_call call, uint64_t value,
                     uint64_t place);

/* A call is over: as of proa_watched. */
void proa_traced_call(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                      int rank, int way, uint64_t bytes);

/* The same of an operation by plain load and store, and of a flush: they are what programs do most.
 */
void proa_traced_stored(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                        int rank, uint64_t bytes);
void proa_traced_flush(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                       int rank);

/* The call that the thread is in. */
struct proa_traced_now {
    const struct proa_win *win; /* NULL: in none */
    enum proa_call call;
    int rank;
    int is_shown; /* in the thread's slot (trace/format.h) */
};
extern PROA_HIDDEN _Thread_local struct proa_traced_now proa_traced_now PROA_INITIAL_EXEC;

/* A call begins. rank: of the target, or -1. */
static inline void proa_traced_enter(const struct proa_win *win, enum proa_call call, int rank)
{
    if (!proa_handle_of(win)->traced)
        return;
    proa_traced_now.win = win;
    proa_traced_now.call = call;
    proa_traced_now.rank = rank;
}

/* The thread waits within its call, and for a while already, which its slot tells; or it has
 * waited. word: as of proa_wait_watcher. */
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
