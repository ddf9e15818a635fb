/* SPDX-License-Identifier: BSD-3-Clause */
/* See target.h. */
#include "remote/target.h"
#include "base/fail.h"
#include "base/system.h"
#include "progress/progress.h"
#include "sync/peer_failure.h"
#include "sync/lock.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* The event for which a batch is kept. */
enum kept { NOT_KEPT, FOR_LOCK, FOR_POST };

/* An origin's request, and the lock granted to it. */
struct proa_serving {
    struct proa_remote *origin;
    struct proa_lock_request request;
    enum proa_lock_kind kind;
    uint8_t holds;   /* the origin reports that it holds other locks */
    uint8_t held;    /* the origin holds the lock */
    uint8_t is_kept; /* enum kept, of the batch below */
    uint64_t number; /* of its last batch */
    struct proa_wire_head head;
    char *kept;
    size_t kept_bytes;
    uint8_t is_spoilt;                /* see struct proa_job */
    struct proa_first_failure failed; /* since the last answer */
    uint8_t has_other;                /* like that of struct proa_job, since then */
    struct proa_serving *prev, *next; /* in the list of origins that wait for locks */
};

static struct proa_serving *pending;
static int has_refused; /* a try for a lock was refused since the last check of the neighbours */

static struct proa_serving *serving_of(struct proa_remote *origin)
{
    if (!origin->serving) {
        origin->serving = calloc(1, sizeof *origin->serving);
        if (origin->serving)
            origin->serving->origin = origin;
    }
    return origin->serving;
}

/* ---- locks ---- */

static enum proa_claim claim_of(const struct proa_serving *s)
{
    return s->kind == PROA_LOCK_EXCLUSIVE ? PROA_CLAIM_EXCLUSIVE : PROA_CLAIM_SHARED;
}

static struct proa_lock_request request_of(const struct proa_serving *s)
{
    struct proa_win *win = s->origin->process->win;

    return (struct proa_lock_request){.requester = &proa_lock_requester_origin,
                                      .win = win,
                                      .target = win->rank,
                                      .all = &win->leader->all,
                                      .lock = &win->ctl->lock,
                                      .holds = s->holds};
}

static int lock_take(struct proa_serving *s)
{
    struct proa_win *win = s->origin->process->win;

    proa_claim_served(win, claim_of(s), 1);
    if (proa_lock_try(&win->leader->all, win->ctl, s->kind == PROA_LOCK_EXCLUSIVE))
        return 1;
    proa_claim_served(win, claim_of(s), -1);
    s->request = request_of(s);
    proa_lock_request_begin(&s->request, s->kind);
    return 0;
}

static int lock_try(const struct proa_serving *s)
{
    struct proa_lock_request request = request_of(s);

    return proa_lock_try_ahead(&request, PROA_LOCK_SHARED);
}

static int lock_get_on(struct proa_serving *s)
{
    (void)proa_lock_leave_broken(&s->request);
    while (s->request.stage != PROA_LOCK_GRANTED && proa_lock_look(&s->request))
        proa_lock_go_on(&s->request);
    return s->request.stage == PROA_LOCK_GRANTED;
}

static void lock_give_back(struct proa_serving *s)
{
    if (s->held) {
        proa_claim_served(s->origin->process->win, claim_of(s), -1);
        proa_lock_give_back(&s->origin->process->win->ctl->lock, s->kind == PROA_LOCK_EXCLUSIVE);
    }
    s->held = 0;
}

/* ---- batches ---- */

static const char no_operation[] = "contains an unknown operation code";

/* Sends the answer with the failure, and clears the failure. */
static void answer(struct proa_serving *s, struct proa_job *job, uint64_t number)
{
    job->has_other = s->has_other;
    proa_job_answer(job, number, &s->failed);
    s->failed.code = PROA_OK;
    s->has_other = 0;
}

static void serve(struct proa_serving *s, struct proa_job *job, const struct proa_wire_head *head)
{
    job->is_spoilt = s->is_spoilt;
    while (job->left > 0) {
        int error = proa_job_step(job);

        if (error == PROA_JOB_NONSENSE) {
            proa_progress_drop(job->origin->peer, no_operation);
            return;
        }
        proa_failure_keep(&s->failed, error, proa_failure());
    }
    s->is_spoilt = job->is_spoilt;
    if (head->flags & PROA_WIRE_UNLOCK)
        lock_give_back(s);
    s->has_other |= (uint8_t)job->has_other;
    if (head->flags & PROA_WIRE_ANSWERED)
        answer(s, job, head->number);
}

static void serve_kept(struct proa_serving *s)
{
    struct proa_job job;

    proa_job_begin(&job, s->origin->process, s->kept, s->kept_bytes);
    s->is_kept = NOT_KEPT;
    serve(s, &job, &s->head);
    free(s->kept);
    s->kept = NULL;
}

/* Without memory, the operations that wait for a lock fail. But MPI_Win_wait waits for the end of
 * the epoch, which is in the batch. So a batch that waits for a post cannot be left out. */
