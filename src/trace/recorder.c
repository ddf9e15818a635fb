/* SPDX-License-Identifier: BSD-3-Clause */
/* See recorder.h. */
#include "trace/recorder.h"
#include "base/calls.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_CELLS = PROA_TRACE_CHUNK_BYTES / PROA_TRACE_CELL_BYTES };

int proa_trace_on, proa_trace_counts;
_Thread_local struct proa_trace_thread proa_trace_thread PROA_INITIAL_EXEC;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects the file and its header */
static char *map;                                         /* mapping, as large as the limit */
static struct proa_trace_head *head;
static int file = -1;
static uint64_t chunks_most;
static int is_full; /* no chunk is free */
static int threads;

/* ---- clock ---- */

/* Returns true if the processor's ticks are equal on all processors of the node: the kernel uses
 * them as its clock source. */
static int ticks_are_good(void)
{
    char name[16] = "";
    FILE *source = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

    if (source) {
        if (!fgets(name, sizeof name, source))
            name[0] = 0;
        fclose(source);
    }
    return strcmp(name, "tsc\n") == 0;
}

/* Returns the time of a wrong clock, for tests: "NS" or "NS,PPM", ahead and faster. */
static int64_t pretended(int64_t ns)
{
    const char *skew = proa_settings()->trace_skew;
    const char *comma = strchr(skew, ',');
    double ppm = comma ? strtod(comma + 1, NULL) : 0;

    return ns + strtoll(skew, NULL, 10) + (int64_t)((double)ns * ppm / 1e6);
}

