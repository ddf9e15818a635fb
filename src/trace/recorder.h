/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorder of a trace (trace/format.h): each thread fills chunks of the process's file. A
 * record costs one reading of the clock and a few stores; a chunk costs system calls. A child of
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

/* True while recording. Set before the first window; 0 after a failure, and in children. */
extern PROA_HIDDEN int proa_trace_on;

/* True if ticks are the processor's. Otherwise they are nanoseconds of CLOCK_MONOTONIC. */
extern PROA_HIDDEN int proa_trace_counts;

/* The process, as stored in the header. */
struct proa_trace_process {
    int rank, size;
    uint64_t process, node;
    const char *version; /* version of Proa */
};

/* Creates the file in the folder, and starts recording. Returns PROA_OK, or a negative code if
 * nothing is recorded. */
int proa_trace_open(const char *folder, const struct proa_trace_process *process);

/* Renews the pair of times, and marks the file as complete. */
void proa_trace_close(void);

/* Returns the time of this node's clock, nanoseconds, as in the headers. */
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

/* State of the recorder in a thread. */
struct proa_trace_thread {
    struct proa_trace_brief *next, *end; /* cells; equal if the chunk is full, or there is none */
    struct proa_trace_brief *operation;  /* last operation that was not timed, or NULL */
    struct proa_trace_site *sites;       /* sites of the chunk */
    struct proa_trace_slot *slot;        /* NULL before the first record */
    uint64_t base;                       /* ticks at the start of the chunk */
    uint64_t begin, caller;              /* of the current call */
    uint64_t value, place;               /* for the current call's record */
    uint64_t displacement;               /* argument of an operation */
    uint8_t mode;
    int number;
};
extern PROA_HIDDEN _Thread_local struct proa_trace_thread proa_trace_thread PROA_INITIAL_EXEC;

/* Takes another chunk for the thread. Returns 0 if there is none; the record is then counted as
 * dropped. */
int proa_trace_more(struct proa_trace_thread *thread);

/* Appends the record, in four cells; its kind is stored last. */
void proa_trace_put(const struct proa_trace_record *record);

/* Appends a CALL or OPERATION, in one cell or four. */
void proa_trace_put_call(const struct proa_trace_record *record);

/* ---- brief records ---- */

/* Packs a site's `what` (trace/format.h). way: PROA_TRACE_NO_WAY for a CALL. */
static inline uint64_t proa_trace_what(uint32_t window, int call, uint8_t epoch, uint8_t way,
                                       uint8_t mode)
{
    return ((uint64_t)window << PROA_TRACE_WINDOW_AT) | ((uint64_t)call << PROA_TRACE_CALL_AT) |
           ((uint64_t)epoch << PROA_TRACE_EPOCH_AT) | ((uint64_t)way << PROA_TRACE_WAY_AT) |
           ((uint64_t)mode << PROA_TRACE_MODE_AT);
}

static inline int proa_trace_is_site(const struct proa_trace_site *site, uint64_t caller,
                                     uint64_t bytes, uint64_t what)
{
    return ((site->caller ^ caller) | (site->bytes ^ bytes) | (site->what ^ what)) == 0;
}

/* Returns the start of the search for a site, a number below PROA_TRACE_SITES. */
static inline unsigned proa_trace_site_hash(uint64_t caller, uint64_t bytes, uint64_t what)
{
    _Static_assert((int)PROA_TRACE_SITES == 1 << 7, "as many as the hash has values");
    return (unsigned)(((caller + bytes + what) * 0x9e3779b97f4a7c15u) >> 57);
}

/* Returns the number of the site in the thread's chunk, and defines it if it is new. Returns 0 if
 * there is no room for it. */
unsigned proa_trace_site_find(uint64_t caller, uint64_t bytes, uint64_t what);

static inline unsigned proa_trace_site_number(uint64_t caller, uint64_t bytes, uint64_t what)
{
    const unsigned hash = proa_trace_site_hash(caller, bytes, what);

    if (__builtin_expect(proa_trace_is_site(&proa_trace_thread.sites[hash], caller, bytes, what),
                         1))
        return hash + 1;
    return proa_trace_site_find(caller, bytes, what);
}

