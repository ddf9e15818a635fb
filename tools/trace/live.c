/* SPDX-License-Identifier: BSD-3-Clause */
/* See live.h. */
#include "live.h"

#include "base/atomic.h"
#include "reader.h"
#include "run.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double clock_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- windows and locks ---- */

static int window_index(struct proa_live *live, uint64_t identity)
{
    for (int i = 0; i < live->window_count; i++)
        if (live->windows[i].identity == identity)
            return i;
    live->windows =
        proa_need(live->windows, (size_t)(live->window_count + 1) * sizeof *live->windows);
    live->windows[live->window_count] =
        (struct proa_live_window){.identity = identity, .name = strdup("")};
    return live->window_count++;
}

static int window_of(const struct proa_live_rank *rank, uint32_t number)
{
    return number < (uint32_t)rank->window_count ? rank->windows[number] : -1;
}

int proa_live_world_rank(const struct proa_live *live, int window, int rank)
{
    if (window < 0 || rank < 0 || rank >= live->windows[window].size)
        return -1;
    return live->windows[window].world[rank];
}

static void add_member(struct proa_live_window *window, int size, int rank, int world)
{
    if (!window->world) {
        window->size = size;
        window->world = proa_need(NULL, (size_t)size * sizeof *window->world);
        for (int i = 0; i < size; i++)
            window->world[i] = -1;
    }
    if (rank >= 0 && rank < window->size)
        window->world[rank] = world;
    window->members++;
}

static void add_window(struct proa_live *live, struct proa_live_rank *rank,
                       const struct proa_trace_record *record)
{
    const int number = (int)record->window, index = window_index(live, record->value);

    add_member(&live->windows[index], (int)record->place, record->rank, rank->rank);
    if (number >= rank->window_count) {
        rank->windows = proa_need(rank->windows, (size_t)(number + 1) * sizeof *rank->windows);
        for (int i = rank->window_count; i <= number; i++)
            rank->windows[i] = -1;
        rank->window_count = number + 1;
    }
    rank->windows[number] = index;
}

static void add_lock(struct proa_live *live, int window, int target, int origin, int exclusive)
{
    if (live->lock_count == live->lock_room) {
        live->lock_room = live->lock_room ? 2 * live->lock_room : 16;
        live->locks = proa_need(live->locks, (size_t)live->lock_room * sizeof *live->locks);
    }
    live->locks[live->lock_count++] = (struct proa_live_lock){window, target, origin, exclusive};
}

static void drop_lock(struct proa_live *live, int window, int target, int origin)
{
    for (int i = 0; i < live->lock_count; i++) {
        const struct proa_live_lock *lock = &live->locks[i];

        if (lock->window != window || lock->target != target || lock->origin != origin)
            continue;
        live->locks[i] = live->locks[--live->lock_count];
        return;
    }
}

static void take_call(struct proa_live *live, struct proa_live_rank *rank,
                      const struct proa_trace_record *record)
{
    const int window = window_of(rank, record->window);
    int32_t *role = &rank->roles[record->call < PROA_TRACE_CALLS ? record->call : 0];

    if (window < 0 || record->mode & PROA_TRACE_FAILED)
        return;
    if (*role < 0)
        *role = (int32_t)proa_role_of(rank->follow.map + PROA_TRACE_CALLS_AT +
                                      (size_t)record->call * PROA_TRACE_NAME_BYTES);
    if (*role == PROA_ROLE_LOCK || *role == PROA_ROLE_LOCK_ALL)
        add_lock(live, window, record->rank, rank->rank,
                 (record->mode & PROA_TRACE_EXCLUSIVE) != 0);
    else if (*role == PROA_ROLE_UNLOCK || *role == PROA_ROLE_UNLOCK_ALL)
        drop_lock(live, window, record->rank, rank->rank);
}

/* ---- records ---- */

struct taker {
    struct proa_live *live;
    int index;
};

