/* SPDX-License-Identifier: BSD-3-Clause */
/* See trace_figure.h. The model is run twice: for the epochs, and for the events in them. */
#include "trace_figure.h"

#include "complain.h"
#include "progress.h"
#include "reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 2000, ARROWS_MOST = 8000 };

/* ---- epochs ---- */

static void take_epoch(void *user, const struct proa_model_epoch *epoch)
{
    struct proa_figure *figure = user;
    struct proa_model_epoch *taken;
    uint64_t number;

    if (epoch->window != figure->window)
        return;
    number = ++figure->closed[2 * epoch->process + (epoch->kind == PROA_MODEL_EXPOSURE)];
    if (number < figure->first || number > figure->last)
        return;
    if (figure->epoch_count == EVENTS_MOST) {
        figure->is_full = true;
        return;
    }
    figure->epochs =
        proa_need(figure->epochs, (size_t)(figure->epoch_count + 1) * sizeof *figure->epochs);
    taken = &figure->epochs[figure->epoch_count++];
    *taken = *epoch;
    taken->group = NULL;
    taken->group_count = 0;
}

/* ---- events ---- */

/* Returns the process at the other end of a message, or of an applied part; -1 for none. */
static int other_process(const struct proa_figure *figure, const struct proa_model_event *event)
{
    const struct proa_model_window *window = &figure->model->windows[figure->window];

    if (event->kind != PROA_EVENT_MESSAGE && event->kind != PROA_EVENT_APPLIED)
        return -1;
    return event->rank >= 0 && event->rank < window->size ? window->processes[event->rank] : -1;
}

/* An operation has its epoch's number. Every other event belongs to the epochs of its process at
 * that time. A network event at a passive target belongs to the origin's epochs as well. */
static bool is_within(const struct proa_figure *figure, const struct proa_model_event *event)
{
    const int other = other_process(figure, event);

    for (int i = 0; i < figure->epoch_count; i++) {
        const struct proa_model_epoch *epoch = &figure->epochs[i];

        if (event->kind == PROA_EVENT_OPERATION
                ? event->epoch == epoch->id
                : (event->process == epoch->process || other == epoch->process) &&
                      event->begin_ns >= epoch->begin_ns && event->end_ns <= epoch->end_ns)
            return true;
    }
    return false;
}

/* Returns the name on the page (page/draw.js); MPI_Win_lock is "lock", as in the standard's
 * figures. */
static const char *short_name(const struct proa_model_event *event)
{
    static const char *const prefixes[] = {"MPI_", "PROA_", "Win_"};
    const char *call = event->call;

    switch (event->kind) {
    case PROA_EVENT_FINDING:
        return "conflict";
    case PROA_EVENT_APPLIED:
        return "applied";
    case PROA_EVENT_MESSAGE:
        return event->way ? "received" : "sent";
    case PROA_EVENT_CALL:
    case PROA_EVENT_OPERATION:
    case PROA_EVENT_MOVED:
        break;
    }
    for (size_t j = 0; j < sizeof prefixes / sizeof *prefixes; j++)
        if (strncmp(call, prefixes[j], strlen(prefixes[j])) == 0)
            call += strlen(prefixes[j]);
    return call;
}

static void set_name(struct proa_figure_event *to, const char *name)
{
    size_t i = 0;

    for (; name[i] && i + 1 < sizeof to->name; i++)
        to->name[i] = (char)tolower((unsigned char)name[i]);
    to->name[i] = 0;
}

/* Moved pages belong to no window. */
static bool is_of_window(const struct proa_figure *figure, const struct proa_model_event *event)
{
    return event->window == figure->window ||
           (event->kind == PROA_EVENT_MOVED && event->window < 0);
}

