/* SPDX-License-Identifier: BSD-3-Clause */
/* See model.h: the first pass, which finds processes, windows and files of code. */
#include "model.h"

#include "place.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

const char *const proa_way_names[PROA_MODEL_WAYS] = {"store", "store", "kernel", "network"};

static int window_find(struct proa_model *model, uint64_t identity)
{
    for (int i = 0; i < model->window_count; i++)
        if (model->windows[i].identity == identity)
            return i;
    return -1;
}

static int window_new(struct proa_model *model, const struct proa_trace_record *record, int file)
{
    struct proa_model_window *window;

    model->windows =
        proa_need(model->windows, (size_t)(model->window_count + 1) * sizeof *model->windows);
    window = &model->windows[model->window_count];
    *window = (struct proa_model_window){
        .identity = record->value,
        .size = (int)record->place,
        .maker = proa_trace_call_name(&model->reader.files[file], record->call)};
    window->name = strdup("");
    window->shown = strdup("");
    window->processes = proa_need(NULL, (size_t)window->size * sizeof *window->processes);
    for (int rank = 0; rank < window->size; rank++)
        window->processes[rank] = -1;
    return model->window_count++;
}

static void add_window(struct proa_model *model, const struct proa_trace_record *record, int file)
{
    struct proa_model_process *process = &model->processes[file];
    int index = window_find(model, record->value), number = (int)record->window;
    struct proa_model_window *window;

    if (index < 0 && record->place < 1 << 24)
        index = window_new(model, record, file);
    if (index < 0 || number <= 0 || number > 1 << 24)
        return;
    if (number >= process->window_count) {
        process->windows =
            proa_need(process->windows, (size_t)(number + 1) * sizeof *process->windows);
        for (int i = process->window_count; i <= number; i++)
            process->windows[i] = -1;
        process->window_count = number + 1;
    }
    process->windows[number] = index;
    window = &model->windows[index];
    if ((unsigned)record->rank < (unsigned)window->size && window->processes[record->rank] < 0) {
        window->processes[record->rank] = file;
        window->known++;
    }
}

static void add_name(struct proa_model *model, const struct proa_trace_record *record,
                     struct proa_stream *stream)
{
    const struct proa_model_process *process = &model->processes[stream->file];
    char *text = proa_stream_text(&model->reader, stream, record->bytes);
    int index =
        record->window < (uint32_t)process->window_count ? process->windows[record->window] : -1;

    if (index < 0) {
        free(text);
        return;
    }
    free(model->windows[index].name);
    free(model->windows[index].shown);
    model->windows[index].name = text;
    model->windows[index].shown = proa_text_shown(text);
}

static void add_module(struct proa_model *model, const struct proa_trace_record *record,
                       struct proa_stream *stream)
{
    const struct proa_trace_record module = *record;
    char *path = proa_stream_text(&model->reader, stream, module.bytes);

    proa_places_add_module(model->places, stream->file, path, module.place, module.value,
                           module.end);
    free(path);
}

/* Records are read only once they are known to be complete, so a trace may still grow. */
static void scan(struct proa_model *model, struct proa_stream *stream)
{
    const struct proa_trace_record *record;
    uint64_t last = 0;

    while ((record = proa_stream_next(&model->reader, stream))) {
        model->records++;
        if (record->kind == PROA_TRACE_TEXT || record->kind == PROA_TRACE_CLOCK)
            continue;
        if (record->kind != PROA_TRACE_MODULE && record->end > last)
            last = record->end;
        if (record->kind == PROA_TRACE_CALL || record->kind == PROA_TRACE_OPERATION)
            stream->has_calls = 1;
        else if (record->kind == PROA_TRACE_WINDOW)
            add_window(model, record, stream->file);
        else if (record->kind == PROA_TRACE_NAME)
            add_name(model, record, stream);
        else if (record->kind == PROA_TRACE_MODULE)
            add_module(model, record, stream);
    }
    proa_stream_rewind(stream);
    if (last && proa_clock_time(&model->clocks, stream->file, last) > model->end_ns)
        model->end_ns = proa_clock_time(&model->clocks, stream->file, last);
}

static void add_process(struct proa_model *model, int file)
{
    const struct proa_trace_file *of = &model->reader.files[file];

    model->processes[file] = (struct proa_model_process){.rank = of->head->rank,
                                                         .size = of->head->size,
                                                         .pid = of->head->pid,
                                                         .threads = of->threads,
                                                         .node = model->clocks.of_file[file],
                                                         .is_killed = !of->head->is_ended,
                                                         .dropped = proa_trace_dropped(of->head),
                                                         .host = of->head->host};
    if (model->processes[file].dropped)
        model->processes[file].dropped_since_ns =
            proa_clock_time(&model->clocks, file, of->head->dropped_since);
    model->processes[file].had_room =
        of->head->chunks * of->head->chunk_bytes < of->head->limit_bytes;
}

int proa_model_open(struct proa_model *model, const char *folder)
{
    *model = (struct proa_model){0};
    if (proa_reader_open(&model->reader, folder) != 0) {
        proa_reader_close(&model->reader);
        return -1;
    }
    proa_clocks_read(&model->clocks, &model->reader);
    model->places = proa_places_new();
    model->process_count = model->reader.count;
    model->processes = proa_need(NULL, (size_t)model->process_count * sizeof *model->processes);
    for (int i = 0; i < model->process_count; i++)
        add_process(model, i);
    for (int i = 0; i < model->process_count; i++)
        for (int thread = 0; thread < model->reader.files[i].threads; thread++)
            scan(model, &model->reader.files[i].streams[thread]);
    return 0;
}

void proa_model_close(struct proa_model *model)
{
    for (int i = 0; i < model->window_count; i++) {
        free(model->windows[i].name);
        free(model->windows[i].shown);
        free(model->windows[i].processes);
    }
    for (int i = 0; i < model->process_count; i++)
        free(model->processes[i].windows);
    free(model->windows);
    free(model->processes);
    proa_places_free(model->places);
    proa_clocks_free(&model->clocks);
    proa_reader_close(&model->reader);
}

int64_t proa_model_error(const struct proa_model *model, int process)
{
    enum { READING_NS = 50 };

    return READING_NS + model->clocks.clocks[model->processes[process].node].error_ns;
}
