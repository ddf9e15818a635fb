/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of the model of a trace (tools/trace/model.h), one line of JSON each. */
#include "trace.h"

#include "json.h"
#include "place.h"
#include "progress.h"

#include <unistd.h>

struct list {
    FILE *out;
    struct proa_model *model;
};

static const char *const event_names[] = {
    [PROA_EVENT_CALL] = "call",       [PROA_EVENT_OPERATION] = "operation",
    [PROA_EVENT_APPLIED] = "applied", [PROA_EVENT_MESSAGE] = "message",
    [PROA_EVENT_MOVED] = "moved",     [PROA_EVENT_FINDING] = "finding"};

static void group(FILE *out, const int32_t *ranks, int count)
{
    fprintf(out, ", \"group\": [");
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? ", " : "", ranks[i]);
    fprintf(out, "]");
}

static void place(const struct list *list, const char *name, int place)
{
    if (place >= 0)
        fprintf(list->out, ", \"%s\": \"%s\"", name, proa_place_text(list->model->places, place));
}

/* Writes a text as JSON. */
static void text(FILE *out, const char *name, const char *value)
{
    struct proa_json json = {.out = out};

    fputs(", ", out);
    proa_json_text(&json, name, value);
}

static const char *way(const struct proa_model_event *event)
{
    if (event->kind == PROA_EVENT_MESSAGE)
        return event->way ? "received" : "sent";
    if (event->kind == PROA_EVENT_MOVED)
        return event->way ? "back" : "in";
    return event->kind == PROA_EVENT_OPERATION ? proa_way_names[event->way] : "";
}

static void list_event(void *user, const struct proa_model_event *event)
{
    const struct list *list = user;
    FILE *out = list->out;

    fprintf(out,
            "{\"event\": %llu, \"kind\": \"%s\", \"process\": %d, \"thread\": %d, \"window\": %d, "
            "\"call\": \"%s\", \"begin_ns\": %lld, \"end_ns\": %lld, \"target\": %d",
            (unsigned long long)event->id, event_names[event->kind], event->process, event->thread,
            event->window, event->call, (long long)event->begin_ns, (long long)event->end_ns,
            event->rank);
    if (event->kind != PROA_EVENT_CALL)
        fprintf(out, ", \"bytes\": %llu, \"displacement\": %llu, \"way\": \"%s\", \"epoch\": %llu",
                (unsigned long long)event->bytes, (unsigned long long)event->displacement,
                way(event), (unsigned long long)event->epoch);
    fprintf(out, ", \"mode\": %u, \"waited_ns\": [", event->mode);
    for (int i = 0; i < event->wait_count; i++)
        fprintf(out, "%s[%d, %lld]", i ? ", " : "", event->waits[i].rank,
                (long long)(event->waits[i].end_ns - event->waits[i].begin_ns));
    fprintf(out, "]");
    if (event->counter >= 0)
        fprintf(out, ", \"counter\": %d", event->counter);
    if (event->part)
        fprintf(out, ", \"part\": %llu", (unsigned long long)event->part);
    if (event->group)
        group(out, event->group, event->group_count);
    place(list, "at", event->place);
    place(list, "other_at", event->other_place);
    if (event->text)
        text(out, "text", event->text);
    fprintf(out, "}\n");
}

static void list_epoch(void *user, const struct proa_model_epoch *epoch)
{
    const struct list *list = user;
    FILE *out = list->out;

    fprintf(out,
            "{\"epoch\": %llu, \"kind\": \"%s\", \"process\": %d, \"window\": %d, \"target\": %d, "
            "\"mode\": %u, \"begin_ns\": %lld, \"opened_ns\": %lld, \"closing_ns\": %lld, "
            "\"end_ns\": %lld, \"operations\": %llu, \"bytes\": %llu, \"waited_ns\": %lld, "
            "\"open\": %s",
            (unsigned long long)epoch->id, proa_epoch_names[epoch->kind], epoch->process,
            epoch->window, epoch->rank, epoch->mode, (long long)epoch->begin_ns,
            (long long)epoch->opened_ns, (long long)epoch->closing_ns, (long long)epoch->end_ns,
            (unsigned long long)epoch->operations, (unsigned long long)epoch->bytes,
            (long long)epoch->waited_ns, epoch->is_open ? "true" : "false");
    if (epoch->group)
        group(out, epoch->group, epoch->group_count);
    place(list, "at", epoch->place);
    place(list, "end_at", epoch->end_place);
    fprintf(out, "}\n");
}

static void end(const struct list *list, const char *name, const struct proa_model_end *end)
{
    fprintf(list->out,
            ", \"%s\": {\"process\": %d, \"ns\": %lld, \"event\": %llu, \"call\": \"%s\"", name,
            end->process, (long long)end->ns, (unsigned long long)end->event, end->call);
    place(list, "at", end->place);
    fprintf(list->out, "}");
}

static void list_arrow(void *user, const struct proa_model_arrow *arrow)
{
    const struct list *list = user;

    fprintf(list->out, "{\"arrow\": \"%s\", \"window\": %d, \"target\": %d, \"waited_ns\": %lld",
            proa_arrow_names[arrow->kind], arrow->window, arrow->target,
            (long long)arrow->waited_ns);
    end(list, "from", &arrow->from);
    end(list, "to", &arrow->to);
    fprintf(list->out, "}\n");
}

void proa_trace_list(struct proa_model *model, FILE *out)
{
    struct list list = {out, model};
    const struct proa_model_sink sink = {
        .user = &list,
        .event = list_event,
        .epoch = list_epoch,
        .arrow = list_arrow,
        .progress = isatty(fileno(out)) ? NULL : proa_trace_progress}; /* not among the lines */

    proa_model_run(model, &sink);
}
