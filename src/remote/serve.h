/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets for origins on other nodes: locks and posts that batches need before they are executed
 * (remote/execute.h).
 *
 * Everything here is inside the progress engine (remote/progress.h), on the thread that makes
 * progress, and does not wait. Locks are requested in steps (sync/lock.h). A batch that comes
 * before its lock is granted, or before our post for its epoch, is kept. At most one batch of each
 * origin is kept, as the origin sends no more until then.
 */
#ifndef PROA_REMOTE_SERVE_H
#define PROA_REMOTE_SERVE_H

#include "remote/window.h"

/* Executes a batch that has come. Of one that makes no sense, the operations executed before that
 * stay done. */
proa_remote_handler proa_serve_batch;

/* Goes on with the batches that wait for locks; returns how many got theirs. *is_pending: some
 * still wait. */
int proa_serve_pending(int *is_pending);

/* We have posted to the origin `times` times by now: a batch that waited for that is executed. */
void proa_serve_posted(struct proa_remote *origin, uint64_t times);

/* The origin's process is gone, and will release no lock any more. */
void proa_serve_lost(struct proa_remote *origin);

/* Frees the state that is kept for an origin. */
void proa_serve_forget(struct proa_remote *origin);

#endif
