/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets for origins on other nodes: locks and posts that batches need (remote/target.c), and
 * their operations (remote/execute.c).
 *
 * Everything here is inside the progress engine (progress/progress.h), on the thread that makes
 * progress, and does not wait. Locks are requested in steps (sync/lock.h). A batch that comes
 * before its lock is granted, or before our post for its epoch, is kept. At most one batch of each
 * origin is kept, as the origin sends no more until then. No byte of a batch is trusted.
 */
#ifndef PROA_REMOTE_TARGET_H
#define PROA_REMOTE_TARGET_H

#include "remote/batch.h"

/* Executes a batch that has come. Of one that makes no sense, the operations executed before that
 * stay done. */
proa_remote_handler proa_remote_target_batch;

/* Goes on with the batches that wait for locks; returns how many got theirs. *is_pending: some
 * still wait. */
int proa_remote_target_pending(int *is_pending);

/* We have posted to the origin `times` times by now: a batch that waited for that is executed. */
void proa_remote_target_posted(struct proa_remote *origin, uint64_t times);

/* The origin's process is gone, and will release no lock any more. */
void proa_remote_target_lost(struct proa_remote *origin);

/* Frees the state that is kept for an origin. */
void proa_remote_target_forget(struct proa_remote *origin);

/* ---- operations, by the functions that a neighbour process uses on the node ---- */

/* A batch being executed, and its answer. */
struct proa_job {
    const struct proa_remote_process *origin;
    struct proa_wire_op op; /* the operation that is executed */
    const char *at;         /* the rest of the batch */
    size_t left;
    size_t used;                      /* of the answer */
    int is_refused;                   /* the lock that the batch tried for */
    int has_other;                    /* an operation has failed that is not marked */
    uint32_t fetches;                 /* operations that fetch, so far */
    uint64_t marks[PROA_BATCH_MARKS]; /* of those that failed (remote/wire.h) */
    /* a part of a notified operation has failed: the next PROA_WIRE_COUNT counts nothing */
    uint8_t is_spoilt;
    char answer[PROA_NET_MESSAGE_MOST];
};

/* An outcome beside those of base/fail.h: it is no operation that an origin could have sent. */
enum { PROA_JOB_NONSENSE = 1 };

/* body, with its bytes: the batch behind its head. It stays valid for as long as the job. */
void proa_job_begin(struct proa_job *job, const struct proa_remote_process *origin,
                    const char *body, size_t bytes);

/* Executes the words before the first operation: they wait for no lock and no post. One of them may
 * be a post that this process waits for before it gives the lock or post that the rest waits for.
 * PROA_OK or PROA_JOB_NONSENSE. */
int proa_job_words(struct proa_job *job);

/* Executes the next operation; job->left is not 0. PROA_OK, PROA_JOB_NONSENSE or a negative code.
 */
int proa_job_step(struct proa_job *job);

/* Sends the answer to the batch of that number, with the failure, if there is one; job->has_other:
 * it is not only of operations of this batch that fetch. */
void proa_job_answer(struct proa_job *job, uint64_t number,
                     const struct proa_first_failure *failed);

/* Makes win->remote_window->served, the window as the progress engine sees it. PROA_OK or
 * PROA_ERR_NO_MEM; proa_served_close undoes it in any case. */
int proa_served_open(struct proa_win *win);
void proa_served_close(struct proa_win *win);

#endif
