/* SPDX-License-Identifier: BSD-3-Clause */
/* See rules.h. */
#include "usage/rules.h"
#include "base/settings.h"
#include "base/atomic.h"
#include "hang/thread_calls.h"
#include "host/types.h"
#include "sync/notify.h"
#include "usage/assertions.h"
#include "usage/creation.h"
#include "usage/memory.h"
#include "usage/misuse.h"
#include "window/sync_ops.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_rules *all;

static void read_ops(struct proa_rules *rules)
{
    const struct proa_hints *hints = &proa_handle_of(rules->win)->hints;

    rules->ops = !hints->ops_given                    ? PROA_OPS_ANY
                 : strcmp(hints->ops, "same_op") == 0 ? PROA_OPS_SAME
                                                      : PROA_OPS_SAME_OR_NONE;
}

uint8_t proa_rules_op(const struct proa_rules *rules, MPI_Op op)
{
    const int operation = rules->ops == PROA_OPS_ANY ? -1 : proa_operation_find(op);

    if (operation < 0 || (operation == PROA_OP_NO_OP && rules->ops == PROA_OPS_SAME_OR_NONE))
        return 0;
    return (uint8_t)(1 + operation);
}

void proa_rules_inform(struct proa_rules *rules, const void *caller)
{
    if (!rules)
        return;
    rules->informer = caller;
    read_ops(rules);
}

struct proa_rules *proa_rules_new(struct proa_win *win, enum proa_call call, const void *caller)
{
    struct proa_rules *rules;

    if (!proa_settings()->check)
        return NULL;
    if (win->counted & PROA_COUNTED_CHECK)
        proa_creation_compare(win, call, caller);
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
    rules->id = proa_members_next_id(rules->members, PROA_MEMBERS_WINDOW);
    read_ops(rules);
    pthread_mutex_lock(&mutex);
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
    proa_thread_calls_forget(rules);
    proa_members_free(rules->members);
    free(rules->peers);
    free(rules->fences.fence);
    proa_memory_forget(rules);
    free(rules);
}

void proa_rules_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void proa_rules_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

void proa_rules_each(void (*look)(const struct proa_rules *rules, void *arg), void *arg)
{
    pthread_mutex_lock(&mutex);
    for (const struct proa_rules *rules = all; rules; rules = rules->after)
        look(rules, arg);
    pthread_mutex_unlock(&mutex);
}

/* ---- calls ---- */

void proa_rules_begin(struct proa_rules *rules, enum proa_call call, int assert, const void *caller)
{
    if (call >= PROA_CALL_Win_fence && call <= PROA_CALL_Win_lock_all) {
        rules->assert = assert;
        rules->caller = caller;
    }
    proa_assertions_enter(rules, call, caller);
}

static void count_post(struct proa_rules_peer *peer)
{
    proa_atomic_store(&peer->posts, peer->posts + 1, PROA_RELAXED);
    proa_atomic_store(&peer->exposed, 1, PROA_RELAXED);
}

static void count_start(struct proa_rules_peer *peer)
{
    proa_atomic_store(&peer->starts, peer->starts + 1, PROA_RELAXED);
    proa_atomic_store(&peer->started, 1, PROA_RELAXED);
}

static void close_peers(struct proa_rules *rules, int exposed)
{
    for (int i = 0; i < rules->win->size; i++)
        proa_atomic_store(exposed ? &rules->peers[i].exposed : &rules->peers[i].started, 0,
                          PROA_RELAXED);
}

/* Counts the call only as far as it succeeded: a failed call opened no epoch. */
static void count(struct proa_rules *rules, enum proa_call call)
{
    const struct proa_win *win = rules->win;

    if (call == PROA_CALL_Win_post)
        for (int i = 0; i < win->exposed_group.count; i++)
            count_post(&rules->peers[win->exposed_group.rank[i]]);
    else if (call == PROA_CALL_Win_start)
        for (int i = 0; i < win->started_group.count; i++)
            count_start(&rules->peers[win->started_group.rank[i]]);
    else if (call == PROA_CALL_Win_complete)
        close_peers(rules, 0);
    else if (call == PROA_CALL_Win_wait || (call == PROA_CALL_Win_test && !win->exposed))
        close_peers(rules, 1);
}

void proa_rules_over(struct proa_rules *rules, enum proa_call call, int rank, int code)
{
    if (code >= 0)
        count(rules, call);
    proa_assertions_leave(rules, call, rank, code);
}

/* ---- the end ---- */

/* A start without operations does not wait, so a missing post is detected only here. */
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

void proa_rules_compare(struct proa_win *win, const struct proa_rules *rules)
{
    proa_fences_compare(rules ? &rules->fences : &(struct proa_fences){0}, win);
    proa_creation_compare(win, PROA_CALL_Win_set_info, rules ? rules->informer : NULL);
}

/* The words of this process stay valid until the window is released. */
void proa_rules_free(struct proa_rules *rules, const void *caller, const void *frame)
{
    compare_groups(rules, caller);
    proa_memory_look(rules, caller, frame);
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
