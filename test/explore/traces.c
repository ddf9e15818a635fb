/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace that is read while it is recorded (trace/recorder.c, tools/trace/follow.c): each record
 * is whole, and of its thread. The file is pretended. */
#include "explore.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREAD = 3, CALLER = 17, LATER = 100, FIRST = 4096 };

/* The names that other files of this program have, too, end in _ here. */
#define proa_trace_on proa_trace_on_
#define proa_trace_thread proa_trace_thread_
/* The first zeros of a chunk in the file; and its pages stay. */
#define pwrite(file, zeros, bytes, at) \
    ((void)(file), (void)(zeros), memset(map + (at), 0, FIRST), (ssize_t)(bytes))
#define madvise(at, bytes, advice) ((void)(at))
#include "trace/recorder.c"
#include "../../tools/trace/cells.c"
#include "../../tools/trace/follow.c"

static struct shared {
    struct proa_follow follow; /* the reader's */
    int taken, flushes;
    uint64_t begun;
} * s;

/* Memory of the reader's. It asks once for each piece. */
void *proa_need(void *old, size_t bytes)
{
    explore_check(!old);
    return malloc(bytes);
}

static void prepare(void)
{
    explore_share(&map, sizeof map);
    explore_share(&head, sizeof head);
    explore_share(&threads, sizeof threads);
    explore_share(&chunks_most, sizeof chunks_most);
    explore_share(&is_full, sizeof is_full);
    explore_share(&proa_trace_on, sizeof proa_trace_on);
}

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
    map = explore_new(PROA_TRACE_HEAD_BYTES + PROA_TRACE_CHUNK_BYTES, 64);
    head = (struct proa_trace_head *)(void *)map;
    chunks_most = 1;
    threads = THREAD;
    proa_trace_on = 1;
    proa_trace_thread = (struct proa_trace_thread){0};
    s->follow.map = map;
    s->follow.head = head;
}

static void take(void *unused, const struct proa_trace_record *record, const char *text)
{
    (void)unused;
    explore_check(!text && record->kind == PROA_TRACE_CALL && record->caller == CALLER);
    s->taken++;
}

/* The first record of a thread comes with its chunk. */
static void follow(int thread)
{
    if (thread == 0) {
        proa_trace_put(
            &(struct proa_trace_record){.kind = PROA_TRACE_CALL, .caller = CALLER, .end = 1});
        return;
    }
    proa_follow_read(&s->follow, take, NULL);
    if (s->taken) /* the texts are those of the threads up to this one */
        explore_check(s->taken == 1 && s->follow.thread_count == THREAD + 1);
}

/* Of a thread that has ended all records are there. */
static void end(int thread)
{
    int is_over;

    if (thread == 0) {
        proa_trace_put(
            &(struct proa_trace_record){.kind = PROA_TRACE_CALL, .caller = CALLER, .end = 1});
        proa_trace_close();
        return;
    }
    is_over = proa_follow_is_over(&s->follow);
    proa_follow_read(&s->follow, take, NULL);
    explore_check(!is_over || s->taken == 1);
}

/* ---- records of one cell ---- */

/* Beginning right with the chunk. */
static void put_brief(uint8_t kind)
{
    struct proa_trace_thread *thread = &proa_trace_thread;

    proa_trace_more(thread);
    thread->begin = thread->base;
    thread->operation = proa_trace_put_brief((struct proa_trace_record){
        .kind = kind, .window = 1, .caller = CALLER, .begin = thread->begin, .end = thread->begin});
    explore_check(thread->operation != NULL);
}

static void follow_brief(int thread)
{
    if (thread)
        proa_follow_read(&s->follow, take, NULL);
    else
        put_brief(PROA_TRACE_CALL);
}

/* An operation that becomes a flushed one: with the flush, or without it and as it was. */
static void take_operation(void *unused, const struct proa_trace_record *record, const char *text)
{
    (void)unused, (void)text;
    if (record->kind == PROA_TRACE_CALL) {
        explore_check(record->begin == s->begun + LATER && record->call == PROA_CALL_Win_flush &&
                      record->caller == CALLER + 1);
        s->flushes++;
        return;
    }
    explore_check(record->kind == PROA_TRACE_OPERATION && record->begin == record->end &&
                  record->caller == CALLER && record->way == 0 && record->mode == 0);
    s->begun = record->begin;
    s->taken++;
}

static void flushed(int thread)
{
    if (thread == 0) {
        put_brief(PROA_TRACE_OPERATION);
        proa_trace_thread.begin += LATER;
        proa_trace_thread.caller = CALLER + 1;
        explore_check(proa_trace_flush(1, 0, 0, 0, PROA_CALL_Win_flush));
        return;
    }
    proa_follow_read(&s->follow, take_operation, NULL);
    explore_check(s->flushes <= s->taken);
}

/* ---- texts ---- */

static void take_name(void *unused, const struct proa_trace_record *record, const char *text)
{
    (void)unused;
    explore_check(record->kind == PROA_TRACE_NAME && text && strcmp(text, "halo") == 0);
    s->taken++;
}

static void follow_text(int thread)
{
    if (thread) {
        proa_follow_read(&s->follow, take_name, NULL);
        return;
    }
    proa_trace_put(&(struct proa_trace_record){.kind = PROA_TRACE_NAME, .bytes = 4});
    proa_trace_put_text("halo", 4);
}

const struct explore_scenario explore_traces[] = {
    {.name = "traces.follow", .threads = 2, .prepare = prepare, .setup = setup, .body = follow},
    {.name = "traces.end", .threads = 2, .prepare = prepare, .setup = setup, .body = end},
    {.name = "traces.brief",
     .threads = 2,
     .prepare = prepare,
     .setup = setup,
     .body = follow_brief},
    {.name = "traces.flushed", .threads = 2, .prepare = prepare, .setup = setup, .body = flushed},
    {.name = "traces.text", .threads = 2, .prepare = prepare, .setup = setup, .body = follow_text},
    {0},
};
