/* SPDX-License-Identifier: BSD-3-Clause */
/* The open epochs of each process on each window. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

const char *const proa_epoch_names[PROA_MODEL_EPOCH_KINDS] = {"fence", "access", "exposure", "lock",
                                                              "lock_all"};

static struct proa_open *open_new(struct proa_run *run, enum proa_epoch_kind kind,
                                  const struct proa_model_event *event)
{
    struct proa_open *open = proa_need(NULL, sizeof *open);

    *open = (struct proa_open){.epoch = {.id = ++run->epochs,
                                         .kind = kind,
                                         .process = event->process,
                                         .window = event->window,
                                         .rank = kind == PROA_MODEL_LOCK ? event->rank : -1,
                                         .mode = event->mode,
                                         .begin_ns = event->begin_ns,
                                         .opened_ns = event->end_ns,
                                         .waited_ns = proa_waited(event, -1),
                                         .place = event->place,
                                         .end_place = -1}};
    return open;
}

static void open_free(struct proa_open *open)
{
    if (!open)
        return;
    free((int32_t *)(uintptr_t)open->epoch.group);
    free(open->accesses);
    free(open);
}

static void give(struct proa_run *run, const struct proa_open *open)
{
    if (run->sink->epoch)
        run->sink->epoch(run->sink->user, &open->epoch);
}

/* The last call of the epoch: passes it to the sink, and sets *open to NULL. */
static void close_by(struct proa_run *run, struct proa_open **open,
                     const struct proa_model_event *event)
{
    struct proa_model_epoch *epoch = &(*open)->epoch;

    epoch->closing_ns = event->begin_ns;
    epoch->end_ns = event->end_ns;
    epoch->end_place = event->place;
    epoch->waited_ns += proa_waited(event, -1);
    give(run, *open);
    open_free(*open);
    *open = NULL;
}

/* A fence without an operation after it opened no epoch (MPI-4.1, 13.5.1). */
static void forget_fence(struct proa_side *side)
{
    if (side->fence && side->fence->epoch.operations == 0) {
        open_free(side->fence);
        side->fence = NULL;
    }
}

static void set_group(struct proa_open *open, const int32_t *ranks, int count)
{
    int32_t *copy = proa_need(NULL, (size_t)count * sizeof *copy);

    if (count)
        memcpy(copy, ranks, (size_t)count * sizeof *copy);
    open->epoch.group = copy;
    open->epoch.group_count = count;
}

/* ---- opening ---- */

static void keep_group(int32_t **ranks, int *count, int32_t *group, int group_count)
{
    if (!group)
        return;
    free(*ranks);
    *ranks = group;
    *count = group_count;
}

static void show_group(struct proa_model_event *event, const int32_t *ranks, int count)
{
    event->group = ranks;
    event->group_count = count;
}

static void start(struct proa_run *run, struct proa_side *side, struct proa_model_event *event)
{
    const size_t bytes = (size_t)side->started_count * sizeof *side->access->accesses;

    forget_fence(side);
    open_free(side->access);
    side->access = open_new(run, PROA_MODEL_ACCESS, event);
    set_group(side->access, side->started, side->started_count);
    side->access->accesses = proa_need(NULL, bytes);
    memset(side->access->accesses, 0, bytes);
}

static void post(struct proa_run *run, struct proa_side *side, struct proa_model_event *event)
{
    forget_fence(side);
    open_free(side->exposure);
    side->exposure = open_new(run, PROA_MODEL_EXPOSURE, event);
    set_group(side->exposure, side->posted, side->posted_count);
}

static void lock(struct proa_run *run, struct proa_side *side, struct proa_model_event *event)
{
    struct proa_open *open = open_new(run, PROA_MODEL_LOCK, event);

    forget_fence(side);
    DL_APPEND(side->locks, open);
    proa_locks_lock(run, event);
}

static struct proa_open *lock_on(const struct proa_side *side, int rank)
{
    struct proa_open *open;

    DL_FOREACH(side->locks, open)
        if (open->epoch.rank == rank)
            return open;
    return NULL;
}

/* ---- operations ---- */

static void access_first(struct proa_open *access, const struct proa_model_event *event)
{
    for (int i = 0; i < access->epoch.group_count; i++) {
        struct proa_access *first = &access->accesses[i];

        if (access->epoch.group[i] != event->rank)
            continue;
        first->waited_ns += proa_waited(event, event->rank);
        if (first->end.event == 0)
            first->end = (struct proa_model_end){event->process, event->thread, event->end_ns,
                                                 event->id,      event->place,  event->call};
        return;
    }
}

static int is_started(const struct proa_open *access, int rank)
{
    for (int i = 0; access && i < access->epoch.group_count; i++)
        if (access->epoch.group[i] == rank)
            return 1;
    return 0;
}

/* Returns the narrowest epoch that allows the operation. */
static struct proa_open *epoch_of(const struct proa_side *side, int rank)
{
    struct proa_open *open = lock_on(side, rank);

    if (!open && is_started(side->access, rank))
        open = side->access;
    if (!open)
        open = side->lock_all;
    return open ? open : side->fence;
}

static void operation(struct proa_side *side, struct proa_model_event *event)
{
    struct proa_open *open = epoch_of(side, event->rank);

    if (!open)
        return;
    event->epoch = open->epoch.id;
    event->epoch_kind = open->epoch.kind;
    open->epoch.operations++;
    open->epoch.bytes += event->bytes;
    open->epoch.waited_ns += proa_waited(event, -1);
    if (open == side->access)
        access_first(open, event);
}

