/* SPDX-License-Identifier: BSD-3-Clause */
/* See finding.h. */
#include "findings/finding.h"
#include "base/atomic.h"
#include "base/calls.h"
#include "base/settings.h"
#include "findings/sentences.h"
#include "findings/world.h"
#include "host/handle.h"
#include "host/start.h"
#include "host/types.h"
#include "trace/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Findings beyond this number are only counted. */
enum { KEPT_MOST = 1000 };

struct key {
    const char *id;
    const void *first, *second; /* callers */
};

struct kept {
    struct key key;
    struct proa_found found;
    UT_hash_handle hh;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kept *all;
static struct proa_checked numbers;

void (*proa_finding_around)(int begins);

const char *proa_verdict_name(enum proa_verdict verdict)
{
    static const char *const names[] = {"none", "note", "misuse", "race"};

    return names[verdict];
}

int proa_finding_thread(void)
{
    static int threads;
    static _Thread_local int mine;

    if (!proa_has_threads())
        return 0;
    if (!mine)
        mine = proa_atomic_fetch_add(&threads, 1, PROA_RELAXED) + 1;
    return mine;
}

/* ---- keeping ---- */

static struct key key_of(const char *id, const void *first, const void *second)
{
    struct key key;

    memset(&key, 0, sizeof key); /* all its bytes are hashed and compared */
    key.id = id;
    key.first = first;
    key.second = second;
    return key;
}

static struct kept *find(const struct key *key)
{
    struct kept *kept;

    HASH_FIND(hh, all, key, sizeof *key, kept);
    return kept;
}

int proa_finding_again(const char *id, const void *first, const void *second)
{
    const struct key key = key_of(id, first, second);
    struct kept *kept;

    pthread_mutex_lock(&mutex);
    kept = find(&key);
    if (kept)
        kept->found.count++;
    pthread_mutex_unlock(&mutex);
    return kept != NULL;
}

static void copy_text(char *to, size_t room, const char *text)
{
    const size_t length = text ? strnlen(text, room - 1) : 0;

    if (length)
        memcpy(to, text, length);
    to[length] = '\0';
}

static void copy_payload(struct proa_found_call *to, struct proa_payload payload)
{
    char name[MPI_MAX_OBJECT_NAME];

    if (!payload.is_known)
        return;
    if (payload.op)
        copy_text(to->op, sizeof to->op,
                  proa_operation_name((enum proa_operation)(payload.op - 1)));
    proa_types_name(payload.datatype, name);
    copy_text(to->datatype, sizeof to->datatype, name);
    to->count = payload.count;
}

static void copy_call(struct proa_found_call *to, const struct proa_finding_call *call)
{
    if (!call->call)
        return;
    copy_text(to->call, sizeof to->call, call->call);
    to->rank = call->other ? call->other - 1 : proa_world_rank();
    to->thread = call->thread;
    to->is_address = call->is_address;
    to->low = call->low;
    to->high = call->high;
    copy_payload(to, call->payload);
}

/* Only the place of the synchronization call is copied. */
static void copy_places(struct proa_found *to, const struct proa_finding *finding, int number)
{
    const struct proa_finding_call *call = &finding->calls[number];
    const unsigned most = number == PROA_LAST_SYNC ? 1 : (unsigned)proa_settings()->check_stack;
    struct proa_source places[PROA_STACK_MOST];
    unsigned before = proa_found_outers(to), count;
    struct proa_source *outer;

    if (call->place)
        to->calls[number].place = *call->place;
    if (!call->call || call->place)
        return;
    count = proa_source_find_all(call->caller, places, most);
    to->calls[number].place = places[0];
    outer = count > 1 ? realloc(to->outer, (before + count) * sizeof *outer) : NULL;
    if (!outer)
        return;
    memcpy(&outer[before], &places[1], (count - 1) * sizeof *outer);
    to->outer = outer;
    to->calls[number].outer = count - 1;
}

const struct proa_source *proa_found_outer(const struct proa_found *found, int call)
{
    const struct proa_source *outer = found->outer;

    for (int i = 0; i < call; i++)
        outer += found->calls[i].outer;
    return outer;
}

unsigned proa_found_outers(const struct proa_found *found)
{
    unsigned sum = 0;

    for (int i = 0; i < PROA_FINDING_CALLS; i++)
        sum += found->calls[i].outer;
    return sum;
}

static void copy(struct proa_found *to, const struct proa_finding *finding)
{
    char name[PROA_HANDLE_NAME_BYTES] = "";

    to->verdict = (int32_t)finding->verdict;
    to->rank = proa_world_rank();
    to->ranks = 1;
    to->count = 1;
    copy_text(to->id, sizeof to->id, finding->id);
    copy_text(to->rule, sizeof to->rule, finding->rule);
    copy_text(to->what, sizeof to->what, finding->what);
    copy_text(to->remedy, sizeof to->remedy, finding->remedy);
    if (finding->win)
        proa_handle_name(proa_handle_of(finding->win), name);
    copy_text(to->window, sizeof to->window, finding->window ? finding->window : name);
    for (int i = 0; i < PROA_FINDING_CALLS; i++)
        copy_call(&to->calls[i], &finding->calls[i]);
    for (int i = 0; i < PROA_FINDING_CALLS; i++)
        copy_places(to, finding, i);
}

static int is_same_line(const struct proa_source *one, const struct proa_source *other)
{
    return one->line > 0 && one->line == other->line && strcmp(one->file, other->file) == 0 &&
           strcmp(one->function, other->function) == 0;
}

static int is_same_frame(const struct proa_source *one, const struct proa_source *other)
{
    return is_same_line(one, other) || proa_source_is(one, other);
}

/* Returns true if the lines of the call, and of the calls around it, are equal. */
static int are_same_lines(const struct proa_found *one, const struct proa_found *other, int call)
{
    const struct proa_found_call *first = &one->calls[call], *second = &other->calls[call];

    if (!is_same_line(&first->place, &second->place) || first->outer != second->outer)
        return 0;
    for (unsigned i = 0; i < first->outer; i++)
        if (!is_same_frame(&proa_found_outer(one, call)[i], &proa_found_outer(other, call)[i]))
            return 0;
    return 1;
}

/* Finds the same rule at the same two lines: a statement such as `x++` loads and stores. */
static struct kept *find_lines(const struct proa_found *found)
{
    struct kept *kept;

