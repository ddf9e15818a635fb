/* SPDX-License-Identifier: BSD-3-Clause */
/* See otf2.h. */
#include "otf2.h"

#include "archive.h"
#include "lanes.h"
#include "outstanding.h"
#include "place.h"
#include "progress.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 512 };

/* Locations of a process, in addition to its threads. */
enum kind { EXPOSURE, APPLIED, KINDS };

struct process {
    int *threads;      /* locations; -1 until created */
    int *lanes[KINDS]; /* as threads */
    int known[KINDS];
    struct proa_lanes taken[KINDS];
};

/* State of one process on one window. */
struct side {
    OTF2_GroupRef started, posted;
    uint64_t *matching; /* by target: matching number of pending operations; 0 for none */
};

struct otf2 {
    struct proa_model *model;
    struct proa_archive archive;
    struct process *processes;
    struct side *sides; /* by process, then window */
    uint64_t matchings;
    OTF2_AttributeList *attributes;
};

/* ---- locations ---- */

static struct proa_location *thread_of(struct otf2 *otf2, int process, int thread)
{
    int *location = &otf2->processes[process].threads[thread];
    char name[NAME_BYTES] = "progress thread";

    if (*location < 0) {
        if (otf2->model->reader.files[process].streams[thread].has_calls)
            snprintf(name, sizeof name, "calls of thread %d", thread);
        *location = proa_archive_location(&otf2->archive, process, name);
    }
    return &otf2->archive.locations[*location];
}

static struct proa_location *lane_of(struct otf2 *otf2, int process, enum kind kind,
                                     int64_t begin_ns, int64_t end_ns)
{
    static const char *const names[KINDS] = {"exposure epochs", "applied operations"};
    struct process *of = &otf2->processes[process];
    const int lane = proa_lane_take(&of->taken[kind], begin_ns, end_ns);

    if (lane == of->known[kind]) {
        of->known[kind]++;
        of->lanes[kind] =
            proa_need(of->lanes[kind], (size_t)of->known[kind] * sizeof *of->lanes[kind]);
        of->lanes[kind][lane] = proa_archive_location(&otf2->archive, process, names[kind]);
    }
    return &otf2->archive.locations[of->lanes[kind][lane]];
}

/* ---- regions ---- */

static void enter(struct otf2 *otf2, struct proa_location *location, int64_t ns, const char *name,
                  int place)
{
    if (place >= 0)
        OTF2_AttributeList_AddStringRef(
            otf2->attributes, PROA_ATTRIBUTE_AT,
            proa_archive_string(&otf2->archive, proa_place_text(otf2->model->places, place)));
    OTF2_EvtWriter_Enter(location->writer, otf2->attributes, proa_archive_time(location, ns),
                         proa_archive_region(&otf2->archive, name));
    OTF2_AttributeList_RemoveAllAttributes(otf2->attributes);
}

static void leave(struct otf2 *otf2, struct proa_location *location, int64_t ns, const char *name)
{
    OTF2_EvtWriter_Leave(location->writer, NULL, proa_archive_time(location, ns),
                         proa_archive_region(&otf2->archive, name));
}

static void put_waits(struct otf2 *otf2, struct proa_location *location,
                      const struct proa_model_event *event)
{
    for (int i = 0; i < event->wait_count; i++) {
        char name[NAME_BYTES] = "wait";

        if (event->waits[i].rank >= 0)
            snprintf(name, sizeof name, "wait for rank %d", event->waits[i].rank);
        enter(otf2, location, event->waits[i].begin_ns, name, -1);
        leave(otf2, location, event->waits[i].end_ns, name);
    }
}

/* ---- operations ---- */

static struct side *side_of(struct otf2 *otf2, const struct proa_model_event *event)
{
    return &otf2->sides[event->process * otf2->model->window_count + event->window];
}

static uint64_t *matching_of(struct otf2 *otf2, const struct proa_model_event *event)
{
    struct side *side = side_of(otf2, event);
    const size_t bytes = (size_t)otf2->model->windows[event->window].size * sizeof *side->matching;

    if (!side->matching)
        side->matching = memset(proa_need(NULL, bytes), 0, bytes);
    return &side->matching[event->rank];
}

static int has(const struct proa_model_event *event, const char *part)
{
    return strcasestr(event->call, part) != NULL;
}

static void put_operation(struct proa_location *location, const struct proa_model_event *event,
                          uint64_t matching)
{
    const OTF2_TimeStamp time = proa_archive_time(location, event->begin_ns);
    const OTF2_RmaWinRef win = (OTF2_RmaWinRef)event->window;
    const uint32_t rank = (uint32_t)event->rank;
    const int fetches = has(event, "fetch") || has(event, "get_acc") || has(event, "compare");

    if (has(event, "put"))
        OTF2_EvtWriter_RmaPut(location->writer, NULL, time, win, rank, event->bytes, matching);
    else if (has(event, "acc") || fetches)
        OTF2_EvtWriter_RmaAtomic(location->writer, NULL, time, win, rank,
                                 has(event, "compare") ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP
                                 : fetches             ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE
                                                       : OTF2_RMA_ATOMIC_TYPE_ACCUMULATE,
                                 event->bytes, fetches ? event->bytes : 0, matching);
    else
        OTF2_EvtWriter_RmaGet(location->writer, NULL, time, win, rank, event->bytes, matching);
}