static void take_event(void *user, const struct proa_model_event *event)
{
    struct proa_figure *figure = user;
    const struct proa_model_window *window = &figure->model->windows[figure->window];
    struct proa_figure_event *taken;

    if (!is_of_window(figure, event) || !is_within(figure, event))
        return;
    if (figure->event_count == EVENTS_MOST) {
        figure->is_full = true;
        return;
    }
    figure->events =
        proa_need(figure->events, (size_t)(figure->event_count + 1) * sizeof *figure->events);
    taken = &figure->events[figure->event_count++];
    *taken = (struct proa_figure_event){.id = event->id,
                                        .kind = event->kind,
                                        .process = event->process,
                                        .target = -1,
                                        .begin_ns = event->begin_ns,
                                        .end_ns = event->end_ns,
                                        .bytes = event->bytes,
                                        .epoch = event->epoch,
                                        .mode = event->mode};
    set_name(taken, short_name(event));
    if (event->kind == PROA_EVENT_OPERATION && event->rank >= 0 && event->rank < window->size)
        taken->target = window->processes[event->rank];
    if (event->wait_count) {
        taken->wait_begin_ns = event->waits[0].begin_ns;
        taken->wait_end_ns = event->waits[event->wait_count - 1].end_ns;
    }
}

/* ---- arrows ---- */

static void take_arrow(void *user, const struct proa_model_arrow *arrow)
{
    struct proa_figure *figure = user;

    if (arrow->window != figure->window || arrow->from.process == arrow->to.process ||
        figure->arrow_count == ARROWS_MOST)
        return;
    figure->arrows =
        proa_need(figure->arrows, (size_t)(figure->arrow_count + 1) * sizeof *figure->arrows);
    figure->arrows[figure->arrow_count++] = *arrow;
}

static bool has_event(const struct proa_figure *figure, uint64_t id)
{
    int low = 0, high = figure->event_count;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (figure->events[middle].id == id)
            return true;
        if (figure->events[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* An arrow may come before the event at its end. Arrows without both ends are removed once all
 * events are known. */
static void drop_loose_arrows(struct proa_figure *figure)
{
    int kept = 0;

    for (int i = 0; i < figure->arrow_count; i++)
        if (has_event(figure, figure->arrows[i].from.event) &&
            (figure->arrows[i].kind == PROA_ARROW_DATA ||
             has_event(figure, figure->arrows[i].to.event)))
            figure->arrows[kept++] = figure->arrows[i];
    figure->arrow_count = kept;
}

/* ---- the figure ---- */

static int read_wish(struct proa_figure *figure, const char *wish)
{
    int window, end = 0;

    if (sscanf(wish, "%d:%" SCNu64 "-%" SCNu64 "%n", &window, &figure->first, &figure->last, &end) <
            3 ||
        wish[end] || figure->first < 1 || figure->first > figure->last)
        return proa_complain(-1, "no WINDOW:FIRST-LAST: %s (numbers from 1 on)", wish);
    if (window < 1 || window > figure->model->window_count)
        return proa_complain(-1, "no window %d: the trace has %d", window,
                             figure->model->window_count);
    figure->window = window - 1;
    return 0;
}

static int collect(struct proa_figure *figure)
{
    const struct proa_model_sink epochs = {
        .user = figure, .epoch = take_epoch, .progress = proa_trace_progress};
    const struct proa_model_sink rest = {
        .user = figure, .event = take_event, .arrow = take_arrow, .progress = proa_trace_progress};

    figure->closed = calloc(2 * (size_t)figure->model->process_count, sizeof *figure->closed);
    proa_model_run(figure->model, &epochs);
    if (!figure->epoch_count)
        return proa_complain(-1, "window %d has no epochs %" PRIu64 " to %" PRIu64,
                             figure->window + 1, figure->first, figure->last);
    proa_model_run(figure->model, &rest);
    if (figure->is_full)
        return proa_complain(-1, "more than %d epochs or calls: too many for a picture",
                             EVENTS_MOST);
    drop_loose_arrows(figure);
    return 0;
}

int proa_trace_write_figure(struct proa_model *model, const char *wish, FILE *out)
{
    struct proa_figure figure = {.model = model};
    int result = read_wish(&figure, wish);

    if (result == 0)
        result = collect(&figure);
    if (result == 0)
        proa_figure_draw(&figure, out);
    free(figure.closed);
    free(figure.epochs);
    free(figure.events);
    free(figure.arrows);
    return result;
}
