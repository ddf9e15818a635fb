/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorder of a trace (trace/format.h): each thread fills chunks of the process's file. A
 * record costs a tick of the clock and a line of stores; a chunk takes system calls. A child of
 * fork records nothing.
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
    struct proa_trace_record *next, *end; /* equal: the chunk is full, or there is none */
    struct proa_trace_slot *slot;         /* NULL before the first record */
    struct proa_trace_record *operation;  /* the last one, as long as its call goes on */
    uint64_t begin, caller;               /* of the call that goes on */
    uint64_t value, place;                /* for its record */
    uint8_t mode;
    int number;
};
extern PROA_HIDDEN _Thread_local struct proa_trace_thread proa_trace_thread PROA_INITIAL_EXEC;

/* Takes a further chunk for the thread. 0: there is none, and the record is counted as dropped. */
int proa_trace_more(struct proa_trace_thread *thread);

/* Appends the record; its kind is stored last. Returns where it is, or NULL. */
static inline struct proa_trace_record *proa_trace_put(const struct proa_trace_record *record)
{
    struct proa_trace_thread *thread = &proa_trace_thread;
    struct proa_trace_record *at;

    if (__builtin_expect(thread->next == thread->end, 0) && !proa_trace_more(thread))
        return NULL;
    at = thread->next++;
    at->begin = record->begin;
    at->end = record->end;
    at->bytes = record->bytes;
    at->place = record->place;
    at->value = record->value;
    at->caller = record->caller;
    at->rank = record->rank;
    at->window = record->window;
    at->call = record->call;
    at->way = record->way;
    at->mode = record->mode;
    at->epoch = record->epoch;
    proa_atomic_store(&at->kind, record->kind, PROA_RELEASE); /* partner: readers of the file */
    return at;
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
    thread->operation = NULL;
}

#endif
