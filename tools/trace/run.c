/* SPDX-License-Identifier: BSD-3-Clause */
/* See run.h: merges the records of all threads by the ends of calls. */
#include "run.h"

#include "place.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRESS_EVERY = 1 << 16 };

/* A thread, and its next event. */
struct cursor {
    struct proa_stream *stream;
    struct proa_model_event event;
    enum proa_role role;
    int32_t *group; /* ranks that came with it; NULL for none */
    char *text;     /* text that came with it; NULL for none */
    int group_count;
    int wait_count, wait_room;
    struct proa_model_wait *waits;
};

/* Cursors with an event, a heap by its end. */
struct merge {
    struct proa_run run;
    uint64_t records;
    int count;
    struct cursor **heap;
    int32_t **call_roles; /* by process, then number of the call */
};

enum proa_role proa_role_of(const char *call)
{
    static const struct {
        const char *name;
        enum proa_role role;
    } roles[] = {{"MPI_Win_fence", PROA_ROLE_FENCE},
                 {"MPI_Win_start", PROA_ROLE_START},
                 {"MPI_Win_complete", PROA_ROLE_COMPLETE},
                 {"MPI_Win_post", PROA_ROLE_POST},
                 {"MPI_Win_wait", PROA_ROLE_WAIT},
                 {"MPI_Win_test", PROA_ROLE_WAIT},
                 {"MPI_Win_lock", PROA_ROLE_LOCK},
                 {"MPI_Win_unlock", PROA_ROLE_UNLOCK},
                 {"MPI_Win_lock_all", PROA_ROLE_LOCK_ALL},
                 {"MPI_Win_unlock_all", PROA_ROLE_UNLOCK_ALL},
                 {"MPI_Win_flush", PROA_ROLE_FLUSH},
                 {"MPI_Win_flush_all", PROA_ROLE_FLUSH},
                 {"PROA_Win_wait_notify", PROA_ROLE_NOTIFY_WAIT},
                 {"PROA_Win_waitsome_notify", PROA_ROLE_NOTIFY_WAIT},
                 {"MPI_Win_reset_notify_value", PROA_ROLE_NOTIFY_RESET},
                 {"MPI_Win_set_num_notify", PROA_ROLE_NOTIFY_RENUMBER},
                 {"MPI_Win_free", PROA_ROLE_FREE}};

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strcmp(call, roles[i].name) == 0)
            return roles[i].role;
    return PROA_ROLE_OTHER;
}

struct proa_side *proa_run_side(struct proa_run *run, int process, int window)
{
    struct proa_side **side =
        &run->sides[(size_t)process * (size_t)run->model->window_count + (size_t)window];

    if (!*side) {
        *side = proa_need(NULL, sizeof **side);
        **side = (struct proa_side){0};
    }
    return *side;
}

int64_t proa_waited(const struct proa_model_event *event, int rank)
{
    int64_t sum = 0;

    for (int i = 0; i < event->wait_count; i++)
        if (rank < 0 || event->waits[i].rank == rank)
            sum += event->waits[i].end_ns - event->waits[i].begin_ns;
    return sum;
}

/* ---- a thread ---- */

static int64_t time_of(const struct merge *merge, const struct cursor *cursor, uint64_t ticks)
{
    return proa_clock_time(&merge->run.model->clocks, cursor->stream->file, ticks);
}

static void add_wait(const struct merge *merge, struct cursor *cursor,
                     const struct proa_trace_record *record)
{
    const int64_t end_ns = time_of(merge, cursor, record->end);

    if (cursor->wait_count == cursor->wait_room) {
        cursor->wait_room = cursor->wait_room ? 2 * cursor->wait_room : 8;
        cursor->waits = proa_need(cursor->waits, (size_t)cursor->wait_room * sizeof *cursor->waits);
    }
    cursor->waits[cursor->wait_count++] =
        (struct proa_model_wait){end_ns - (int64_t)record->value, end_ns, record->rank};
}

static void set_group(struct merge *merge, struct cursor *cursor,
                      const struct proa_trace_record *record)
{
    const int count = record->rank > 0 ? record->rank : 0;

    free(cursor->group);
    cursor->group_count = count;
    cursor->group = (int32_t *)(void *)proa_stream_text(&merge->run.model->reader, cursor->stream,
                                                        (uint64_t)count * sizeof *cursor->group);
}

static enum proa_event_kind kind_of(const struct proa_trace_record *record)
{
    switch (record->kind) {
    case PROA_TRACE_OPERATION:
        return PROA_EVENT_OPERATION;
    case PROA_TRACE_APPLIED:
        return PROA_EVENT_APPLIED;
    case PROA_TRACE_SENT:
    case PROA_TRACE_RECEIVED:
        return PROA_EVENT_MESSAGE;
    case PROA_TRACE_MOVED:
        return PROA_EVENT_MOVED;
    case PROA_TRACE_FINDING:
        return PROA_EVENT_FINDING;
    default:
        return PROA_EVENT_CALL;
    }
}

