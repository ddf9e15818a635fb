/* SPDX-License-Identifier: BSD-3-Clause */
/* See rules.h. */
#include "usage/rules.h"
#include "base/settings.h"
#include "usage/misuse.h"
#include "hang/whereabouts.h"
#include "sync/notify.h"
#include "sync/rwlock.h"
#include "window/epoch.h"
#include "window/sync_ops.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <uthash.h>
#include <utlist.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_rules *all;

/* ---- windows ---- */

/* How many windows each group of processes has made. */
struct made {
    uint64_t id; /* of the members */
    uint64_t count;
    UT_hash_handle hh;
};

/* Creation is collective, so windows of the same members come in the same order everywhere, unless
 * several threads make them: then an id may be of two windows, and a line about a hang names the
 * wrong one. */
static uint64_t new_id(uint64_t members)
{
    static struct made *made;
    struct made *of;

    HASH_FIND(hh, made, &members, sizeof members, of);
    if (!of) {
        of = calloc(1, sizeof *of);
        if (!of)
            return members;
        of->id = members;
        HASH_ADD(hh, made, id, sizeof of->id, of);
    }
    return members + 0x9e3779b97f4a7c15ull * ++of->count;
}

/* ---- creation ---- */

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261U;

    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 16777619U;
    return hash;
}

/* An info key that all processes must give the same value of. */
struct shared_key {
    const char *key;
    char value[2 * PROA_HINT_ROOM];
};

enum { SHARED_KEYS = 6 };

/* Sizes and units need to be the same only where that is asserted. */
static void read_keys(const struct proa_handle *handle, struct shared_key keys[SHARED_KEYS])
{
    const struct proa_hints *hints = &handle->hints;
    const struct {
        const char *key, *value;
        long long number; /* that must be the same if the value is "true" */
    } rows[SHARED_KEYS] = {{"no_locks", hints->no_locks, 0},
                           {"accumulate_ordering", hints->ordering, 0},
                           {"accumulate_ops", hints->ops, 0},
                           {"mpi_accumulate_granularity", hints->granularity, 0},
                           {"same_size", hints->same_size, (long long)handle->bytes},
                           {"same_disp_unit", hints->same_unit, handle->disp_unit}};

    for (int i = 0; i < SHARED_KEYS; i++) {
        const int has_number = i >= 4 && strcasecmp(rows[i].value, "true") == 0;

        keys[i].key = rows[i].key;
        if (has_number)
            snprintf(keys[i].value, sizeof keys[i].value, "%s, with %lld bytes", rows[i].value,
                     rows[i].number);
        else
            snprintf(keys[i].value, sizeof keys[i].value, "%s", rows[i].value);
    }
}

/* Collective: of a process without memory for its rules as well. */
static void compare_creation(struct proa_win *win, enum proa_call call, const void *caller)
{
    struct shared_key keys[SHARED_KEYS];
    uint32_t all_keys = 0;

    read_keys(proa_handle_of(win), keys);
    for (int i = 0; i < SHARED_KEYS; i++)
        all_keys = 31 * all_keys + hash_of(keys[i].value);
    if (proa_fences_agree(win, all_keys))
        return;
    for (int i = 0; i < SHARED_KEYS; i++)
        if (!proa_fences_agree(win, hash_of(keys[i].value)))
            proa_misuse(PROA_MISUSE_CREATION, win, proa_call_name(call), caller, NULL,
                        "the ranks do not agree on the info key %s: rank %d has \"%s\"",
                        keys[i].key, win->rank, keys[i].value);
}

struct proa_rules *proa_rules_new(struct proa_win *win, enum proa_call call, const void *caller)
{
    struct proa_rules *rules;

