/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executes the operations of a batch on this process's part of a window, by the same functions that
 * a neighbour process uses on the node, and writes the answer. Time and permission are up to
 * remote/serve.c. No byte of a batch is trusted. Inside the progress engine, and without waiting.
 */
#ifndef PROA_REMOTE_EXECUTE_H
#define PROA_REMOTE_EXECUTE_H

#include "remote/window.h"

/* A batch being executed, and its answer. */
struct proa_job {
    const struct proa_remote_process *origin;
    struct proa_wire_op op; /* the operation that is executed */
    const char *at;         /* the rest of the batch */
    size_t left;
    size_t used; /* of the answer */
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

/* Sends the answer to the batch of that number, with the failure, if there is one, which is then
 * reported. */
void proa_job_answer(struct proa_job *job, uint64_t number, struct proa_first_failure *failed);

/* Makes win->remote_window->served, the window as the progress engine sees it. PROA_OK or
 * PROA_ERR_NO_MEM; proa_served_close undoes it in any case. */
int proa_served_open(struct proa_win *win);
void proa_served_close(struct proa_win *win);

#endif
