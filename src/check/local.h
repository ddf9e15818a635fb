/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's own loads and stores, with PROA_CHECK=memory. They touch memory of windows, or
 * buffers of pending operations (check/buffers.h). The tool that the program runs in records them
 * (translator/translator.h).
 *
 * The next call takes them, as no call ordered anything for this process in between. An access is
 * complete at once, at its own process. A load that may poll (check/polls.h) is not compared;
 * everything that its process may have learned by it counts as ordered.
 */
#ifndef PROA_CHECK_LOCAL_H
#define PROA_CHECK_LOCAL_H

#include "check/ordering.h"
#include "window/win.h"

/* Called before the first window: starts if the settings ask for it, or logs the reason why not. */
void proa_local_start(void);
int proa_local_is_on(void);

/* A window was created, or is about to be freed. ordering: its ordering, or NULL if accesses are
 * compared with operations of this process only. */
void proa_local_open(const struct proa_win *win, struct proa_ordering *ordering);
void proa_local_close(const struct proa_win *win);

/* Memory was attached to an open window, or is detached. */
void proa_local_attach(const struct proa_win *win, const void *base, uint64_t bytes);
void proa_local_detach(const struct proa_win *win, const void *base);

/* Takes the accesses since the last call. polls: true if programs poll with the call that starts.
 * The caller is not inside (order/inside.h). */
void proa_local_take(int polls);

/* Called at the end of a call that has not completed or ordered anything for this process yet.
 * Waits for the program's other threads for a while, and takes their accesses. An unordered access
 * of another thread is thus seen beside the call, independent of timing. caller: call site, or NULL
 * for a no-op. */
void proa_local_await_threads(const void *caller);

/* A call on a window returned. A call of the host that programs poll with counts as
 * MPI_Win_sync. */
void proa_local_called(enum proa_call call);

/* Called when MPI ends: logs the number of accesses that were lost, if any. */
void proa_local_tell(void);

#endif
