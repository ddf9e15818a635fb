/* SPDX-License-Identifier: BSD-3-Clause */
/* See rules.h. */
#include "check/rules.h"
#include "base/settings.h"
#include "hang/whereabouts.h"

#include <pthread.h>
#include <stdlib.h>
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

struct proa_rules *proa_rules_new(struct proa_win *win, enum proa_call call, const void *caller)
{
    struct proa_rules *rules;

    if (!proa_settings()->check)
        return NULL;
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
    free(rules);
}

void proa_rules_each(void (*look)(const struct proa_rules *rules, void *arg), void *arg)
{
    pthread_mutex_lock(&mutex);
    for (const struct proa_rules *rules = all; rules; rules = rules->after)
        look(rules, arg);
    pthread_mutex_unlock(&mutex);
}

/* ---- calls ---- */

void proa_rules_enter(struct proa_rules *rules, enum proa_call call, int rank, int assert,
                      const void *caller)
{
    (void)assert;
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

void proa_rules_leave(struct proa_rules *rules, enum proa_call call, int code)
{
    if (code >= 0)
        count(rules, call);
    if (proa_whereabouts_on)
        proa_whereabouts_leave();
}