/* A network operation is complete after a flush, or the end of the epoch. */
static void take_operation(struct otf2 *otf2, const struct proa_model_event *event)
{
    struct proa_location *location = thread_of(otf2, event->process, event->thread);
    const int is_remote = event->way == PROA_MODEL_NETWORK;
    uint64_t *matching = matching_of(otf2, event);

    enter(otf2, location, event->begin_ns, event->call, event->place);
    if (!is_remote || *matching == 0)
        *matching = ++otf2->matchings;
    put_operation(location, event, *matching);
    put_waits(otf2, location, event);
    if (!is_remote) {
        OTF2_EvtWriter_RmaOpCompleteBlocking(location->writer, NULL,
                                             proa_archive_time(location, event->end_ns),
                                             (OTF2_RmaWinRef)event->window, *matching);
        *matching = 0;
    }
    leave(otf2, location, event->end_ns, event->call);
}

/* ---- synchronization ---- */

static void put_complete(struct otf2 *otf2, struct proa_location *location,
                         const struct proa_model_event *event)
{
    const int size = otf2->model->windows[event->window].size;
    uint64_t *matching = side_of(otf2, event)->matching;

    if (!matching || !proa_outstanding_completes(event->call))
        return;
    for (int rank = 0; rank < size; rank++) {
        if (matching[rank] == 0 || (event->rank >= 0 && event->rank != rank))
            continue;
        OTF2_EvtWriter_RmaOpCompleteNonBlocking(location->writer, NULL,
                                                proa_archive_time(location, event->end_ns),
                                                (OTF2_RmaWinRef)event->window, matching[rank]);
        matching[rank] = 0;
    }
}

static OTF2_LockType lock_type(const struct proa_model_event *event)
{
    return event->mode & PROA_TRACE_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
}

/* A lock_all has OTF2_UNDEFINED_UINT32, all ranks, which -1 converts to. */
static void put_before(struct proa_location *location, const struct proa_model_event *event,
                       enum proa_role role)
{
    const OTF2_TimeStamp time = proa_archive_time(location, event->begin_ns);

    if (role == PROA_ROLE_FENCE)
        OTF2_EvtWriter_RmaCollectiveBegin(location->writer, NULL, time);
    else if (role == PROA_ROLE_LOCK || role == PROA_ROLE_LOCK_ALL)
        OTF2_EvtWriter_RmaRequestLock(location->writer, NULL, time, (OTF2_RmaWinRef)event->window,
                                      (uint32_t)event->rank, 0, lock_type(event));
}

static void put_group(struct proa_location *location, OTF2_TimeStamp time, int window,
                      OTF2_RmaSyncLevel level, OTF2_GroupRef group)
{
    if (group)
        OTF2_EvtWriter_RmaGroupSync(location->writer, NULL, time, level, (OTF2_RmaWinRef)window,
                                    group);
}

static void put_after(struct otf2 *otf2, struct proa_location *location,
                      const struct proa_model_event *event, enum proa_role role)
{
    const OTF2_RmaSyncLevel all = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
    const OTF2_TimeStamp time = proa_archive_time(location, event->end_ns);
    const OTF2_RmaWinRef win = (OTF2_RmaWinRef)event->window;
    struct side *side = side_of(otf2, event);
    OTF2_GroupRef group = 0;

    if (event->group)
        group = proa_archive_group(&otf2->archive, event->window, event->group, event->group_count);
    switch (role) {
    case PROA_ROLE_FENCE:
        OTF2_EvtWriter_RmaCollectiveEnd(location->writer, NULL, time, OTF2_COLLECTIVE_OP_BARRIER,
                                        all, win, OTF2_UNDEFINED_UINT32, 0, 0);
        break;
    case PROA_ROLE_START:
        side->started = group;
        put_group(location, time, event->window, OTF2_RMA_SYNC_LEVEL_PROCESS, group);
        break;
    case PROA_ROLE_POST:
        side->posted = group;
        put_group(location, time, event->window, OTF2_RMA_SYNC_LEVEL_PROCESS, group);
        break;
    case PROA_ROLE_COMPLETE:
        put_group(location, time, event->window, all, side->started);
        break;
    case PROA_ROLE_WAIT:
        put_group(location, time, event->window, all, side->posted);
        break;
    case PROA_ROLE_LOCK:
    case PROA_ROLE_LOCK_ALL:
        OTF2_EvtWriter_RmaAcquireLock(location->writer, NULL, time, win, (uint32_t)event->rank, 0,
                                      lock_type(event));
        break;
    case PROA_ROLE_UNLOCK:
    case PROA_ROLE_UNLOCK_ALL:
        OTF2_EvtWriter_RmaReleaseLock(location->writer, NULL, time, win, (uint32_t)event->rank, 0);
        break;
    case PROA_ROLE_NOTIFY_WAIT:
        OTF2_EvtWriter_RmaWaitChange(location->writer, NULL, time, win);
        break;
    case PROA_ROLE_FREE:
        OTF2_EvtWriter_RmaWinDestroy(location->writer, NULL, time, win);
        break;
    case PROA_ROLE_FLUSH:
    case PROA_ROLE_NOTIFY_RESET:
    case PROA_ROLE_NOTIFY_RENUMBER:
    case PROA_ROLE_OTHER:
        break;
    }
}