    if (!proa_settings()->check)
        return NULL;
    if (win->counted & PROA_COUNTED_CHECK)
        compare_creation(win, call, caller);
    rules = calloc(1, sizeof *rules);
    if (!rules)
        return NULL;
    *rules = (struct proa_rules){.win = win, .created = call, .creator = caller};
    rules->members = proa_members_of_group(proa_handle_of(win)->group);
    rules->peers = calloc((size_t)win->size, sizeof *rules->peers);
    if (!rules->members || !rules->peers) {
        proa_rules_drop(rules);
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    rules->id = new_id(rules->members->id);
    DL_APPEND2(all, rules, before, after);
    pthread_mutex_unlock(&mutex);
    return rules;
}

void proa_rules_drop(struct proa_rules *rules)
{
    if (!rules)
        return;
    pthread_mutex_lock(&mutex);
    if (rules->before)
        DL_DELETE2(all, rules, before, after);
    pthread_mutex_unlock(&mutex);
    free(rules->members);
    free(rules->peers);
    free(rules->fences.fence);
    free(rules);
}

void proa_rules_each(void (*look)(const struct proa_rules *rules, void *arg), void *arg)
{
    pthread_mutex_lock(&mutex);
    for (const struct proa_rules *rules = all; rules; rules = rules->after)
        look(rules, arg);
    pthread_mutex_unlock(&mutex);
}

/* ---- assertions ---- */

/* Operations of an epoch of another kind leave the window touched, too. */
static void check_fence(struct proa_rules *rules)
{
    proa_fences_note(&rules->fences, rules->assert, rules->caller);
    if (rules->assert & MPI_MODE_NOPRECEDE && proa_epoch_all(rules->win) & PROA_EPOCH_FENCE &&
        proa_epoch_touched(rules->win))
        proa_misuse(PROA_MISUSE_NOPRECEDE, rules->win, "MPI_Win_fence", rules->caller, NULL,
                    "MPI_Win_fence with MPI_MODE_NOPRECEDE follows operations of rank %d",
                    rules->win->rank);
}

/* On one node the word of a post that came before, as a message tells, is there. */
static void check_start(const struct proa_rules *rules)
{
    const struct proa_win *win = rules->win;

    if (!(rules->assert &MPI_MODE_NOCHECK))
        return;
    for (int i = 0; i < win->started_group.count; i++) {
        const int rank = win->started_group.rank[i];
        const uint64_t *posted =
            win->targets[rank].ctl ? win->sync->word(win, rank, PROA_WORD_POSTED) : NULL;

        if (posted && proa_atomic_load(posted, PROA_ACQUIRE) < 2 * rules->peers[rank].starts)
            proa_misuse(PROA_MISUSE_NOCHECK_START, win, "MPI_Win_start", rules->caller, NULL,
                        "MPI_Win_start with MPI_MODE_NOCHECK comes before MPI_Win_post of rank %d",
                        rank);
    }
}

/* The target's lock is not taken by this process, so all that its word tells is of others. */
static int is_locked_otherwise(const struct proa_win *win, int rank)
{
    const struct proa_target *target = &win->targets[rank];
    const int exclusive =
        (proa_epoch_towards(win, rank) & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER)) != 0;
    uint32_t state;

    if (win->remote_window || !target->ctl)
        return 0;
    state = proa_atomic_load(&target->ctl->lock.state, PROA_ACQUIRE);
    if (state & PROA_RW_BROKEN)
        return 0;
    return exclusive ? state != 0 || proa_atomic_load(&win->leader->all.active, PROA_ACQUIRE) != 0
                     : (state & PROA_RW_HELD) != 0;
}

static void check_lock(const struct proa_rules *rules, int target)
{
    const struct proa_win *win = rules->win;

    if (!(rules->assert &MPI_MODE_NOCHECK))
        return;
    for (int rank = 0; rank < win->size; rank++)
        if ((target < 0 || rank == target) && proa_epoch_towards(win, rank) & PROA_EPOCH_LOCK &&
            is_locked_otherwise(win, rank))
            proa_misuse(PROA_MISUSE_NOCHECK_LOCK, win,
                        target < 0 ? "MPI_Win_lock_all" : "MPI_Win_lock", rules->caller, NULL,
                        "a lock of rank %d is taken with MPI_MODE_NOCHECK while another process "
                        "has a conflicting one",
                        rank);
}