int64_t proa_trace_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return pretended((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

/* Reads the pair several times, and keeps the shortest reading. */
static struct proa_trace_pair pair_now(void)
{
    struct proa_trace_pair best = {0, 0};
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        uint64_t before = proa_trace_ticks();
        int64_t ns = proa_trace_now_ns();
        uint64_t took = proa_trace_ticks() - before;

        if (took < least) {
            least = took;
            best = (struct proa_trace_pair){before + took / 2, ns};
        }
    }
    return best;
}

/* Another process may read meanwhile: it reads both words of one pair, or, rarely, of two pairs. */
static void last_renew(void)
{
    const struct proa_trace_pair now = pair_now();

    proa_atomic_store(&head->last.ticks, now.ticks, PROA_RELAXED);
    proa_atomic_store(&head->last.ns, now.ns, PROA_RELAXED);
}

/* ---- chunks ---- */

/* Space in the file is allocated before a store to it: without space the store would kill the
 * process. Writing zeros takes a third of the time of posix_fallocate, whose blocks must be
 * converted by the first store to each page. */
static int file_extend(uint64_t at, uint64_t bytes)
{
    static char zeros[PROA_TRACE_CHUNK_BYTES]; /* not const: takes no space in the library */

    while (bytes) {
        const ssize_t done =
            pwrite(file, zeros, bytes < sizeof zeros ? bytes : sizeof zeros, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        at += (uint64_t)done;
        bytes -= (uint64_t)done;
    }
    return 0;
}

static int chunk_make(uint64_t number)
{
    const uint64_t at = PROA_TRACE_HEAD_BYTES + number * PROA_TRACE_CHUNK_BYTES;

    if (file_extend(at, PROA_TRACE_CHUNK_BYTES) != 0) {
        proa_log(PROA_LOG_WARN, "PROA_TRACE: no more room for the trace (%s): the rest is dropped",
                 strerror(errno));
        chunks_most = number;
        return 0;
    }
#ifdef MADV_POPULATE_WRITE
    madvise(map + at, PROA_TRACE_CHUNK_BYTES, MADV_POPULATE_WRITE);
#endif
    return 1;
}

/* Returns the number of a new chunk, or -1. */
static int64_t chunk_take(void)
{
    const uint64_t number = head->chunks;

    if (number >= chunks_most || !chunk_make(number))
        return -1;
    last_renew();
    proa_atomic_store(&head->chunks, number + 1, PROA_RELEASE); /* partner: readers of the file */
    return (int64_t)number;
}

static void thread_begin(struct proa_trace_thread *thread)
{
    static struct proa_trace_slot shared; /* for threads beyond the number of slots */

    thread->number = threads++;
    thread->slot = thread->number < PROA_TRACE_SLOTS
                       ? (struct proa_trace_slot *)(map + PROA_TRACE_SLOTS_AT) + thread->number
                       : &shared;
}

/* Only its thread writes a slot; all others write the header. */
static int drop(struct proa_trace_thread *thread)
{
    thread->next = thread->end = NULL;
    if (thread->number < PROA_TRACE_SLOTS)
        proa_atomic_store(&thread->slot->dropped, thread->slot->dropped + 1, PROA_RELAXED);
    else
        proa_atomic_fetch_add(&head->dropped, 1, PROA_RELAXED);
    return 0;
}

/* Drops the pages of a full chunk from the process: they are in the file. */
static void chunk_leave(const struct proa_trace_thread *thread)
{
    if (thread->end)
        madvise((char *)thread->end - PROA_TRACE_CHUNK_BYTES, PROA_TRACE_CHUNK_BYTES,
                MADV_DONTNEED);
}

/* Writes the first record of the chunk. Brief calls that end from now on start after its base. */
static void chunk_begin(struct proa_trace_thread *thread, uint64_t number)
{
    struct proa_trace_record first = {.kind = PROA_TRACE_CHUNK, .rank = thread->number};
    char *at = map + PROA_TRACE_HEAD_BYTES + number * PROA_TRACE_CHUNK_BYTES;

    first.begin = first.end = proa_trace_ticks() - ((uint64_t)1 << PROA_TRACE_LENGTH_BITS);
    first.value = number;
    thread->base = first.begin;
    thread->sites = (struct proa_trace_site *)(void *)(at + sizeof first);
    thread->next = (struct proa_trace_brief *)(void *)at;
    thread->end = thread->next + CHUNK_CELLS;
    proa_trace_put(&first);
    thread->next = (struct proa_trace_brief *)(void *)at + PROA_TRACE_CHUNK_HEAD_CELLS;
}

/* Returns the number of a new chunk for this thread, or -1; then other threads get none either. */
static int64_t chunk_take_first_come(struct proa_trace_thread *thread)
{
    int64_t number = -1;

    pthread_mutex_lock(&mutex);
    if (!thread->slot)
        thread_begin(thread);
    number = chunk_take();
    if (number < 0 && !is_full) {
        head->dropped_since = proa_trace_ticks();
        proa_atomic_store(&is_full, 1, PROA_RELAXED);
    }
    pthread_mutex_unlock(&mutex);
    return number;
}

int proa_trace_more(struct proa_trace_thread *thread)
{
    int64_t number = -1;

    if (!proa_trace_on)
        return 0;
    if (!thread->slot || !proa_atomic_load(&is_full, PROA_RELAXED))
        number = chunk_take_first_come(thread);
    if (number < 0)
        return drop(thread);
    chunk_leave(thread);
    chunk_begin(thread, (uint64_t)number);
    return 1;
}

unsigned proa_trace_site_find(uint64_t caller, uint64_t bytes, uint64_t what)
{
    enum { LOOKS = 8 };
    const unsigned hash = proa_trace_site_hash(caller, bytes, what);

    for (unsigned look = 0; look < LOOKS; look++) {
        const unsigned index = (hash + look) % PROA_TRACE_SITES;
        struct proa_trace_site *at = &proa_trace_thread.sites[index];

        if (!at->what)
            *at = (struct proa_trace_site){caller, bytes, what};
        if (proa_trace_is_site(at, caller, bytes, what))
            return index + 1;
    }
    return 0;
}

/* Returns true if there is room for a record. Remaining cells are filled: readers stop at an empty
 * one. */
static int has_room(struct proa_trace_thread *thread)
{
    if (thread->end - thread->next >= PROA_TRACE_RECORD_CELLS)
        return 1;
    while (thread->next != thread->end)
        proa_atomic_store(&thread->next++->rest, (uint64_t)PROA_TRACE_FILL << PROA_TRACE_KIND_AT,
                          PROA_RELAXED);
    return proa_trace_more(thread);
}

void proa_trace_put(const struct proa_trace_record *record)
{
    struct proa_trace_thread *thread = &proa_trace_thread;
    struct proa_trace_record *at;

    if (!has_room(thread))
        return;
    at = (struct proa_trace_record *)(void *)thread->next;
    thread->next += PROA_TRACE_RECORD_CELLS;
    at->begin = record->begin;
    at->end = record->end;
    at->rank = record->rank;
    at->window = record->window;
    at->call = record->call;
    at->way = record->way;
    at->mode = record->mode;
    at->epoch = record->epoch;
    at->bytes = record->bytes;
    at->place = record->place;
    at->value = record->value;
    at->caller = record->caller;
    proa_atomic_store(&at->kind, record->kind, PROA_RELEASE); /* partner: readers of the file */
}

void proa_trace_put_call(const struct proa_trace_record *record)
{
    struct proa_trace_thread *thread = &proa_trace_thread;

    if (thread->next == thread->end && !proa_trace_more(thread))
        return;
    if (!proa_trace_put_brief(*record))
        proa_trace_put(record);
}

static void put_text(const char *text, uint64_t bytes)
{
    struct proa_trace_thread *thread = &proa_trace_thread;
    struct proa_trace_text *at;

    if (thread->next == thread->end && !proa_trace_more(thread))
        return;
    at = (struct proa_trace_text *)(void *)thread->next++;
    memcpy(at->text, text, bytes);
    proa_atomic_store(&at->kind, PROA_TRACE_TEXT, PROA_RELEASE); /* partner: readers of the file */
}

void proa_trace_put_text(const void *text, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += PROA_TRACE_TEXT_BYTES) {
        const uint64_t left = bytes - at;

        put_text((const char *)text + at,
                 left < PROA_TRACE_TEXT_BYTES ? left : PROA_TRACE_TEXT_BYTES);
    }
}

/* ---- the file ---- */

/* A child has the mapping of its parent, and must not write to it. */
static void in_child(void)
{
    proa_trace_on = 0;
    proa_trace_thread.next = proa_trace_thread.end = NULL;
    proa_trace_thread.slot = NULL;
}

static void head_fill(const struct proa_trace_process *process)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    *head = (struct proa_trace_head){.version = PROA_TRACE_VERSION,
                                     .head_bytes = PROA_TRACE_HEAD_BYTES,
                                     .chunk_bytes = PROA_TRACE_CHUNK_BYTES,
                                     .cell_bytes = PROA_TRACE_CELL_BYTES,
                                     .rank = process->rank,
                                     .size = process->size,
                                     .pid = (int32_t)getpid(),
                                     .process = process->process,
                                     .node = process->node};
    memcpy(head->magic, PROA_TRACE_MAGIC, sizeof head->magic);
    head->limit_bytes = chunks_most * PROA_TRACE_CHUNK_BYTES;
    head->realtime_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    gethostname(head->host, sizeof head->host - 1);
    snprintf(head->proa, sizeof head->proa, "%s", process->version);
    for (int call = 0; call < PROA_CALL_COUNT; call++)
        snprintf(map + PROA_TRACE_CALLS_AT + (size_t)call * PROA_TRACE_NAME_BYTES,
                 PROA_TRACE_NAME_BYTES, "%s", proa_call_name((enum proa_call)call));
    head->first = head->last = pair_now();
}

