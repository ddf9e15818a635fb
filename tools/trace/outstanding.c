/* SPDX-License-Identifier: BSD-3-Clause */
/* See outstanding.h. */
#include "outstanding.h"

#include "run.h"

#include <stdlib.h>
#include <string.h>

struct proa_outstanding {
    const struct proa_model *model;
    int64_t *sums;     /* by process */
    int64_t **targets; /* by process and window: by target; NULL if there never were any */
};

struct proa_outstanding *proa_outstanding_new(const struct proa_model *model)
{
    const size_t processes = (size_t)model->process_count;
    const size_t pairs = processes * (size_t)model->window_count;
    struct proa_outstanding *outstanding = proa_need(NULL, sizeof *outstanding);

    outstanding->model = model;
    outstanding->sums =
        memset(proa_need(NULL, processes * sizeof(int64_t)), 0, processes * sizeof(int64_t));
    outstanding->targets =
        memset(proa_need(NULL, pairs * sizeof(int64_t *)), 0, pairs * sizeof(int64_t *));
    return outstanding;
}

void proa_outstanding_free(struct proa_outstanding *outstanding)
{
    const struct proa_model *model = outstanding->model;

    for (int i = 0; i < model->process_count * model->window_count; i++)
        free(outstanding->targets[i]);
    free(outstanding->targets);
    free(outstanding->sums);
    free(outstanding);
}

static int issue(struct proa_outstanding *outstanding, int64_t **targets, int size,
                 const struct proa_model_event *event)
{
    const size_t bytes = (size_t)size * sizeof **targets;

    if (event->way != PROA_MODEL_NETWORK || event->bytes == 0 || event->rank < 0 ||
        event->rank >= size)
        return 0;
    if (!*targets)
        *targets = memset(proa_need(NULL, bytes), 0, bytes);
    (*targets)[event->rank] += (int64_t)event->bytes;
    outstanding->sums[event->process] += (int64_t)event->bytes;
    return 1;
}

int proa_outstanding_completes(const char *call)
{
    switch (proa_role_of(call)) {
    case PROA_ROLE_FENCE:
    case PROA_ROLE_COMPLETE:
    case PROA_ROLE_UNLOCK:
    case PROA_ROLE_UNLOCK_ALL:
    case PROA_ROLE_FLUSH:
    case PROA_ROLE_FREE:
        return 1;
    default:
        return 0;
    }
}

static int complete(struct proa_outstanding *outstanding, int64_t *targets, int size,
                    const struct proa_model_event *event)
{
    const int first = event->rank >= 0 ? event->rank : 0;
    const int last = event->rank >= 0 ? event->rank : size - 1;
    int64_t done = 0;

    if (!targets || !proa_outstanding_completes(event->call))
        return 0;
    for (int rank = first; rank <= last && rank < size; rank++) {
        done += targets[rank];
        targets[rank] = 0;
    }
    outstanding->sums[event->process] -= done;
    return done != 0;
}

int proa_outstanding_follow(struct proa_outstanding *outstanding,
                            const struct proa_model_event *event, int64_t *bytes)
{
    const struct proa_model *model = outstanding->model;
    int64_t **targets;
    int size, changed = 0;

    if (event->window < 0)
        return 0;
    size = model->windows[event->window].size;
    targets = &outstanding->targets[event->process * model->window_count + event->window];
    if (event->kind == PROA_EVENT_OPERATION)
        changed = issue(outstanding, targets, size, event);
    else if (event->kind == PROA_EVENT_CALL)
        changed = complete(outstanding, *targets, size, event);
    *bytes = outstanding->sums[event->process];
    return changed;
}