/* ---- calls ---- */

void proa_rules_enter(struct proa_rules *rules, enum proa_call call, int rank, int assert,
                      const void *caller)
{
    if (call >= PROA_CALL_Win_fence && call <= PROA_CALL_Win_lock_all) {
        rules->assert = assert;
        rules->caller = caller;
    }
    if (call == PROA_CALL_Win_fence)
        check_fence(rules);
    if (proa_whereabouts_on)
        proa_whereabouts_enter(&(struct proa_whereabouts){.call = proa_call_name(call),
                                                          .caller = caller,
                                                          .awaits = PROA_AWAITS_WINDOW,
                                                          .members = rules->members,
                                                          .peer = rank,
                                                          .window_call = call,
                                                          .rules = rules});
}

/* As far as the call has come: a call that has failed has opened nothing. */
static void count(struct proa_rules *rules, enum proa_call call)
{
    const struct proa_win *win = rules->win;

    if (call == PROA_CALL_Win_post)
        for (int i = 0; i < win->exposed_group.count; i++)
            rules->peers[win->exposed_group.rank[i]].posts++;
    else if (call == PROA_CALL_Win_start)
        for (int i = 0; i < win->started_group.count; i++)
            rules->peers[win->started_group.rank[i]].starts++;
}

void proa_rules_leave(struct proa_rules *rules, enum proa_call call, int rank, int code)
{
    if (code >= 0) {
        count(rules, call);
        if (call == PROA_CALL_Win_start)
            check_start(rules);
        else if (call == PROA_CALL_Win_lock || call == PROA_CALL_Win_lock_all)
            check_lock(rules, rank);
    }
    if (proa_whereabouts_on)
        proa_whereabouts_leave();
}

/* ---- the end ---- */

/* A start without operations does not wait, so a post that never comes is noticed only here. */
static void compare_groups(const struct proa_rules *rules, const void *caller)
{
    const struct proa_win *win = rules->win;

    for (int rank = 0; rank < win->size; rank++) {
        const uint64_t *told = win->targets[rank].ctl && !win->remote_window
                                   ? win->sync->word(win, rank, PROA_WORD_POSTED)
                                   : NULL;
        const uint64_t posts = told ? proa_atomic_load(told, PROA_ACQUIRE) / 2 : 0;

        if (told && posts != rules->peers[rank].starts)
            proa_misuse(PROA_MISUSE_GROUPS, win, "MPI_Win_free", caller, NULL,
                        "rank %d has started %llu access epochs to rank %d, which has posted %llu "
                        "times to it",
                        win->rank, (unsigned long long)rules->peers[rank].starts, rank,
                        (unsigned long long)posts);
    }
}

/* The words of this process are there until the window is released. */
void proa_rules_free(struct proa_rules *rules, const void *caller)
{
    compare_groups(rules, caller);
}

struct goes {
    const void *base, *caller;
};

static void look_for_memory(const struct proa_rules *rules, void *arg)
{
    const struct goes *goes = arg;
    const struct proa_finding_call created = {.call = proa_call_name(rules->created),
                                              .caller = rules->creator};

    if (goes->base && rules->win->base == goes->base)
        proa_misuse(PROA_MISUSE_FREED, rules->win, "MPI_Free_mem", goes->caller, &created,
                    "MPI_Free_mem frees memory that a window is over");
}

void proa_rules_memory_goes(const void *base, const void *caller)
{
    proa_rules_each(look_for_memory, &(struct goes){base, caller});
}

static void tell_leak(const struct proa_rules *rules, void *unused)
{
    (void)unused;
    proa_misuse(PROA_MISUSE_LEAK, rules->win, proa_call_name(rules->created), rules->creator, NULL,
                "a window is not freed before MPI_Finalize");
}

void proa_rules_tell_leaks(void)
{
    proa_rules_each(tell_leak, NULL);
}