/* Processes of one rank, as of spawned programs, have files with different numbers. */
static int file_make(const char *folder, int rank)
{
    char path[4096];

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return -1;
    for (int number = 0; number < 1000; number++) {
        int made;

        if (number == 0)
            snprintf(path, sizeof path, "%s/%d.trace", folder, rank);
        else
            snprintf(path, sizeof path, "%s/%d-%d.trace", folder, rank, number);
        made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    return -1;
}

static int file_map(void)
{
    const uint64_t bytes = PROA_TRACE_HEAD_BYTES + chunks_most * PROA_TRACE_CHUNK_BYTES;

    if (file_extend(0, PROA_TRACE_HEAD_BYTES) != 0)
        return -1;
    map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return map == MAP_FAILED ? -1 : 0;
}

/* Stays below the largest file that the process may write: exceeding it would kill the process. */
static uint64_t limit_chunks(void)
{
    uint64_t bytes = (uint64_t)proa_settings()->trace_limit_mib << 20;
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    return bytes > PROA_TRACE_HEAD_BYTES ? (bytes - PROA_TRACE_HEAD_BYTES) / PROA_TRACE_CHUNK_BYTES
                                         : 0;
}

int proa_trace_open(const char *folder, const struct proa_trace_process *process)
{
    _Static_assert((int)PROA_CALL_COUNT <= (int)PROA_TRACE_CALLS,
                   "the header has the names of all calls");
    proa_trace_counts = ticks_are_good();
    chunks_most = limit_chunks();
    file = file_make(folder, process->rank);
    if (file < 0 || file_map() != 0) {
        proa_log(PROA_LOG_WARN, "PROA_TRACE: cannot write in %s (%s): nothing is recorded", folder,
                 strerror(errno));
        return PROA_ERR_OTHER;
    }
    head = (struct proa_trace_head *)map;
    head_fill(process);
    pthread_atfork(NULL, NULL, in_child);
    proa_atomic_store(&proa_trace_on, 1, PROA_RELEASE);
    return PROA_OK;
}

void proa_trace_close(void)
{
    if (!proa_trace_on)
        return;
    pthread_mutex_lock(&mutex);
    last_renew();
    proa_atomic_store(&head->is_ended, 1, PROA_RELEASE); /* partner: readers of the file */
    if (is_full)
        proa_log(PROA_LOG_WARN, "PROA_TRACE: %llu record%s dropped: %s",
                 (unsigned long long)proa_trace_dropped(head),
                 proa_trace_dropped(head) == 1 ? " was" : "s were",
                 chunks_most * PROA_TRACE_CHUNK_BYTES < head->limit_bytes
                     ? "there is no more room for the trace"
                     : "the trace has reached PROA_TRACE_LIMIT");
    pthread_mutex_unlock(&mutex);
}