static enum proa_role role_of(struct merge *merge, int process, int call)
{
    int32_t *role = &merge->call_roles[process][call < PROA_TRACE_CALLS ? call : 0];

    if (*role < 0)
        *role = (int32_t)proa_role_of(
            proa_trace_call_name(&merge->run.model->reader.files[process], call));
    return (enum proa_role) * role;
}

/* For a wait, the value is 1 + the index of its counter. For an operation it is in the lower half
 * of the value. */
static void set_call(struct merge *merge, struct cursor *cursor,
                     const struct proa_trace_record *record)
{
    struct proa_model_event *event = &cursor->event;

    event->way = record->way < PROA_MODEL_WAYS ? record->way : 0;
    if (event->kind == PROA_EVENT_OPERATION)
        event->part = record->value >> 32;
    else
        cursor->role = role_of(merge, event->process, record->call);
    if (event->kind == PROA_EVENT_OPERATION || cursor->role == PROA_ROLE_NOTIFY_WAIT ||
        cursor->role == PROA_ROLE_NOTIFY_RESET)
        event->counter = (int)(uint32_t)record->value - 1;
}

static void set_finding(struct merge *merge, struct cursor *cursor, uint64_t first, uint64_t bytes)
{
    struct proa_model *model = merge->run.model;

    cursor->event.other_place = proa_place(model->places, cursor->event.process, first);
    free(cursor->text);
    cursor->event.text = cursor->text = proa_stream_text(&model->reader, cursor->stream, bytes);
}

/* Sets the fields that depend on the record's kind. */
static void set_rest(struct merge *merge, struct cursor *cursor,
                     const struct proa_trace_record *record)
{
    static const char *const messages[] = {"message", "batch", "answer", "loss", "lock_all"};
    struct proa_model_event *event = &cursor->event;

    switch (event->kind) {
    case PROA_EVENT_CALL:
    case PROA_EVENT_OPERATION:
        set_call(merge, cursor, record);
        break;
    case PROA_EVENT_APPLIED:
        event->part = record->value;
        break;
    case PROA_EVENT_MESSAGE:
        event->call = messages[record->way < sizeof messages / sizeof *messages ? record->way : 0];
        event->way = record->kind == PROA_TRACE_RECEIVED;
        break;
    case PROA_EVENT_MOVED:
        event->call = record->way ? "pages back" : "pages moved";
        event->way = record->way;
        break;
    case PROA_EVENT_FINDING:
        set_finding(merge, cursor, record->value, record->bytes);
        break;
    }
}

static void set_event(struct merge *merge, struct cursor *cursor,
                      const struct proa_trace_record *record)
{
    struct proa_model *model = merge->run.model;
    const int file = cursor->stream->file;
    const struct proa_model_process *process = &model->processes[file];
    const int is_known = record->window < (uint32_t)process->window_count;

    cursor->role = PROA_ROLE_OTHER;
    cursor->event = (struct proa_model_event){
        .kind = kind_of(record),
        .process = file,
        .thread = cursor->stream->thread,
        .window = is_known ? process->windows[record->window] : -1,
        .begin_ns = time_of(merge, cursor, record->begin),
        .end_ns = time_of(merge, cursor, record->end),
        .call = proa_trace_call_name(&model->reader.files[file], record->call),
        .rank = record->rank,
        .bytes = record->bytes,
        .displacement = record->place,
        .value = record->value,
        .counter = -1,
        .mode = record->mode,
        .place = proa_place(model->places, file, record->caller),
        .other_place = -1,
        .wait_count = cursor->wait_count,
        .waits = cursor->waits};
    set_rest(merge, cursor, record);
}

static void give_window(const struct merge *merge, const struct cursor *cursor,
                        const struct proa_trace_record *record)
{
    const struct proa_model_sink *sink = merge->run.sink;
    const int process = cursor->stream->file;
    const struct proa_model_process *of = &merge->run.model->processes[process];

    if (sink->window && record->window < (uint32_t)of->window_count &&
        of->windows[record->window] >= 0)
        sink->window(sink->user, process, cursor->stream->thread, of->windows[record->window],
                     time_of(merge, cursor, record->end));
}

