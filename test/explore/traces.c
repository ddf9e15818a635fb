/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace that is read while it is recorded (trace/recorder.c, tools/trace/follow.c): each record
 * is whole, and of its thread. The file is pretended. */
#include "explore.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREAD = 3, CALLER = 17, FIRST = 256 };

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
    int taken;
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

const struct explore_scenario explore_traces[] = {
    {.name = "traces.follow", .threads = 2, .prepare = prepare, .setup = setup, .body = follow},
    {.name = "traces.end", .threads = 2, .prepare = prepare, .setup = setup, .body = end},
    {0},
};