void proa_epochs_before(struct proa_run *run, struct proa_model_event *event, enum proa_role role,
                        int32_t *group, int group_count)
{
    struct proa_side *side;

    if (event->window < 0) {
        free(group);
        return;
    }
    side = proa_run_side(run, event->process, event->window);
    if (role == PROA_ROLE_START) {
        keep_group(&side->started, &side->started_count, group, group_count);
        show_group(event, side->started, side->started_count);
    } else if (role == PROA_ROLE_POST) {
        keep_group(&side->posted, &side->posted_count, group, group_count);
        show_group(event, side->posted, side->posted_count);
    } else {
        free(group);
    }
    if (event->kind == PROA_EVENT_OPERATION)
        operation(side, event);
}

/* ---- closing ---- */

static void fence(struct proa_run *run, struct proa_side *side,
                  const struct proa_model_event *event)
{
    if (side->fence)
        close_by(run, &side->fence, event);
    if (!(event->mode & PROA_TRACE_NOSUCCEED))
        side->fence = open_new(run, PROA_MODEL_FENCE, event);
    proa_arrows_fence(run, event);
}

static void unlock(struct proa_run *run, struct proa_side *side,
                   const struct proa_model_event *event)
{
    struct proa_open *open = lock_on(side, event->rank);

    if (!open)
        return;
    proa_locks_unlock(run, event);
    DL_DELETE(side->locks, open);
    close_by(run, &open, event);
}

static void complete(struct proa_run *run, struct proa_side *side,
                     const struct proa_model_event *event)
{
    if (!side->access)
        return;
    proa_arrows_complete(run, side->access, event);
    close_by(run, &side->access, event);
}

static void wait(struct proa_run *run, struct proa_side *side, const struct proa_model_event *event)
{
    if (!side->exposure)
        return;
    proa_arrows_wait(run, side->exposure, event);
    close_by(run, &side->exposure, event);
}

static void delivery(struct proa_run *run, const struct proa_model_event *event)
{
    if (event->kind == PROA_EVENT_APPLIED) {
        proa_deliveries_applied(run, event);
        proa_locks_applied(run, event);
    }
    if (event->kind != PROA_EVENT_OPERATION)
        return;
    if (event->part)
        proa_deliveries_sent(run, event);
    if (event->counter >= 0)
        proa_deliveries_notified(run, event);
}

void proa_epochs_after(struct proa_run *run, const struct proa_model_event *event,
                       enum proa_role role)
{
    struct proa_side *side;

    if (event->window < 0 || event->mode & PROA_TRACE_FAILED || event->is_open)
        return;
    side = proa_run_side(run, event->process, event->window);
    switch (role) {
    case PROA_ROLE_FENCE:
        fence(run, side, event);
        break;
    case PROA_ROLE_START:
        start(run, side, (struct proa_model_event *)(uintptr_t)event);
        break;
    case PROA_ROLE_COMPLETE:
        complete(run, side, event);
        break;
    case PROA_ROLE_POST:
        post(run, side, (struct proa_model_event *)(uintptr_t)event);
        proa_arrows_post(run, event, side->posted, side->posted_count);
        break;
    case PROA_ROLE_WAIT:
        wait(run, side, event);
        break;
    case PROA_ROLE_LOCK:
        lock(run, side, (struct proa_model_event *)(uintptr_t)event);
        break;
    case PROA_ROLE_UNLOCK:
        unlock(run, side, event);
        break;
    case PROA_ROLE_LOCK_ALL:
        forget_fence(side);
        open_free(side->lock_all);
        side->lock_all = open_new(run, PROA_MODEL_LOCK_ALL, event);
        break;
    case PROA_ROLE_UNLOCK_ALL:
        if (side->lock_all)
            close_by(run, &side->lock_all, event);
        break;
    case PROA_ROLE_FLUSH:
        proa_locks_flush(run, event);
        break;
    case PROA_ROLE_NOTIFY_WAIT:
        proa_deliveries_wait(run, event, 0);
        break;
    case PROA_ROLE_NOTIFY_RESET:
        proa_deliveries_wait(run, event, 1);
        break;
    case PROA_ROLE_NOTIFY_RENUMBER:
        proa_deliveries_renumber(run, event);
        proa_arrows_fence(run, event);
        break;
    case PROA_ROLE_FREE:
        forget_fence(side);
        if (side->fence)
            close_by(run, &side->fence, event);
        break;
    case PROA_ROLE_OTHER:
        delivery(run, event);
    }
}

/* ---- end of the trace ---- */

static void give_open(struct proa_run *run, struct proa_open *open)
{
    if (!open)
        return;
    open->epoch.is_open = 1;
    open->epoch.end_ns = open->epoch.closing_ns = run->model->end_ns;
    give(run, open);
    open_free(open);
}

static void side_end(struct proa_run *run, struct proa_side *side)
{
    struct proa_open *open, *next;

    forget_fence(side);
    give_open(run, side->fence);
    give_open(run, side->access);
    give_open(run, side->exposure);
    give_open(run, side->lock_all);
    DL_FOREACH_SAFE(side->locks, open, next)
        give_open(run, open);
    free(side->started);
    free(side->posted);
    free(side);
}

void proa_epochs_end(struct proa_run *run)
{
    const struct proa_model *model = run->model;

    for (int i = 0; i < model->process_count * model->window_count; i++)
        if (run->sides[i])
            side_end(run, run->sides[i]);
}
