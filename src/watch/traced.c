/* SPDX-License-Identifier: BSD-3-Clause */
/* See traced.h. */
#include "watch/traced.h"
#include "base/fail.h"
#include "base/settings.h"
#include "host/pmpi.h"
#include "proa.h"
#include "shm/peer.h"
#include "watch/clocks.h"
#include "watch/record.h"
#include "watch/waits.h"
#include "window/epoch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Smaller operations by load and store are not timed, unless they waited: timing would take longer
 * than the operation. Nor is a flush timed that finds everything complete. */
enum { TIMED_LEAST = 4096 };

/* The ranks of the last start or post. */
struct group {
    int count, room;
    int *ranks;
};

struct proa_traced {
    uint32_t window;
    uint64_t fences;       /* number of fences, and of other collective calls in the same order */
    pthread_mutex_t mutex; /* protects the groups */
    struct group started, posted;
    MPI_Comm nodes;
};

/* ---- records ---- */

static struct proa_trace_record record_of(const struct proa_traced *traced,
                                          enum proa_trace_kind kind)
{
    return (struct proa_trace_record){.begin = proa_trace_thread.begin,
                                      .end = proa_trace_ticks(),
                                      .caller = proa_trace_thread.caller,
                                      .rank = -1,
                                      .window = traced->window,
                                      .mode = proa_trace_thread.mode,
                                      .kind = (uint8_t)kind};
}

/* Waits recorded before the call belong to a call without a record. */
static void put_waits(const struct proa_traced *traced, const struct proa_win *win, int rank)
{
    struct proa_trace_record record = {.window = traced->window, .kind = PROA_TRACE_WAIT};

    for (int i = 0; i < proa_waits.count; i++) {
        const struct proa_watched_wait *wait = &proa_waits.wait[i];

        if (wait->end < proa_trace_thread.begin)
            continue;
        record.rank = wait->word && rank < 0 ? proa_wait_rank(win, wait->word) : rank;
        record.end = wait->end;
        record.value = (uint64_t)wait->ns;
        proa_trace_put(&record);
    }
}

/* Returns true if the group changed, and stores it. */
static int group_is_new(struct group *group, const struct proa_ranks *ranks)
{
    const size_t bytes = (size_t)ranks->count * sizeof *ranks->rank;

    if (group->count == ranks->count &&
        (bytes == 0 || memcmp(group->ranks, ranks->rank, bytes) == 0))
        return group->ranks == NULL;
    if (group->room < ranks->count) {
        int *grown = realloc(group->ranks, bytes);
        if (!grown)
            return 1;
        group->ranks = grown;
        group->room = ranks->count;
    }
    group->count = ranks->count;
    memcpy(group->ranks, ranks->rank, bytes);
    return 1;
}

static void put_group(struct proa_traced *traced, enum proa_call call, const struct proa_win *win)
{
    const struct proa_ranks *ranks =
        call == PROA_CALL_Win_start ? &win->started_group : &win->exposed_group;
    struct group *group = call == PROA_CALL_Win_start ? &traced->started : &traced->posted;
    struct proa_trace_record record = record_of(traced, PROA_TRACE_GROUP);
    int is_new;

    pthread_mutex_lock(&traced->mutex);
    is_new = group_is_new(group, ranks);
    pthread_mutex_unlock(&traced->mutex);
    if (!is_new)
        return;
    record.call = (uint16_t)call;
    record.rank = ranks->count;
    proa_trace_put(&record);
    proa_trace_put_text(ranks->rank, (uint64_t)ranks->count * sizeof *ranks->rank);
}

/* On one node operations are complete when their calls return: the flush has nothing to wait
 * for. */
static int is_flush_alone(const struct proa_win *win, enum proa_call call)
{
    return proa_record_rows[call] == PROA_STATS_FLUSH && !win->remote_window &&
           proa_waits.count == 0;
}

static uint8_t epoch_of(const struct proa_win *win, int rank)
{
    return (unsigned)rank < (unsigned)win->size ? proa_epoch_towards(win, rank)
                                                : proa_epoch_all(win);
}

static uint8_t mode_of(uint8_t mode, uint8_t epoch)
{
    return epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER) ? mode | PROA_TRACE_EXCLUSIVE : mode;
}

static void put_synchronization(struct proa_traced *traced, const struct proa_win *win,
                                enum proa_call call, int rank)
{
    const struct proa_trace_thread *thread = &proa_trace_thread;
    const uint8_t epoch = epoch_of(win, rank);
    const uint8_t mode = mode_of(thread->mode, epoch);
    uint64_t value = thread->value;