static void take_record(void *user, const struct proa_trace_record *record, const char *text)
{
    const struct taker *taker = user;
    struct proa_live *live = taker->live;
    struct proa_live_rank *rank = &live->ranks[taker->index];
    const int window = window_of(rank, record->window);

    switch (record->kind) {
    case PROA_TRACE_MODULE:
        proa_places_add_module(live->places, rank->number, text, record->place, record->value,
                               record->end);
        break;
    case PROA_TRACE_WINDOW:
        add_window(live, rank, record);
        break;
    case PROA_TRACE_NAME:
        if (window < 0)
            break;
        free(live->windows[window].name);
        live->windows[window].name = proa_text_shown(text);
        break;
    case PROA_TRACE_FREED:
        if (window >= 0)
            live->windows[window].members--;
        break;
    case PROA_TRACE_CALL:
        take_call(live, rank, record);
        break;
    case PROA_TRACE_OPERATION:
        rank->operations++;
        rank->bytes += record->bytes;
        break;
    default:
        break;
    }
}

/* ---- current calls of a rank ---- */

/* Returns the seconds since those ticks, by the wall clocks of both machines. Returns 0 if
 * unknown. */
static double seconds_since(const struct proa_trace_head *head, uint64_t ticks)
{
    const struct proa_trace_pair first = head->first,
                                 last = {proa_atomic_load(&head->last.ticks, PROA_RELAXED),
                                         proa_atomic_load(&head->last.ns, PROA_RELAXED)};
    double ns, seconds;

    if (last.ticks == first.ticks)
        return 0;
    ns = (double)(int64_t)(ticks - first.ticks) * (double)(last.ns - first.ns) /
         (double)(last.ticks - first.ticks);
    seconds = clock_s(CLOCK_REALTIME) - ((double)head->realtime_ns + ns) / 1e9;
    return seconds > 0 ? seconds : 0;
}

static void look_at_slot(struct proa_live *live, struct proa_live_rank *rank,
                         const struct proa_trace_slot *slot)
{
    const uint64_t since = proa_atomic_load(&slot->since, PROA_ACQUIRE);
    const uint32_t call = proa_atomic_load(&slot->call, PROA_RELAXED);
    double seconds;

    if (!since || call >= PROA_TRACE_CALLS)
        return;
    seconds = seconds_since(rank->follow.head, since);
    if (rank->call && seconds <= rank->seconds)
        return;
    rank->call = rank->follow.map + PROA_TRACE_CALLS_AT + (size_t)call * PROA_TRACE_NAME_BYTES;
    rank->window = window_of(rank, proa_atomic_load(&slot->window, PROA_RELAXED));
    rank->target =
        proa_live_world_rank(live, rank->window, proa_atomic_load(&slot->rank, PROA_RELAXED));
    rank->awaited =
        proa_live_world_rank(live, rank->window, proa_atomic_load(&slot->waited, PROA_RELAXED) - 1);
    rank->counter = (int)proa_atomic_load(&slot->counter, PROA_RELAXED) - 1;
    rank->seconds = seconds;
    rank->place =
        proa_place(live->places, rank->number, proa_atomic_load(&slot->caller, PROA_RELAXED));
}

static void look_at_slots(struct proa_live *live, struct proa_live_rank *rank)
{
    const struct proa_trace_slot *slots =
        (const struct proa_trace_slot *)(const void *)(rank->follow.map + PROA_TRACE_SLOTS_AT);

    rank->call = NULL;
    rank->seconds = 0;
    for (int i = 0; i < PROA_TRACE_SLOTS && !rank->has_ended; i++)
        look_at_slot(live, rank, &slots[i]);
}

static int has_ended(const struct proa_follow *follow)
{
    const struct proa_trace_head *head = follow->head;
    char host[PROA_TRACE_HOST_BYTES] = "";

    gethostname(host, sizeof host - 1);
    return proa_follow_is_over(follow) ||
           (strcmp(host, head->host) == 0 && kill(head->pid, 0) != 0 && errno == ESRCH);
}

