/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See perfetto.h. An arrow is known after its ends. The last events are held, so that most arrows
 * can be part of them. If an end is written already, an instant is added for it. The order in the
 * file matters only for events of the same time.
 */
#include "perfetto.h"

#include "lanes.h"
#include "outstanding.h"
#include "packets.h"
#include "place.h"
#include "progress.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { HELD = 1 << 14, NAME_BYTES = 512 };

/* Tracks of a process, in addition to one for each thread. */
enum kind { PROCESS, THREAD, ACCESS, EXPOSURE, APPLIED, COUNTER, KINDS };

struct flow {
    uint64_t number;
    int ends;
};

struct held {
    struct proa_model_event event;
    struct proa_model_wait *waits;
    int wait_room;
    int flow_count, flow_room;
    struct flow *flows;
};

struct process {
    int known[KINDS]; /* number of tracks in the file */
    struct proa_lanes lanes[KINDS];
};

struct perfetto {
    struct proa_model *model;
    struct proa_packets packets;
    struct process *processes;
    struct proa_outstanding *outstanding;
    struct held *held; /* by the event's number modulo HELD */
    uint64_t events, written, flows;
};

/* ---- tracks ---- */

static uint64_t track_number(int process, enum kind kind, int lane)
{
    return (uint64_t)(process + 1) << 32 | (uint64_t)kind << 24 | (uint64_t)lane;
}

static void put_process(struct perfetto *perfetto, int index)
{
    const struct proa_model_process *process = &perfetto->model->processes[index];
    char name[NAME_BYTES];

    snprintf(name, sizeof name, "rank %d (pid %d, %s)", process->rank, process->pid, process->host);
    proa_track_process(&perfetto->packets, track_number(index, PROCESS, 0), index + 1, name);
}

static void put_thread(struct perfetto *perfetto, int process, int thread)
{
    char name[NAME_BYTES] = "calls";

    if (!perfetto->model->reader.files[process].streams[thread].has_calls)
        snprintf(name, sizeof name, "progress thread");
    else if (thread > 0)
        snprintf(name, sizeof name, "calls of thread %d", thread);
    proa_track_thread(&perfetto->packets, track_number(process, THREAD, thread), process + 1,
                      thread * perfetto->model->process_count + process + 1, name);
}

/* Returns the track of the kind, and creates it if the file lacks it. Tracks of a kind are created
 * in order. */
static uint64_t track_of(struct perfetto *perfetto, int process, enum kind kind, int lane)
{
    static const char *const names[KINDS] = {[ACCESS] = "access epochs",
                                             [EXPOSURE] = "exposure epochs",
                                             [APPLIED] = "applied operations",
                                             [COUNTER] = "bytes outstanding"};
    int *known = &perfetto->processes[process].known[kind];

    for (; *known <= lane; ++*known)
        if (kind == THREAD)
            put_thread(perfetto, process, *known);
        else
            proa_track_other(&perfetto->packets, track_number(process, kind, *known),
                             track_number(process, PROCESS, 0), names[kind], kind == COUNTER);
    return track_number(process, kind, lane);
}

static uint64_t lane_of(struct perfetto *perfetto, int process, enum kind kind, int64_t begin_ns,
                        int64_t end_ns)
{
    struct proa_lanes *lanes = &perfetto->processes[process].lanes[kind];

    return track_of(perfetto, process, kind, proa_lane_take(lanes, begin_ns, end_ns));
}

/* ---- contents of events ---- */

static void note_window(struct perfetto *perfetto, int window)
{
    char name[NAME_BYTES];

    if (window < 0)
        return;
    snprintf(name, sizeof name, "%d \"%s\"", window + 1, perfetto->model->windows[window].shown);
    proa_event_text(&perfetto->packets, "window", name);
}

static void note_place(struct perfetto *perfetto, const char *note, int place)
{
    if (place >= 0)
        proa_event_text(&perfetto->packets, note, proa_place_text(perfetto->model->places, place));
}

