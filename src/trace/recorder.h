/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorder of a trace (trace/format.h): each thread fills chunks of the process's file. A
 * record costs a tick of the clock and a few stores; a chunk takes system calls. A child of fork
 * records nothing.
 */
#ifndef PROA_TRACE_RECORDER_H
#define PROA_TRACE_RECORDER_H

#include "base/atomic.h"
#include "base/hidden.h"
#include "trace/format.h"

#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Is anything recorded? Set before the first window; 0 after a failure, and in children. */
extern PROA_HIDDEN int proa_trace_on;

/* Do ticks come from the processor? Else they are nanoseconds of CLOCK_MONOTONIC. */
extern PROA_HIDDEN int proa_trace_counts;

/* The process as the header shows it. */
struct proa_trace_process {
    int rank, size;
    uint64_t process, node;
    const char *version; /* of Proa */
};

/* Makes the file in the folder, and begins. PROA_OK; or a negative code, and nothing is recorded.
 */
int proa_trace_open(const char *folder, const struct proa_trace_process *process);

/* Renews the pair of times, and marks the file as ended in order. */
void proa_trace_close(void);

/* Nanoseconds of this node's clock, as the headers have them. */
int64_t proa_trace_now_ns(void);

static inline uint64_t proa_trace_ticks(void)
{
    struct timespec now;

#if defined(__x86_64__)
    if (proa_trace_counts)
        return __rdtsc();
#endif
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The thread's part of the recorder. */
struct proa_trace_thread {
    struct proa_trace_short *next, *end; /* equal: the chunk is full, or there is none */
    struct proa_trace_short *operation;  /* the last short operation that was not timed, or NULL */
    struct proa_trace_slot *slot;        /* NULL before the first record */
    uint64_t chunk_caller;
    uint64_t begin, caller; /* of the call that goes on */
    uint64_t value, place;  /* for its record */
    uint64_t displacement;  /* the same, of an operation */
    uint8_t mode;
    int number;
};
extern PROA_HIDDEN _Thread_local struct proa_trace_thread proa_trace_thread PROA_INITIAL_EXEC;

/* Takes a further chunk for the thread. 0: there is none, and the record is counted as dropped. */
int proa_trace_more(struct proa_trace_thread *thread);

/* Appends the record, in two cells; its kind is stored last. */
void proa_trace_put(const struct proa_trace_record *record);

/* Has a CALL or OPERATION a short form? `value` is that of a call, and else 0. */
static inline int proa_trace_is_short(const struct proa_trace_record *record, uint64_t place,
                                      uint64_t value, uint64_t chunk_caller)
{
    return ((record->bytes >> 16) | (place >> 32) | value | (record->window >> 16) |
            (((uint64_t)(int64_t)record->rank + 1) >> 15) | (record->call >> 8) |
            ((record->caller - chunk_caller + ((uint64_t)1 << 31)) >> 32) |
            ((record->end - record->begin) >> 32)) == 0;
}

/* Appends a CALL or OPERATION in one cell, or in two. Its kind is stored last. Returns the cell;
 * NULL: it has taken two, or was dropped. */
static inline __attribute__((always_inline)) struct proa_trace_short *
proa_trace_put_short(const struct proa_trace_record *record)
{
    const int is_call = record->kind == PROA_TRACE_CALL;
    const uint64_t place = is_call ? record->value : record->place;
    struct proa_trace_thread *thread = &proa_trace_thread;
    struct proa_trace_short *at;

    if (__builtin_expect(thread->next == thread->end, 0) && !proa_trace_more(thread))
        return NULL;
    if (__builtin_expect(!proa_trace_is_short(record, place,
                                              is_call ? record->place : record->value,
                                              thread->chunk_caller),
                         0)) {
        proa_trace_put(record);
        return NULL;
    }
    at = thread->next++;
    at->begin = record->begin;
    at->length = (uint32_t)(record->end - record->begin);
    at->caller = (int32_t)(int64_t)(record->caller - thread->chunk_caller);
    at->place = (uint32_t)place;
    at->bytes = (uint16_t)record->bytes;
    at->rank = (int16_t)record->rank;
    at->window = (uint16_t)record->window;
    at->call = (uint8_t)record->call;
    at->epoch = record->epoch;
    at->way = record->way;
    at->mode = record->mode;
    proa_atomic_store(&at->kind, /* partner: readers of the file */
                      is_call ? PROA_TRACE_SHORT_CALL : PROA_TRACE_SHORT_OPERATION, PROA_RELEASE);
    return at;
}

/* The call that has just begun is a flush that had nothing to wait for: adds it to the operation of
 * this thread that came just before it, if that was on this window and target, in that epoch. 0: it
 * needs a record of its own. */
static inline int proa_trace_flush(uint32_t window, int rank, uint8_t epoch, int call)
{
    struct proa_trace_thread *thread = &proa_trace_thread;
    struct proa_trace_short *at = thread->operation;
    uint64_t since, further;

    if (!at || at != thread->next - 1 || at->window != window || at->rank != rank ||
        at->epoch != epoch)
        return 0;
    since = thread->begin - at->begin;
    further = thread->caller - (thread->chunk_caller + (uint64_t)(int64_t)at->caller);
    if ((since >> 32) | ((further + (1 << 15)) >> 16))
        return 0;
    proa_atomic_store(&at->flush, (uint8_t)call, PROA_RELAXED);
    proa_atomic_fence(PROA_RELEASE); /* partner: read_short (tools/trace/cells.c) */
    proa_atomic_store(&at->length, (uint32_t)since, PROA_RELAXED);
    proa_atomic_store(&at->flush_caller, (int16_t)(int64_t)further, PROA_RELAXED);
    thread->operation = NULL; /* the next flush has a record of its own */
    proa_atomic_store(&at->kind, PROA_TRACE_FLUSHED_OPERATION, PROA_RELEASE); /* the same */
    return 1;
}

/* Appends as many TEXT records as those bytes need. */
void proa_trace_put_text(const void *text, uint64_t bytes);

/* Records the files of code that are loaded, if they are not the same as the last time. */
void proa_trace_modules(void);

/* ---- calls ---- */

/* A call begins: the observer of its end takes the time from here. */
static inline __attribute__((always_inline)) void proa_trace_begin(void *caller)
{
    struct proa_trace_thread *thread = &proa_trace_thread;

    if (__builtin_expect(!proa_trace_on, 1))
        return;
    thread->begin = proa_trace_ticks();
    thread->caller = (uint64_t)caller;
    thread->mode = 0;
    thread->value = thread->place = 0;
}

#endif
