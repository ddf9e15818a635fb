/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See trace_page.h. The model's events, epochs and arrows are rows of numbers, in the order in
 * which the model produces them (data.js reads them). So the memory used here does not grow with
 * the trace. The tables of names that the rows refer to follow them.
 */
#include "trace_page.h"

#include "json.h"
#include "page.h"
#include "place.h"
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 1000000, CALLS_MOST = 256, FINDINGS_MOST = 1000 };

struct page {
    struct proa_model *model;
    FILE *out;
    uint64_t rows, left_out;
    int places; /* one more than the largest index in a row */
    int call_count;
    const char *calls[CALLS_MOST];
    int finding_count;
    char *findings[FINDINGS_MOST]; /* their texts */
};

static void begin_row(struct page *page)
{
    fputs(page->rows++ ? ",\n" : "\n", page->out);
}

static int call_number(struct page *page, const char *call)
{
    for (int i = 0; i < page->call_count; i++)
        if (strcmp(page->calls[i], call) == 0)
            return i;
    if (page->call_count == CALLS_MOST)
        return CALLS_MOST - 1;
    page->calls[page->call_count] = call;
    return page->call_count++;
}

static int place_number(struct page *page, int place)
{
    if (place >= page->places)
        page->places = place + 1;
    return place;
}

/* Returns the number of a finding's text: its row has it as its value. */
static uint64_t finding_number(struct page *page, const char *text)
{
    if (page->finding_count == FINDINGS_MOST)
        return FINDINGS_MOST;
    page->findings[page->finding_count] = strdup(text);
    return (uint64_t)page->finding_count++;
}

/* ---- rows ---- */

static void take_event(void *user, const struct proa_model_event *event)
{
    struct page *page = user;
    FILE *out = page->out;

    if (event->id > EVENTS_MOST) {
        page->left_out++;
        return;
    }
    begin_row(page);
    fprintf(out, "[0,%d,%d,%d,%d,%" PRId64 ",%" PRId64 ",%d,%d,%" PRIu64 ",%" PRIu64, event->kind,
            event->process, event->thread, event->window, event->begin_ns,
            event->end_ns - event->begin_ns, call_number(page, event->call), event->rank,
            event->bytes, event->displacement);
    fprintf(out, ",%d,%u,%d,%d,%" PRIu64 ",%" PRIu64 ",%d", event->way, event->mode,
            place_number(page, event->place), place_number(page, event->other_place), event->epoch,
            event->text ? finding_number(page, event->text) : event->value, event->is_open);
    for (int i = 0; i < event->wait_count; i++)
        fprintf(out, ",%" PRId64 ",%" PRId64 ",%d", event->waits[i].begin_ns - event->begin_ns,
                event->waits[i].end_ns - event->waits[i].begin_ns, event->waits[i].rank);
    fputc(']', out);
}

static void take_epoch(void *user, const struct proa_model_epoch *epoch)
{
    struct page *page = user;

    if (page->left_out)
        return;
    begin_row(page);
    fprintf(page->out,
            "[1,%" PRIu64 ",%d,%d,%d,%d,%u,%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64
            ",%d,%d,%d]",
            epoch->id, epoch->kind, epoch->process, epoch->window, epoch->rank, epoch->mode,
            epoch->begin_ns, epoch->end_ns - epoch->begin_ns, epoch->operations, epoch->bytes,
            epoch->waited_ns, place_number(page, epoch->place),
            place_number(page, epoch->end_place), epoch->is_open);
}

static void take_arrow(void *user, const struct proa_model_arrow *arrow)
{
    struct page *page = user;

    if (arrow->from.event > EVENTS_MOST || arrow->to.event > EVENTS_MOST)
        return;
    begin_row(page);
    fprintf(page->out,
            "[2,%d,%d,%d,%d,%" PRId64 ",%" PRIu64 ",%d,%" PRId64 ",%" PRIu64 ",%" PRId64 "]",
            arrow->kind, arrow->window, arrow->target, arrow->from.process, arrow->from.ns,
            arrow->from.event, arrow->to.process, arrow->to.ns, arrow->to.event, arrow->waited_ns);
}