    if (call == PROA_CALL_Win_test && win->exposed)
        return; /* the exposure epoch continues: programs poll with MPI_Win_test */
    if ((call == PROA_CALL_Win_start || call == PROA_CALL_Win_post) && !(mode & PROA_TRACE_FAILED))
        put_group(traced, call, win);
    if (call == PROA_CALL_Win_fence || call == PROA_CALL_Win_set_num_notify)
        value = proa_atomic_fetch_add(&traced->fences, 1, PROA_RELAXED);
    proa_trace_put_call(&(struct proa_trace_record){
        .begin = thread->begin,
        .end = is_flush_alone(win, call) ? thread->begin : proa_trace_ticks(),
        .place = thread->place,
        .value = value,
        .caller = thread->caller,
        .rank = rank,
        .window = traced->window,
        .call = (uint16_t)call,
        .mode = mode,
        .epoch = epoch,
        .kind = PROA_TRACE_CALL});
}

void proa_traced_put(const struct proa_win *win, enum proa_call call, uint64_t value,
                     uint64_t place)
{
    struct proa_traced *traced = proa_handle_of(win)->traced;

    if (!traced || !proa_trace_on)
        return;
    proa_trace_thread.value = value;
    proa_trace_thread.place = place;
    put_waits(traced, win, -1);
    put_synchronization(traced, win, call, -1);
}

/* Returns the record of a completed operation. */
static struct proa_trace_record operation_record(const struct proa_traced *traced,
                                                 const struct proa_win *win, enum proa_call call,
                                                 int rank, int way, uint64_t bytes, uint64_t end)
{
    const struct proa_trace_thread *thread = &proa_trace_thread;

    return (struct proa_trace_record){.begin = thread->begin,
                                      .end = end,
                                      .bytes = bytes,
                                      .place = thread->displacement *
                                               (uint64_t)win->targets[rank].disp_unit,
                                      .value = thread->value,
                                      .caller = thread->caller,
                                      .rank = rank,
                                      .window = traced->window,
                                      .call = (uint16_t)call,
                                      .way = (uint8_t)way,
                                      .epoch = proa_epoch_towards(win, rank),
                                      .kind = PROA_TRACE_OPERATION};
}

static void put_operation(const struct proa_traced *traced, const struct proa_win *win,
                          enum proa_call call, int rank, int way, uint64_t bytes)
{
    const int is_timed = way != PROA_STATS_PLAIN || bytes >= TIMED_LEAST || proa_waits.count > 0;
    const uint64_t end = is_timed ? proa_trace_ticks() : proa_trace_thread.begin;
    const struct proa_trace_record record =
        operation_record(traced, win, call, rank, way, bytes, end);

    proa_trace_put_call(&record);
}

/* ---- current call of the thread ---- */

_Thread_local struct proa_traced_now proa_traced_now PROA_INITIAL_EXEC;

/* `since` is stored last, and is 0 while the other fields change. A reader may see fields of two
 * calls. */
static void show(struct proa_trace_slot *slot, const struct proa_traced *traced)
{
    const struct proa_trace_thread *thread = &proa_trace_thread;

    proa_atomic_store(&slot->caller, thread->caller, PROA_RELAXED);
    proa_atomic_store(&slot->window, traced->window, PROA_RELAXED);
    proa_atomic_store(&slot->call, (uint32_t)proa_traced_now.call, PROA_RELAXED);
    proa_atomic_store(&slot->rank, proa_traced_now.rank, PROA_RELAXED);
    proa_atomic_store(&slot->counter, (uint32_t)thread->value, PROA_RELAXED);
    proa_atomic_store(&slot->since, thread->begin, PROA_RELEASE); /* partner: tools/trace/live.c */
    proa_traced_now.is_shown = 1;
}

void proa_traced_wait(const uint64_t *word, int is_over)
{
    struct proa_trace_slot *slot = proa_trace_thread.slot;
    const struct proa_win *win = proa_traced_now.win;
    int rank = -1;

    if (!win || !slot)
        return;
    if (word && !is_over)
        rank = proa_wait_rank(win, word);
    proa_atomic_store(&slot->waited, rank + 1, PROA_RELAXED);
    if (!is_over && !proa_traced_now.is_shown)
        show(slot, proa_handle_of(win)->traced);
}

static void leave(void)
{
    proa_traced_now.win = NULL;
    if (!proa_traced_now.is_shown)
        return;
    proa_atomic_store(&proa_trace_thread.slot->since, 0, PROA_RELAXED);
    proa_traced_now.is_shown = 0;
}

/* ---- calls ---- */

/* Requests, and failed operations, have a record if they waited. */
__attribute__((noinline)) void proa_traced_call(struct proa_traced *traced,
                                                const struct proa_win *win, enum proa_call call,
                                                int rank, int way, uint64_t bytes)
{
    const int has_waited = proa_waits.count > 0;

    if (!proa_trace_on)
        return;
    if (has_waited)
        put_waits(traced, win, rank);
    if (way < PROA_STATS_WAYS)
        put_operation(traced, win, call, rank, way, bytes);
    else if (proa_record_rows[call] >= PROA_STATS_OPERATIONS || has_waited)
        put_synchronization(traced, win, call, rank);
    leave();
}