static void note_event(struct perfetto *perfetto, const struct proa_model_event *event)
{
    struct proa_packets *packets = &perfetto->packets;

    note_window(perfetto, event->window);
    if (event->rank >= 0)
        proa_event_number(packets, event->kind == PROA_EVENT_APPLIED ? "origin" : "rank",
                          event->rank);
    if (event->bytes)
        proa_event_number(packets, "bytes", (int64_t)event->bytes);
    if (event->kind == PROA_EVENT_OPERATION || event->kind == PROA_EVENT_APPLIED)
        proa_event_number(packets, "displacement", (int64_t)event->displacement);
    if (event->kind == PROA_EVENT_OPERATION)
        proa_event_text(packets, "way", proa_way_names[event->way]);
    if (event->mode & PROA_TRACE_FAILED)
        proa_event_text(packets, "result", "failed");
    if (event->is_open)
        proa_event_text(packets, "result", "the process was ended within");
    note_place(perfetto, "at", event->place);
    note_place(perfetto, "conflicts with", event->other_place);
}

/* ---- events ---- */

static void put_end(struct perfetto *perfetto, uint64_t track, int64_t ns)
{
    proa_event_begin(&perfetto->packets, PROA_SLICE_END, track, ns);
    proa_event_end(&perfetto->packets);
}

static void put_flows(struct perfetto *perfetto, const struct held *held, int ends)
{
    for (int i = 0; i < held->flow_count; i++)
        if (held->flows[i].ends == ends)
            proa_event_flow(&perfetto->packets, held->flows[i].number, ends);
}

/* Keeps a wait within its call, and after the one before: times of waits are rounded. */
static void put_wait(struct perfetto *perfetto, uint64_t track, const struct proa_model_wait *wait,
                     int64_t first_ns, int64_t last_ns)
{
    char name[NAME_BYTES] = "wait";

    if (wait->rank >= 0)
        snprintf(name, sizeof name, "wait for rank %d", wait->rank);
    proa_event_begin(&perfetto->packets, PROA_SLICE_BEGIN, track, first_ns);
    proa_event_name(&perfetto->packets, "wait", name);
    proa_event_end(&perfetto->packets);
    put_end(perfetto, track, last_ns);
}

static void put_waits(struct perfetto *perfetto, uint64_t track,
                      const struct proa_model_event *event)
{
    int64_t least = event->begin_ns;

    for (int i = 0; i < event->wait_count; i++) {
        const struct proa_model_wait *wait = &event->waits[i];
        int64_t first = wait->begin_ns > least ? wait->begin_ns : least;
        int64_t last = wait->end_ns < event->end_ns ? wait->end_ns : event->end_ns;

        if (last <= first)
            continue;
        put_wait(perfetto, track, wait, first, last);
        least = last;
    }
}

static void put_slice(struct perfetto *perfetto, const struct held *held, uint64_t track,
                      const char *category)
{
    const struct proa_model_event *event = &held->event;
    struct proa_packets *packets = &perfetto->packets;

    proa_event_begin(packets, PROA_SLICE_BEGIN, track, event->begin_ns);
    proa_event_name(packets, category, event->call);
    note_event(perfetto, event);
    put_flows(perfetto, held, 0);
    proa_event_end(packets);
    put_waits(perfetto, track, event);
    proa_event_begin(packets, PROA_SLICE_END, track, event->end_ns);
    put_flows(perfetto, held, 1);
    proa_event_end(packets);
}

static void put_instant(struct perfetto *perfetto, const struct held *held, uint64_t track,
                        const char *category, const char *name)
{
    proa_event_begin(&perfetto->packets, PROA_INSTANT, track, held->event.end_ns);
    proa_event_name(&perfetto->packets, category, name);
    note_event(perfetto, &held->event);
    put_flows(perfetto, held, 0);
    put_flows(perfetto, held, 1);
    proa_event_end(&perfetto->packets);
}