/* ---- tables ---- */

static void put_names(struct proa_json *json, const char *name, const char *const *names, int count)
{
    proa_json_open(json, name, '[');
    for (int i = 0; i < count; i++)
        proa_json_text(json, NULL, names[i]);
    proa_json_close(json, ']');
}

static void put_processes(struct proa_json *json, const struct proa_model *model)
{
    proa_json_open(json, "processes", '[');
    for (int i = 0; i < model->process_count; i++) {
        const struct proa_model_process *process = &model->processes[i];

        proa_json_open(json, NULL, '{');
        proa_json_number(json, "rank", process->rank);
        proa_json_number(json, "pid", process->pid);
        proa_json_number(json, "node", process->node);
        proa_json_text(json, "host", process->host);
        proa_json_truth(json, "killed", process->is_killed);
        proa_json_number(json, "dropped", (long)process->dropped);
        proa_json_number(json, "error_ns", proa_model_error(model, i));
        proa_json_close(json, '}');
    }
    proa_json_close(json, ']');
}

static void put_windows(struct proa_json *json, const struct proa_model *model)
{
    proa_json_open(json, "windows", '[');
    for (int i = 0; i < model->window_count; i++) {
        const struct proa_model_window *window = &model->windows[i];

        proa_json_open(json, NULL, '{');
        proa_json_text(json, "name", window->name);
        proa_json_text(json, "maker", window->maker);
        proa_json_open(json, "processes", '[');
        for (int rank = 0; rank < window->size; rank++)
            proa_json_number(json, NULL, window->processes[rank]);
        proa_json_close(json, ']');
        proa_json_close(json, '}');
    }
    proa_json_close(json, ']');
}

static void put_tables(struct page *page)
{
    struct proa_json json = {.out = page->out, .depth = 1, .follows = true, .in_page = true};

    proa_json_number(&json, "end_ns", page->model->end_ns);
    proa_json_number(&json, "left_out", (long)page->left_out);
    put_names(&json, "epoch_kinds", proa_epoch_names, PROA_MODEL_EPOCH_KINDS);
    put_names(&json, "arrow_kinds", proa_arrow_names, PROA_ARROW_KINDS);
    put_names(&json, "ways", proa_way_names, PROA_MODEL_WAYS);
    put_names(&json, "calls", page->calls, page->call_count);
    put_names(&json, "findings", (const char *const *)page->findings, page->finding_count);
    proa_json_open(&json, "places", '[');
    for (int place = 0; place < page->places; place++)
        proa_json_text(&json, NULL, proa_place_text(page->model->places, place));
    proa_json_close(&json, ']');
    put_processes(&json, page->model);
    put_windows(&json, page->model);
    proa_json_close(&json, '}');
}

static void put_data(struct page *page)
{
    const struct proa_model_sink sink = {.user = page,
                                         .event = take_event,
                                         .epoch = take_epoch,
                                         .arrow = take_arrow,
                                         .progress = proa_trace_progress};

    fputs("<script type=\"application/json\" id=\"data\">{\"rows\": [", page->out);
    proa_model_run(page->model, &sink);
    fputc(']', page->out);
    put_tables(page);
    fputs("</script>\n", page->out);
}

/* ---- the page ---- */

static int ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);

    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static void put_parts(FILE *out, const char *end)
{
    for (const struct proa_page_part *part = proa_page_parts; part->name; part++)
        if (ends_in(part->name, end))
            fputs(part->text, out);
}

void proa_trace_write_page(struct proa_model *model, FILE *out)
{
    struct page to = {.model = model, .out = out}, *page = &to;

    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>Trace of a run with Proa</title>\n<style>\n",
          page->out);
    put_parts(page->out, ".css");
    fputs("</style>\n</head>\n<body>\n", page->out);
    put_parts(page->out, ".html");
    put_data(page);
    fputs("<script>\n\"use strict\";\n", page->out);
    put_parts(page->out, ".js");
    fputs("</script>\n</body>\n</html>\n", page->out);
    for (int i = 0; i < page->finding_count; i++)
        free(page->findings[i]);
}