/* Appends a CALL or OPERATION in one cell of this chunk; its kind is stored last. Returns NULL, and
 * appends nothing, if its numbers do not fit, or there is no cell. The record is passed by value,
 * so the compiler can keep it out of memory. */
static inline __attribute__((always_inline)) struct proa_trace_brief *
proa_trace_put_brief(const struct proa_trace_record record)
{
    const int is_call = record.kind == PROA_TRACE_CALL;
    const uint64_t place = is_call ? record.value : record.place;
    const uint64_t other = is_call ? record.place : record.value;
    const uint64_t length = record.end - record.begin;
    struct proa_trace_thread *thread = &proa_trace_thread;
    struct proa_trace_brief *at;
    unsigned number = 0;
    uint64_t since;

    if (__builtin_expect(thread->next == thread->end, 0))
        return NULL;
    since = record.begin - thread->base;
    if (__builtin_expect((((since | place) >> 32) | (length >> PROA_TRACE_LENGTH_BITS) | other |
                          (((uint64_t)(int64_t)record.rank + 1) >> 15)) == 0,
                         1))
        number = proa_trace_site_number(record.caller, record.bytes,
                                        proa_trace_what(record.window, record.call, record.epoch,
                                                        is_call ? PROA_TRACE_NO_WAY : record.way,
                                                        record.mode));
    if (__builtin_expect(!number, 0))
        return NULL;
    at = thread->next++;
    at->since = (uint32_t)since;
    at->place = (uint32_t)place;
    proa_atomic_store(&at->rest, /* partner: readers of the file */
                      ((uint64_t)PROA_TRACE_BRIEF << PROA_TRACE_KIND_AT) |
                          ((uint64_t)number << PROA_TRACE_SITE_AT) |
                          (length << PROA_TRACE_LENGTH_AT) |
                          ((uint64_t)(uint16_t)record.rank << PROA_TRACE_RANK_AT),
                      PROA_RELEASE);
    return at;
}

/* The call that just started is a flush that had nothing to wait for. Merges it into the preceding
 * operation of this thread, if that was on this window and target, in that epoch. Returns 0 if it
 * needs a record of its own. */
static inline int proa_trace_flush(uint32_t window, int rank, uint8_t epoch, uint8_t mode, int call)
{
    const uint64_t what = proa_trace_what(window, call, epoch, PROA_TRACE_NO_WAY, mode);
    const uint64_t same = proa_trace_what(UINT32_MAX, 0, UINT8_MAX, 0, 0);
    struct proa_trace_thread *thread = &proa_trace_thread;
    struct proa_trace_brief *at = thread->operation;
    uint64_t length;
    unsigned number;

    if (!at || at != thread->next - 1 || (uint16_t)(at->rest >> PROA_TRACE_RANK_AT) != rank ||
        ((thread->sites[(uint8_t)(at->rest >> PROA_TRACE_SITE_AT) - 1].what ^ what) & same))
        return 0;
    length = thread->begin - thread->base - at->since;
    number = proa_trace_site_number(thread->caller, 0, what);
    if (length >> PROA_TRACE_LENGTH_BITS || !number)
        return 0;
    thread->operation = NULL; /* the next flush then has a record of its own */

    proa_atomic_store(&at->rest, /* partner: readers of the file, for the site */
                      at->rest | ((uint64_t)number << PROA_TRACE_FLUSH_AT) |
                          (length << PROA_TRACE_LENGTH_AT),
                      PROA_RELEASE);
    return 1;
}

/* Appends as many TEXT records as the bytes need. */
void proa_trace_put_text(const void *text, uint64_t bytes);

/* Records the loaded files of code, if they changed since the last time. */
void proa_trace_modules(void);

/* ---- calls ---- */

/* A call starts: the observer of its end reads the time from here. */
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