/* Reads the next event of the thread. Returns true if there is one. */
static int advance(struct merge *merge, struct cursor *cursor)
{
    const struct proa_trace_record *record;

    cursor->wait_count = 0;
    while ((record = proa_stream_next(&merge->run.model->reader, cursor->stream))) {
        merge->records++;
        switch (record->kind) {
        case PROA_TRACE_WAIT:
            add_wait(merge, cursor, record);
            break;
        case PROA_TRACE_GROUP:
            set_group(merge, cursor, record);
            break;
        case PROA_TRACE_WINDOW:
            give_window(merge, cursor, record);
            break;
        case PROA_TRACE_CALL:
        case PROA_TRACE_FREED:
        case PROA_TRACE_OPERATION:
        case PROA_TRACE_APPLIED:
        case PROA_TRACE_SENT:
        case PROA_TRACE_RECEIVED:
        case PROA_TRACE_MOVED:
        case PROA_TRACE_FINDING:
            set_event(merge, cursor, record);
            return 1;
        default:
            break;
        }
    }
    return 0;
}

/* ---- merging ---- */

static int is_before(const struct cursor *one, const struct cursor *other)
{
    if (one->event.end_ns != other->event.end_ns)
        return one->event.end_ns < other->event.end_ns;
    return one->event.process < other->event.process;
}

static void sink_down(struct merge *merge, int at)
{
    for (;;) {
        int least = at, left = 2 * at + 1, right = left + 1;
        struct cursor *moved;

        if (left < merge->count && is_before(merge->heap[left], merge->heap[least]))
            least = left;
        if (right < merge->count && is_before(merge->heap[right], merge->heap[least]))
            least = right;
        if (least == at)
            return;
        moved = merge->heap[at];
        merge->heap[at] = merge->heap[least];
        merge->heap[least] = moved;
        at = least;
    }
}

static void give(struct merge *merge, struct cursor *cursor)
{
    struct proa_run *run = &merge->run;

    cursor->event.id = ++run->events;
    proa_epochs_before(run, &cursor->event, cursor->role, cursor->group, cursor->group_count);
    cursor->group = NULL;
    if (run->sink->event)
        run->sink->event(run->sink->user, &cursor->event);
    proa_epochs_after(run, &cursor->event, cursor->role);
    if (run->sink->progress && run->events % PROGRESS_EVERY == 0)
        run->sink->progress(run->sink->user, merge->records, run->model->records);
}

static void cursor_free(struct cursor *cursor)
{
    proa_stream_rewind(cursor->stream);
    free(cursor->group);
    free(cursor->text);
    free(cursor->waits);
    free(cursor);
}

static void merge_all(struct merge *merge)
{
    for (int at = merge->count / 2; at >= 0; at--)
        sink_down(merge, at);
    while (merge->count > 0) {
        give(merge, merge->heap[0]);
        if (!advance(merge, merge->heap[0])) {
            cursor_free(merge->heap[0]);
            merge->heap[0] = merge->heap[--merge->count];
        }
        sink_down(merge, 0);
    }
}

static void add_cursor(struct merge *merge, struct proa_stream *stream)
{
    struct cursor *cursor = proa_need(NULL, sizeof *cursor);

    *cursor = (struct cursor){.stream = stream};
    if (!advance(merge, cursor)) {
        cursor_free(cursor);
        return;
    }
    merge->heap = proa_need(merge->heap, (size_t)(merge->count + 1) * sizeof(struct cursor *));
    merge->heap[merge->count++] = cursor;
}

static void add_process(struct merge *merge, int process)
{
    const size_t bytes = PROA_TRACE_CALLS * sizeof **merge->call_roles;
    struct proa_trace_file *file = &merge->run.model->reader.files[process];

    merge->call_roles[process] = memset(proa_need(NULL, bytes), 0xff, bytes);
    for (int thread = 0; thread < file->threads; thread++)
        add_cursor(merge, &file->streams[thread]);
}

void proa_model_run(struct proa_model *model, const struct proa_model_sink *sink)
{
    const size_t sides = (size_t)model->process_count * (size_t)model->window_count;
    struct merge merge = {.run = {.model = model, .sink = sink}};

    model->backward = model->abandoned = 0;
    model->backward_most_ns = 0;
    merge.run.sides = proa_need(NULL, sides * sizeof(struct proa_side *));
    memset(merge.run.sides, 0, sides * sizeof(struct proa_side *));
    merge.run.arrows = proa_arrows_new();
    merge.run.locks = proa_locks_new();
    merge.run.deliveries = proa_deliveries_new();
    merge.call_roles = proa_need(NULL, (size_t)model->process_count * sizeof(int32_t *));
    for (int i = 0; i < model->process_count; i++)
        add_process(&merge, i);
    merge_all(&merge);
    proa_epochs_end(&merge.run);
    proa_locks_end(&merge.run);
    proa_arrows_free(&merge.run);
    proa_deliveries_free(&merge.run);
    for (int i = 0; i < model->process_count; i++)
        free(merge.call_roles[i]);
    free(merge.call_roles);
    free(merge.heap);
    free(merge.run.sides);
    if (sink->progress)
        sink->progress(sink->user, model->records, model->records);
}