    for (kept = all; kept; kept = kept->hh.next)
        if (strcmp(kept->found.id, found->id) == 0 &&
            are_same_lines(&kept->found, found, PROA_FIRST) &&
            are_same_lines(&kept->found, found, PROA_SECOND))
            return kept;
    return NULL;
}

/* Adds the finding, or counts it if another thread added it meanwhile. Returns 1 if it is new. */
static int enter(struct kept *kept)
{
    struct kept *before;
    int is_new = 0;

    pthread_mutex_lock(&mutex);
    before = find(&kept->key);
    if (!before)
        before = find_lines(&kept->found);
    if (before)
        before->found.count++;
    else if (HASH_COUNT(all) >= KEPT_MOST)
        numbers.untold++;
    else
        is_new = 1;
    if (is_new)
        HASH_ADD(hh, all, key, sizeof kept->key, kept);
    pthread_mutex_unlock(&mutex);
    return is_new;
}

static int call_number(const char *name)
{
    for (int call = 0; name && call < PROA_CALL_COUNT; call++)
        if (strcmp(proa_call_name((enum proa_call)call), name) == 0)
            return call;
    return PROA_TRACE_CALLS; /* a call without a name */
}

static uint64_t address_of(const struct proa_finding_call *call)
{
    return (uint64_t)(uintptr_t)proa_caller_address(call->caller);
}

/* Records the finding in the trace at once, within the current call. */
static void record(const struct proa_finding *finding)
{
    const struct proa_finding_call *first = &finding->calls[PROA_FIRST],
                                   *second = &finding->calls[PROA_SECOND];
    const uint64_t now = proa_trace_on ? proa_trace_ticks() : 0, bytes = strlen(finding->what);
    const struct proa_finding_call *later = second->caller ? second : first;

    if (!proa_trace_on)
        return;
    proa_trace_put(&(struct proa_trace_record){.begin = now,
                                               .end = now,
                                               .bytes = bytes,
                                               .value = later == second ? address_of(first) : 0,
                                               .caller = address_of(later),
                                               .rank = -1,
                                               .window = finding->win ? finding->win->traced : 0,
                                               .call = (uint16_t)call_number(later->call),
                                               .mode = (uint8_t)finding->verdict,
                                               .kind = PROA_TRACE_FINDING});
    proa_trace_put_text(finding->what, bytes);
}

static void tell(const struct proa_found *found)
{
    if (proa_finding_around)
        proa_finding_around(1);
    proa_sentences_tell(found);
    if (proa_finding_around)
        proa_finding_around(0);
}

/* Resolves places, and the window's name at the host, without holding the mutex. */
void proa_finding_add(const struct proa_finding *finding)
{
    const struct proa_finding_call *calls = finding->calls;
    struct kept *kept;

    if (proa_finding_again(finding->id, calls[PROA_FIRST].caller, calls[PROA_SECOND].caller))
        return;
    kept = calloc(1, sizeof *kept);
    if (!kept)
        return;
    kept->key = key_of(finding->id, calls[PROA_FIRST].caller, calls[PROA_SECOND].caller);
    copy(&kept->found, finding);
    if (!enter(kept)) {
        free(kept->found.outer);
        free(kept);
        return;
    }
    record(finding);
    if (!finding->is_told)
        tell(&kept->found);
}

void proa_finding_count(uint64_t operations, uint64_t scattered, uint64_t dropped)
{
    pthread_mutex_lock(&mutex);
    numbers.operations += operations;
    numbers.scattered += scattered;
    numbers.dropped += dropped;
    pthread_mutex_unlock(&mutex);
}

void proa_finding_count_by_values(uint64_t accesses)
{
    pthread_mutex_lock(&mutex);
    numbers.by_values += accesses;
    pthread_mutex_unlock(&mutex);
}

void proa_finding_unseen(unsigned parts)
{
    pthread_mutex_lock(&mutex);
    numbers.unseen |= parts;
    pthread_mutex_unlock(&mutex);
}

/* ---- the end ---- */

struct proa_found *proa_finding_all(int *count, struct proa_checked *checked)
{
    struct proa_found *found;

    pthread_mutex_lock(&mutex);
    *checked = numbers;
    *count = 0;
    found = HASH_COUNT(all) ? calloc(HASH_COUNT(all), sizeof *found) : NULL;
    for (const struct kept *kept = all; kept && found; kept = kept->hh.next)
        found[(*count)++] = kept->found;
    pthread_mutex_unlock(&mutex);
    return found;
}

void proa_finding_forget(void)
{
    struct kept *kept, *next;

    pthread_mutex_lock(&mutex);
    kept = all;
    HASH_CLEAR(hh, all);
    for (; kept; kept = next) {
        next = kept->hh.next;
        free(kept->found.outer);
        free(kept);
    }
    memset(&numbers, 0, sizeof numbers);
    pthread_mutex_unlock(&mutex);
}