static void keep(struct proa_serving *s, const struct proa_job *job,
                 const struct proa_wire_head *head, enum kept why)
{
    s->kept = malloc(job->left ? job->left : 1);
    s->kept_bytes = s->kept ? job->left : 0;
    if (s->kept)
        memcpy(s->kept, job->at, job->left);
    else if (why == FOR_LOCK)
        proa_failure_keep(&s->failed, PROA_ERR_NO_MEM,
                          "out of memory for a batch that waits for a lock");
    else
        proa_progress_drop(job->origin->peer, "cannot be served: out of memory");
    s->head = *head;
    s->is_kept = (uint8_t)why;
    if (why == FOR_LOCK)
        DL_APPEND(pending, s);
}

/* Each access epoch of the origin ends with a word from it. So its current epoch is the next one.
 */
static int is_posted(const struct proa_remote *origin)
{
    return origin->posted > origin->told.completed;
}

void proa_remote_target_posted(struct proa_remote *origin, uint64_t times)
{
    struct proa_serving *s = origin->serving;

    origin->posted = times;
    if (s && s->is_kept == FOR_POST && is_posted(origin))
        serve_kept(s);
}

/* Returns NULL, or the error of a batch with that head. */
static const char *out_of_place(const struct proa_serving *s, const struct proa_wire_head *head,
                                unsigned locks)
{
    /* the origin would wait for us forever, and a lock that it took would never be released */
    if (proa_remote_is_lost(s->origin))
        return "comes after its sender was reported lost";
    if (head->number != s->number + 1)
        return "is out of sequence";
    if (s->is_kept)
        return "comes before the lock or post for which its sender has to wait";
    if (locks && (s->held || locks & (locks - 1) || head->flags & PROA_WIRE_POSTED))
        return "requests two locks";
    return NULL;
}

void proa_remote_target_batch(struct proa_remote *origin, const struct proa_wire_head *head,
                              const char *body, size_t bytes)
{
    struct proa_serving *s = serving_of(origin);
    unsigned locks =
        head->flags & (PROA_WIRE_LOCK_SHARED | PROA_WIRE_LOCK_EXCLUSIVE | PROA_WIRE_LOCK_TRIED);
    const char *why = s ? out_of_place(s, head, locks) : "cannot be served: out of memory";
    struct proa_job job;

    proa_job_begin(&job, origin->process, body, bytes);
    if (!why && proa_job_words(&job) == PROA_JOB_NONSENSE)
        why = no_operation;
    if (why) {
        proa_progress_drop(origin->process->peer, why);
        return;
    }
    s->number = head->number;
    origin->is_hasty = (head->flags & PROA_WIRE_WAITS) != 0;
    if (locks) {
        s->kind = locks & PROA_WIRE_LOCK_EXCLUSIVE ? PROA_LOCK_EXCLUSIVE : PROA_LOCK_SHARED;
        s->holds = (head->flags & PROA_WIRE_HOLDS) != 0;
        s->held = (uint8_t)(locks & PROA_WIRE_LOCK_TRIED ? lock_try(s) : lock_take(s));
        job.is_refused = !s->held;
        has_refused |= job.is_refused;
        if (!s->held && !(locks & PROA_WIRE_LOCK_TRIED)) {
            keep(s, &job, head, FOR_LOCK);
            return;
        }
    }
    if (head->flags & PROA_WIRE_POSTED && !is_posted(origin))
        keep(s, &job, head, FOR_POST);
    else
        serve(s, &job, head);
}

/* Checks for dead neighbour processes: one of them may have the lock that an origin waits for, or
 * tries for again and again. */
static void look_at_neighbours(void)
{
    enum { LOOK_NS = 200000000 };
    static long due_ns; /* 0 if no origin waits */
    const int waits = pending || has_refused;
    const long now_ns = waits ? proa_system->now_ns() : 0;
    struct proa_remote_window *window;

    if (waits && now_ns < due_ns)
        return;
    if (due_ns) {
        DL_FOREACH(proa_remote_windows, window)
            proa_failed_look(window->win);
        has_refused = 0;
    }
    due_ns = waits ? now_ns + LOOK_NS : 0;
}

int proa_remote_target_pending(int *is_pending)
{
    struct proa_serving *s, *next;
    int got = 0;

    look_at_neighbours();
    DL_FOREACH_SAFE(pending, s, next)
        if (lock_get_on(s)) {
            DL_DELETE(pending, s);
            s->held = 1;
            serve_kept(s);
            got++;
        }
    *is_pending = pending != NULL;
    return got;
}

void proa_remote_target_forget(struct proa_remote *origin)
{
    struct proa_serving *s = origin->serving;

    if (!s)
        return;
    if (s->is_kept == FOR_LOCK)
        DL_DELETE(pending, s);
    free(s->kept);
    free(s);
    origin->serving = NULL;
}

/* A lock that the origin holds would keep others out forever. A lock that it waits for is released
 * once granted: a place in the queue cannot be left (sync/lock.h). */
void proa_remote_target_lost(struct proa_remote *origin)
{
    struct proa_serving *s = origin->serving;

    if (!s)
        return;
    if (s->is_kept == FOR_LOCK) {
        s->head.flags |= PROA_WIRE_UNLOCK;
        s->kept_bytes = 0;
        return;
    }
    lock_give_back(s); /* a faulty origin may hold it while a batch waits for a post */
    s->is_kept = NOT_KEPT;
    free(s->kept);
    s->kept = NULL;
}
