/* SPDX-License-Identifier: BSD-3-Clause */
/* See wait_cause.h. */
#include "check/wait_cause.h"
#include "usage/rules.h"
#include "hang/requests.h"
#include "sync/notify.h"
#include "window/epoch.h"
#include "window/sync_ops.h"

#include <stdio.h>
#include <string.h>

static int world_rank(const struct proa_members *members, int rank)
{
    return members && rank >= 0 && rank < members->count ? members->rank[rank] : -1;
}

static void add(struct proa_stuck_wait *wait, const struct proa_members *members, int rank)
{
    if (wait->count < PROA_STUCK_RANKS && world_rank(members, rank) >= 0)
        wait->rank[wait->count++] = world_rank(members, rank);
}

static void add_all(struct proa_stuck_wait *wait, const struct proa_members *members)
{
    wait->kind = PROA_STUCK_ALL;
    for (int rank = 0; members && rank < members->count; rank++)
        add(wait, members, rank);
}

static void say(struct proa_stuck_wait *wait, enum proa_stuck_kind kind, const char *what)
{
    wait->kind = (int32_t)kind;
    snprintf(wait->what, sizeof wait->what, "%s", what);
}

/* ---- windows ---- */

/* Returns true if that rank has notified this process of this number of posts or completes. */
static int has_told(const struct proa_win *win, int rank, enum proa_word word, uint64_t number)
{
    const uint64_t *told = win->sync->word(win, rank, (int)word);

    return told && proa_atomic_load(told, PROA_ACQUIRE) >= number;
}

/* A word of posts is incremented by two for each post (shm/ctl.h). */
static int has_posted(const struct proa_rules *rules, int rank)
{
    const uint64_t starts = proa_atomic_load(&rules->peers[rank].starts, PROA_RELAXED);

    return has_told(rules->win, rank, PROA_WORD_POSTED, 2 * starts);
}

static int has_completed(const struct proa_rules *rules, int rank)
{
    const uint64_t posts = proa_atomic_load(&rules->peers[rank].posts, PROA_RELAXED);

    return has_told(rules->win, rank, PROA_WORD_COMPLETED, posts);
}

static void await_completes(const struct proa_rules *rules, struct proa_stuck_wait *wait)
{
    say(wait, PROA_STUCK_LIST, "MPI_Win_complete");
    for (int rank = 0; rank < rules->win->size; rank++)
        if (proa_atomic_load(&rules->peers[rank].exposed, PROA_RELAXED) &&
            !has_completed(rules, rank))
            add(wait, rules->members, rank);
}

static void await_posts(const struct proa_rules *rules, struct proa_stuck_wait *wait)
{
    say(wait, PROA_STUCK_LIST, "MPI_Win_post");
    for (int rank = 0; rank < rules->win->size; rank++)
        if (proa_atomic_load(&rules->peers[rank].started, PROA_RELAXED) && !has_posted(rules, rank))
            add(wait, rules->members, rank);
}

/* An operation waits for the target's post or fence, or for a lock. */
static void await_target(const struct proa_rules *rules, int rank, struct proa_stuck_wait *wait)
{
    if (rules->win->started) {
        say(wait, PROA_STUCK_LIST, "MPI_Win_post");
        if (!has_posted(rules, rank))
            add(wait, rules->members, rank);
    } else if (proa_epoch_all(rules->win) & PROA_EPOCH_FENCE) {
        say(wait, PROA_STUCK_LIST, "MPI_Win_fence");
        add(wait, rules->members, rank);
    } else {
        say(wait, PROA_STUCK_LOCK, "a lock");
        wait->target = world_rank(rules->members, rank);
    }
}