/* A failed or unfinished call had no effect. */
static void take_call(struct otf2 *otf2, const struct proa_model_event *event)
{
    struct proa_location *location = thread_of(otf2, event->process, event->thread);
    const enum proa_role role = proa_role_of(event->call);
    const int is_done = event->window >= 0 && !event->is_open && !(event->mode & PROA_TRACE_FAILED);

    enter(otf2, location, event->begin_ns, event->call, event->place);
    if (is_done)
        put_before(location, event, role);
    put_waits(otf2, location, event);
    if (is_done) {
        put_complete(otf2, location, event);
        put_after(otf2, location, event, role);
    }
    leave(otf2, location, event->end_ns, event->call);
}

/* ---- callbacks of the model ---- */

static void take_event(void *user, const struct proa_model_event *event)
{
    struct otf2 *otf2 = user;
    struct proa_location *location;

    if (event->kind == PROA_EVENT_CALL)
        take_call(otf2, event);
    else if (event->kind == PROA_EVENT_OPERATION && event->window >= 0 && event->rank >= 0)
        take_operation(otf2, event);
    if (event->kind != PROA_EVENT_APPLIED)
        return;
    location = lane_of(otf2, event->process, APPLIED, event->begin_ns, event->end_ns);
    enter(otf2, location, event->begin_ns, "applied", -1);
    leave(otf2, location, event->end_ns, "applied");
}

static void take_window(void *user, int process, int thread, int window, int64_t ns)
{
    struct proa_location *location = thread_of(user, process, thread);

    OTF2_EvtWriter_RmaWinCreate(location->writer, NULL, proa_archive_time(location, ns),
                                (OTF2_RmaWinRef)window);
}

static void take_epoch(void *user, const struct proa_model_epoch *epoch)
{
    struct proa_location *location;
    struct otf2 *otf2 = user;
    char name[NAME_BYTES];

    if (epoch->kind != PROA_MODEL_EXPOSURE && epoch->kind != PROA_MODEL_FENCE)
        return;
    snprintf(name, sizeof name, "%s %s",
             epoch->kind == PROA_MODEL_FENCE ? "fence exposure" : "exposure",
             otf2->model->windows[epoch->window].shown);
    location = lane_of(otf2, epoch->process, EXPOSURE, epoch->begin_ns, epoch->end_ns);
    enter(otf2, location, epoch->begin_ns, name, epoch->place);
    leave(otf2, location, epoch->end_ns, name);
}

/* ---- the archive ---- */

static void make_processes(struct otf2 *otf2)
{
    const struct proa_model *model = otf2->model;
    const size_t bytes = (size_t)model->process_count * sizeof *otf2->processes;
    const size_t sides =
        (size_t)model->process_count * (size_t)model->window_count * sizeof *otf2->sides;

    otf2->processes = memset(proa_need(NULL, bytes), 0, bytes);
    otf2->sides = memset(proa_need(NULL, sides), 0, sides);
    for (int i = 0; i < model->process_count; i++) {
        const int threads = model->processes[i].threads;
        int *locations = proa_need(NULL, (size_t)(threads + 1) * sizeof *locations);

        for (int thread = 0; thread < threads; thread++)
            locations[thread] = -1;
        locations[0] = i;
        otf2->processes[i].threads = locations;
    }
}

static void otf2_free(struct otf2 *otf2)
{
    const struct proa_model *model = otf2->model;

    for (int i = 0; i < model->process_count * model->window_count; i++)
        free(otf2->sides[i].matching);
    for (int i = 0; i < model->process_count; i++) {
        free(otf2->processes[i].threads);
        for (int kind = 0; kind < KINDS; kind++) {
            free(otf2->processes[i].lanes[kind]);
            proa_lanes_free(&otf2->processes[i].taken[kind]);
        }
    }
    free(otf2->sides);
    free(otf2->processes);
}

int proa_otf2_write(struct proa_model *model, const char *folder)
{
    struct otf2 otf2 = {.model = model};
    const struct proa_model_sink sink = {.user = &otf2,
                                         .window = take_window,
                                         .event = take_event,
                                         .epoch = take_epoch,
                                         .progress = proa_trace_progress};
    int result;

    if (proa_archive_open(&otf2.archive, model, folder) != 0)
        return -1;
    make_processes(&otf2);
    otf2.attributes = OTF2_AttributeList_New();
    proa_model_run(model, &sink);
    OTF2_AttributeList_Delete(otf2.attributes);
    result = proa_archive_close(&otf2.archive);
    otf2_free(&otf2);
    return result;
}