void proa_traced_stored(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                        int rank, uint64_t bytes)
{
    struct proa_trace_brief *at = NULL;

    if (__builtin_expect(proa_waits.count == 0 && bytes < TIMED_LEAST, 1))
        at = proa_trace_put_brief(operation_record(traced, win, call, rank, PROA_STATS_PLAIN, bytes,
                                                   proa_trace_thread.begin));
    proa_trace_thread.operation = at;
    if (__builtin_expect(!at, 0))
        proa_traced_call(traced, win, call, rank, PROA_STATS_PLAIN, bytes);
    else
        proa_traced_now.win = NULL; /* it was not shown, as it did not wait */
}

void proa_traced_flush(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                       int rank)
{
    const struct proa_trace_thread *thread = &proa_trace_thread;
    const uint8_t epoch = epoch_of(win, rank);
    const uint8_t mode = mode_of(thread->mode, epoch);

    if (is_flush_alone(win, call) &&
        (proa_trace_flush(traced->window, rank, epoch, mode, (int)call) ||
         proa_trace_put_brief((struct proa_trace_record){.begin = thread->begin,
                                                         .end = thread->begin,
                                                         .caller = thread->caller,
                                                         .rank = rank,
                                                         .window = traced->window,
                                                         .call = (uint16_t)call,
                                                         .mode = mode,
                                                         .epoch = epoch,
                                                         .kind = PROA_TRACE_CALL})))
        proa_traced_now.win = NULL;
    else
        proa_traced_call(traced, win, call, rank, PROA_WATCHED_NO_WAY, 0);
}

/* ---- windows ---- */

void proa_traced_start(void)
{
    struct proa_trace_process process = {.rank = -1, .size = -1, .version = PROA_VERSION};
    const char *folder = proa_settings()->trace;
    int is_initialized = 0;

    if (!*folder)
        return;
    if (proa_pmpi()->Initialized(&is_initialized) == MPI_SUCCESS && is_initialized) {
        proa_pmpi()->Comm_rank(MPI_COMM_WORLD, &process.rank);
        proa_pmpi()->Comm_size(MPI_COMM_WORLD, &process.size);
    }
    process.node = proa_hello_of(proa_self).node;
    process.process = proa_self->id;
    if (proa_trace_open(folder, &process) == PROA_OK)
        proa_waits_start();
}

struct proa_traced *proa_traced_new(void)
{
    static uint32_t windows;
    struct proa_traced *traced = proa_trace_on ? calloc(1, sizeof *traced) : NULL;

    if (!traced)
        return NULL;
    traced->window = proa_atomic_fetch_add(&windows, 1, PROA_RELAXED) + 1;
    traced->nodes = MPI_COMM_NULL;
    pthread_mutex_init(&traced->mutex, NULL);
    return traced;
}

uint32_t proa_traced_number(const struct proa_traced *traced)
{
    return traced ? traced->window : 0;
}

void proa_traced_drop(struct proa_traced *traced)
{
    if (!traced)
        return;
    pthread_mutex_destroy(&traced->mutex);
    free(traced->started.ranks);
    free(traced->posted.ranks);
    free(traced);
}

void proa_traced_open(struct proa_traced *traced, const struct proa_win *win, enum proa_call call,
                      MPI_Comm comm)
{
    struct proa_trace_record record;

    if (!traced)
        return;
    proa_trace_modules();
    record = record_of(traced, PROA_TRACE_WINDOW);
    record.begin = record.end; /* the start of the call is not used */
    record.call = (uint16_t)call;
    record.rank = win->rank;
    record.place = (uint64_t)win->size;
    record.value = win->identity;
    record.bytes = win->targets[win->rank].bytes;
    record.way = (uint8_t)win->flavor;
    proa_trace_put(&record);
    if (!win->remote_window || !(win->counted & PROA_COUNTED_TRACE))
        return;
    traced->nodes = proa_clocks_open(win, comm);
    proa_clocks_compare(traced->nodes);
}

void proa_traced_close(struct proa_traced *traced, const struct proa_win *win)
{
    struct proa_trace_record record;

    if (!traced)
        return;
    put_waits(traced, win, -1);
    record = record_of(traced, PROA_TRACE_FREED);
    record.call = PROA_CALL_Win_free;
    proa_trace_put(&record);
    leave();
    if (traced->nodes == MPI_COMM_NULL)
        return;
    proa_clocks_compare(traced->nodes);
    proa_pmpi()->Comm_free(&traced->nodes);
}

void proa_traced_name(struct proa_traced *traced, const char *name)
{
    struct proa_trace_record record;

    if (!traced || !name)
        return;
    record = record_of(traced, PROA_TRACE_NAME);
    record.bytes = strlen(name);
    proa_trace_put(&record);
    proa_trace_put_text(name, record.bytes);
}