static void write_event(struct perfetto *perfetto, const struct held *held)
{
    const struct proa_model_event *event = &held->event;
    uint64_t thread = track_of(perfetto, event->process, THREAD, event->thread);

    switch (event->kind) {
    case PROA_EVENT_CALL:
        put_slice(perfetto, held, thread, "call");
        break;
    case PROA_EVENT_OPERATION:
        put_slice(perfetto, held, thread, "operation");
        break;
    case PROA_EVENT_APPLIED:
        put_slice(perfetto, held,
                  lane_of(perfetto, event->process, APPLIED, event->begin_ns, event->end_ns),
                  "applied");
        break;
    case PROA_EVENT_MESSAGE:
        put_instant(perfetto, held, thread, "message", event->way ? "received" : "sent");
        break;
    case PROA_EVENT_MOVED:
        put_instant(perfetto, held, thread, "memory",
                    event->way ? "pages moved back" : "pages moved");
        break;
    case PROA_EVENT_FINDING:
        put_instant(perfetto, held, thread, "finding", "conflict");
        break;
    }
}

/* ---- held events ---- */

static void write_until(struct perfetto *perfetto, uint64_t last)
{
    while (perfetto->written < last)
        write_event(perfetto, &perfetto->held[++perfetto->written % HELD]);
}

static void hold(struct held *held, const struct proa_model_event *event)
{
    held->event = *event;
    held->flow_count = 0;
    if (event->wait_count > held->wait_room) {
        held->wait_room = event->wait_count;
        held->waits = proa_need(held->waits, (size_t)held->wait_room * sizeof *held->waits);
    }
    if (event->wait_count)
        memcpy(held->waits, event->waits, (size_t)event->wait_count * sizeof *held->waits);
    held->event.waits = held->waits;
}

static void take_event(void *user, const struct proa_model_event *event)
{
    struct perfetto *perfetto = user;
    int64_t outstanding;

    if (event->id > HELD)
        write_until(perfetto, event->id - HELD);
    hold(&perfetto->held[event->id % HELD], event);
    perfetto->events = event->id;
    if (!proa_outstanding_follow(perfetto->outstanding, event, &outstanding))
        return;
    proa_event_begin(&perfetto->packets, PROA_COUNTER,
                     track_of(perfetto, event->process, COUNTER, 0), event->end_ns);
    proa_event_count(&perfetto->packets, outstanding);
    proa_event_end(&perfetto->packets);
}

/* ---- epochs ---- */

static void put_epoch(struct perfetto *perfetto, const struct proa_model_epoch *epoch,
                      enum kind kind)
{
    uint64_t track = lane_of(perfetto, epoch->process, kind, epoch->begin_ns, epoch->end_ns);
    struct proa_packets *packets = &perfetto->packets;
    char name[NAME_BYTES];

    snprintf(name, sizeof name, "%s %s", proa_epoch_names[epoch->kind],
             perfetto->model->windows[epoch->window].shown);
    proa_event_begin(packets, PROA_SLICE_BEGIN, track, epoch->begin_ns);
    proa_event_name(packets, "epoch", name);
    note_window(perfetto, epoch->window);
    if (epoch->rank >= 0)
        proa_event_number(packets, "rank", epoch->rank);
    proa_event_number(packets, "operations", (int64_t)epoch->operations);
    proa_event_number(packets, "bytes", (int64_t)epoch->bytes);
    proa_event_number(packets, "waited ns", epoch->waited_ns);
    if (epoch->is_open)
        proa_event_text(packets, "result", "never ended");
    note_place(perfetto, "at", epoch->place);
    note_place(perfetto, "until", epoch->end_place);
    proa_event_end(packets);
    put_end(perfetto, track, epoch->end_ns);
}