static void look_at_rank(struct proa_live *live, int index, double elapsed_s)
{
    struct proa_live_rank *rank = &live->ranks[index];
    const uint64_t operations = rank->operations, bytes = rank->bytes;
    struct taker taker = {live, index};

    rank->has_ended = has_ended(&rank->follow);
    proa_follow_read(&rank->follow, take_record, &taker);
    rank->operations_s = elapsed_s > 0 ? (double)(rank->operations - operations) / elapsed_s : 0;
    rank->bytes_s = elapsed_s > 0 ? (double)(rank->bytes - bytes) / elapsed_s : 0;
}

/* ---- files ---- */

static int is_known(const struct proa_live *live, const char *path)
{
    for (int i = 0; i < live->rank_count; i++)
        if (strcmp(live->ranks[i].path, path) == 0)
            return 1;
    return 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct proa_live_rank *one = a, *other = b;

    return one->rank - other->rank;
}

static void add_rank(struct proa_live *live, const char *path)
{
    struct proa_live_rank rank = {.window = -1};

    if (is_known(live, path) || proa_follow_open(&rank.follow, path) != 0)
        return;
    if (has_ended(&rank.follow)) {
        proa_follow_close(&rank.follow);
        return;
    }
    rank.rank = rank.follow.head->rank;
    rank.pid = rank.follow.head->pid;
    rank.path = strdup(path);
    rank.number = live->rank_count;
    snprintf(rank.host, sizeof rank.host, "%s", rank.follow.head->host);
    memset(rank.roles, 0xff, sizeof rank.roles);
    live->ranks = proa_need(live->ranks, (size_t)(live->rank_count + 1) * sizeof *live->ranks);
    live->ranks[live->rank_count++] = rank;
    qsort(live->ranks, (size_t)live->rank_count, sizeof *live->ranks, by_rank);
}

static void look_for_files(struct proa_live *live)
{
    DIR *folder = opendir(live->folder);
    const struct dirent *entry;
    char path[4096];

    if (!folder)
        return;
    while ((entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.');

        snprintf(path, sizeof path, "%s/%s", live->folder, entry->d_name);
        if (dot && strcmp(dot, ".trace") == 0)
            add_rank(live, path);
    }
    closedir(folder);
}

/* ---- the view ---- */

void proa_live_open(struct proa_live *live, const char *folder)
{
    *live = (struct proa_live){.folder = folder, .places = proa_places_new()};
}

void proa_live_close(struct proa_live *live)
{
    for (int i = 0; i < live->rank_count; i++) {
        proa_follow_close(&live->ranks[i].follow);
        free(live->ranks[i].windows);
        free(live->ranks[i].path);
    }
    for (int i = 0; i < live->window_count; i++)
        free(live->windows[i].name), free(live->windows[i].world);
    free(live->ranks);
    free(live->windows);
    free(live->locks);
    proa_places_free(live->places);
}

void proa_live_look(struct proa_live *live)
{
    const double now_s = clock_s(CLOCK_MONOTONIC), before_s = live->looked_s;

    if (live->rank_count == 0 || live->rank_count < live->ranks[0].follow.head->size)
        look_for_files(live);
    for (int i = 0; i < live->rank_count; i++)
        look_at_rank(live, i, before_s > 0 ? now_s - before_s : 0);
    for (int i = 0; i < live->rank_count; i++)
        look_at_slots(live, &live->ranks[i]); /* these refer to windows of all ranks */
    live->looked_s = now_s;
}

int proa_live_has_ended(const struct proa_live *live)
{
    int ended = 0;

    for (int i = 0; i < live->rank_count; i++)
        ended += live->ranks[i].has_ended;
    return live->rank_count > 0 && ended == live->rank_count;
}
