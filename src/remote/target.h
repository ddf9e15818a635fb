/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets for origins on other nodes: locks and posts that batches need (remote/target.c), and
 * their operations (remote/execute.c).
 *
 * Everything here is inside the progress engine (progress/progress.h), on the thread that makes
 * progress, and does not wait. Locks are requested in steps (sync/lock.h). A batch that arrives
 * before its lock is granted, or before our post for its epoch, is kept. At most one batch of each
 * origin is kept, as the origin sends no more until then. No byte of a batch is trusted.
 */
#ifndef PROA_REMOTE_TARGET_H
#define PROA_REMOTE_TARGET_H

#include "remote/batch.h"

/* Executes a batch that has arrived. If the batch is malformed, operations executed before the
 * fault stay done. */
proa_remote_handler proa_remote_target_batch;

/* Continues the batches that wait for locks. is_pending: result, whether some still wait. Returns
 * how many got their lock. */
int proa_remote_target_pending(int *is_pending);

/* Executes a batch that waited until we had posted to the origin `times` times. */
void proa_remote_target_posted(struct proa_remote *origin, uint64_t times);

/* Called when the origin's process is gone: it releases no lock any more. */
void proa_remote_target_lost(struct proa_remote *origin);

/* Frees the state that is kept for an origin. */
void proa_remote_target_forget(struct proa_remote *origin);

/* ---- operations, by the functions that a neighbour process uses on the node ---- */

/* A batch being executed, and its answer. */
struct proa_job {
    const struct proa_remote_process *origin;
    struct proa_wire_op op; /* the operation being executed */
    const char *at;         /* the rest of the batch */
    size_t left;
    size_t used;                      /* of the answer, bytes */
    int is_refused;                   /* the lock that the batch tried for was refused */
    int has_other;                    /* an operation that is not marked has failed */
    uint32_t fetches;                 /* operations that fetch, so far */
    uint64_t marks[PROA_BATCH_MARKS]; /* of the fetches that failed (remote/wire.h) */
    /* a part of a notified operation has failed: the next PROA_WIRE_COUNT counts nothing */
    uint8_t is_spoilt;
    char answer[PROA_NET_MESSAGE_MOST];
};

/* An outcome besides those of base/fail.h: no origin could have sent this operation. */
enum { PROA_JOB_NONSENSE = 1 };

/* Begins the job. body, bytes: the batch after its head, which stays valid until the job ends. */
void proa_job_begin(struct proa_job *job, const struct proa_remote_process *origin,
                    const char *body, size_t bytes);

/* Executes the words before the first operation, which wait for no lock and no post. One of them
 * may be a post that this process waits for before it grants the lock or post that the rest waits
 * for. Returns PROA_OK or PROA_JOB_NONSENSE. */
int proa_job_words(struct proa_job *job);

/* Executes the next operation. job->left must not be 0. Returns PROA_OK, PROA_JOB_NONSENSE or a
 * negative code. */
int proa_job_step(struct proa_job *job);

/* Sends the answer to the batch of that number, with the failure, if there is one. job->has_other
 * is set if the failure concerns more than this batch's operations that fetch. */
void proa_job_answer(struct proa_job *job, uint64_t number,
                     const struct proa_first_failure *failed);

/* Creates win->remote_window->served, the window as the progress engine sees it. Returns PROA_OK or
 * PROA_ERR_NO_MEM; proa_served_close undoes it in either case. */
int proa_served_open(struct proa_win *win);
void proa_served_close(struct proa_win *win);

#endif