/* A fence opens both kinds of epoch. */
static void take_epoch(void *user, const struct proa_model_epoch *epoch)
{
    if (epoch->kind != PROA_MODEL_EXPOSURE)
        put_epoch(user, epoch, ACCESS);
    if (epoch->kind == PROA_MODEL_EXPOSURE || epoch->kind == PROA_MODEL_FENCE)
        put_epoch(user, epoch, EXPOSURE);
}

/* ---- arrows ---- */

static struct held *held_of(struct perfetto *perfetto, uint64_t event)
{
    return event > perfetto->written && event <= perfetto->events ? &perfetto->held[event % HELD]
                                                                  : NULL;
}

static void add_flow(struct held *held, uint64_t number, int ends)
{
    if (held->flow_count == held->flow_room) {
        held->flow_room = held->flow_room ? 2 * held->flow_room : 2;
        held->flows = proa_need(held->flows, (size_t)held->flow_room * sizeof *held->flows);
    }
    held->flows[held->flow_count++] = (struct flow){number, ends};
}

static void put_arrow_end(struct perfetto *perfetto, const struct proa_model_arrow *arrow,
                          const struct proa_model_end *end, int64_t ns, int ends)
{
    uint64_t track = track_of(perfetto, end->process, THREAD, end->thread);

    proa_event_begin(&perfetto->packets, PROA_INSTANT, track, ns);
    proa_event_name(&perfetto->packets, "arrow", proa_arrow_names[arrow->kind]);
    proa_event_flow(&perfetto->packets, perfetto->flows, ends);
    proa_event_end(&perfetto->packets);
}

/* Perfetto's flows lead forward in time. An arrow between different clocks may not. */
static void take_arrow(void *user, const struct proa_model_arrow *arrow)
{
    struct perfetto *perfetto = user;
    struct held *from = held_of(perfetto, arrow->from.event);
    struct held *to = held_of(perfetto, arrow->to.event);
    int64_t from_ns = from ? from->event.begin_ns : arrow->from.ns;
    int64_t to_ns = to ? to->event.end_ns : arrow->to.ns;

    perfetto->flows++;
    if (from)
        add_flow(from, perfetto->flows, 0);
    else
        put_arrow_end(perfetto, arrow, &arrow->from, from_ns, 0);
    if (to && to_ns > from_ns)
        add_flow(to, perfetto->flows, 1);
    else
        put_arrow_end(perfetto, arrow, &arrow->to, to_ns > from_ns ? to_ns : from_ns + 1, 1);
}

/* ---- the file ---- */

static void perfetto_free(struct perfetto *perfetto)
{
    for (int i = 0; i < HELD; i++) {
        free(perfetto->held[i].waits);
        free(perfetto->held[i].flows);
    }
    for (int i = 0; i < perfetto->model->process_count; i++)
        for (int kind = 0; kind < KINDS; kind++)
            proa_lanes_free(&perfetto->processes[i].lanes[kind]);
    proa_outstanding_free(perfetto->outstanding);
    free(perfetto->held);
    free(perfetto->processes);
}

void proa_perfetto_write(struct proa_model *model, FILE *out)
{
    const size_t held_bytes = HELD * sizeof(struct held);
    const size_t bytes = (size_t)model->process_count * sizeof(struct process);
    struct perfetto perfetto = {.model = model};
    const struct proa_model_sink sink = {.user = &perfetto,
                                         .event = take_event,
                                         .epoch = take_epoch,
                                         .arrow = take_arrow,
                                         .progress = proa_trace_progress};

    perfetto.held = memset(proa_need(NULL, held_bytes), 0, held_bytes);
    perfetto.processes = memset(proa_need(NULL, bytes), 0, bytes);
    perfetto.outstanding = proa_outstanding_new(model);
    proa_packets_begin(&perfetto.packets, out);
    for (int i = 0; i < model->process_count; i++)
        put_process(&perfetto, i);
    proa_model_run(model, &sink);
    write_until(&perfetto, perfetto.events);
    proa_packets_end(&perfetto.packets);
    perfetto_free(&perfetto);
}