static void describe_window(const struct proa_thread_call *here, struct proa_stuck_wait *wait)
{
    const struct proa_rules *rules = here->rules;

    if (!rules) { /* the window is being freed */
        add_all(wait, NULL);
        return;
    }
    wait->id = rules->id;
    snprintf(wait->window, sizeof wait->window, "%s", proa_handle_of(rules->win)->name);
    switch (here->window_call) {
    case PROA_CALL_Win_fence:
    case PROA_CALL_Win_free:
    case PROA_CALL_Win_set_num_notify:
        add_all(wait, rules->members);
        break;
    case PROA_CALL_Win_wait:
        await_completes(rules, wait);
        break;
    case PROA_CALL_Win_complete:
        await_posts(rules, wait);
        break;
    case PROA_CALL_Win_wait_notify:
    case PROA_CALL_Win_waitsome_notify:
        say(wait, PROA_STUCK_OPEN, "a notification");
        break;
    default:
        await_target(rules, here->peer, wait);
    }
}

/* ---- messages ---- */

static int is_listed(const struct proa_stuck_wait *wait, int rank)
{
    for (int i = 0; i < wait->count; i++)
        if (wait->rank[i] == rank)
            return 1;
    return 0;
}

static struct proa_stuck_message as_bytes(const struct proa_awaited_message *message)
{
    return (struct proa_stuck_message){message->rank, message->tag, (int32_t)message->way};
}

static void add_message(struct proa_stuck_wait *wait, const struct proa_awaited_message *message)
{
    if (wait->messages == PROA_STUCK_MESSAGES)
        return;
    wait->message[wait->messages++] = as_bytes(message);
    if (message->rank < 0)
        wait->kind = PROA_STUCK_OPEN;
    else if (!is_listed(wait, message->rank) && wait->count < PROA_STUCK_RANKS)
        wait->rank[wait->count++] = message->rank;
}

/* Of several messages some may have arrived. A single pending message has not. */
static void await_messages(const struct proa_awaited_message *messages, int count,
                           struct proa_stuck_wait *wait)
{
    const int sends = count > 0 && messages[0].way == PROA_SENDS;

    say(wait, PROA_STUCK_LIST, count > 1 ? "messages" : sends ? "a receive" : "a message");
    for (int i = 0; i < count; i++)
        add_message(wait, &messages[i]);
    if (wait->kind == PROA_STUCK_LIST && wait->count > 1)
        wait->kind = PROA_STUCK_SOME;
}

void proa_wait_cause_requests(struct proa_stuck *stuck)
{
    struct proa_awaited_message messages[PROA_STUCK_MESSAGES];

    stuck->pending = proa_requests_pending(messages, PROA_STUCK_MESSAGES);
    for (int i = 0; i < stuck->pending; i++)
        stuck->message[i] = as_bytes(&messages[i]);
}

/* ---- all ---- */

void proa_wait_cause_describe(const struct proa_thread_call *here, struct proa_stuck_wait *wait)
{
    snprintf(wait->call, sizeof wait->call, "%s", here->call);
    proa_source_find(here->caller, &wait->source);
    wait->target = -1;
    wait->id = here->members ? here->members->id : 0;
    switch (here->awaits) {
    case PROA_AWAITS_WINDOW:
        describe_window(here, wait);
        break;
    case PROA_AWAITS_ALL:
        add_all(wait, here->members);
        break;
    case PROA_AWAITS_MESSAGES:
        await_messages(here->messages, here->count, wait);
        break;
    default:
        say(wait, PROA_STUCK_OPEN, "its requests");
    }
}

/* ---- locks ---- */

static void add_lock(struct proa_stuck *stuck, const struct proa_rules *rules, int target)
{
    if (stuck->locks < PROA_STUCK_LOCKS)
        stuck->lock[stuck->locks++] = (struct proa_stuck_lock){rules->id, target};
}

static void add_locks(const struct proa_rules *rules, void *stuck)
{
    const struct proa_win *win = rules->win;

    if (proa_epoch_all(win) & PROA_EPOCH_LOCK)
        add_lock(stuck, rules, -1);
    for (int rank = 0; rank < win->size && proa_epoch_locks(win); rank++)
        if (proa_epoch_one(&win->targets[rank]) & PROA_EPOCH_LOCK)
            add_lock(stuck, rules, world_rank(rules->members, rank));
}

void proa_wait_cause_locks(struct proa_stuck *stuck)
{
    proa_rules_each(add_locks, stuck);
}
