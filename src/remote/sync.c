/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronization in windows over several nodes: fence, post, start, complete, wait, test, and
 * their barriers; and locks. Neighbour processes are notified and awaited as in windows of one
 * node.
 */
#include "base/atomic.h"
#include "base/fail.h"
#include "base/wait.h"
#include "progress/progress.h"
#include "sync/shared_words.h"
#include "sync/barrier.h"
#include "sync/fence.h"
#include "sync/passive.h"
#include "sync/pscw.h"
#include "remote/origin.h"
#include "remote/group_lock.h"
#include "remote/notice.h"
#include "remote/window.h"

/* ---- words ---- */

/* Makes the processes of these ranks known from now on. Returns PROA_OK or PROA_ERR_NO_MEM. */
static int expect(struct proa_win *win, const int *ranks, int count)
{
    int error = PROA_OK;

    for (int i = 0; i < count && !error; i++)
        if (proa_is_remote(&win->targets[ranks[i]]) && !proa_remote_of(win, ranks[i])) {
            proa_progress_enter();
            error = proa_remote_make(win, ranks[i]) ? PROA_OK : PROA_ERR_NO_MEM;
            proa_progress_leave();
        }
    return error;
}

static struct proa_pair *pair(const struct proa_win *win, int rank)
{
    struct proa_remote *r = proa_remote_of(win, rank);

    return r ? &r->pair : &win->pairs[win->targets[rank].ctl->slot];
}

uint64_t *proa_word_anywhere(const struct proa_win *win, int from, int word)
{
    struct proa_remote *r;

    if (word >= PROA_WORD_NODE_ROUND)
        return &win->remote_window->node_rounds[word - PROA_WORD_NODE_ROUND];
    if (!proa_is_remote(&win->targets[from]))
        return proa_word_in(win->ctl, (int)win->targets[from].ctl->slot, (enum proa_word)word, 0);
    r = proa_remote_of(win, from);
    if (!r)
        return NULL;
    return word == PROA_WORD_POSTED ? &r->told.posted : &r->told.completed;
}

static void notify(struct proa_win *win, const struct proa_target *target, enum proa_word kind,
                   int row, uint64_t value)
{
    if (proa_is_remote(target))
        proa_remote_notify(win, (int)(target - win->targets), (int)kind + row, value);
    else
        proa_notify(win, target, kind, row, value);
}

static uint64_t notified(const struct proa_win *win, int from, enum proa_word kind)
{
    return proa_atomic_load(proa_word_anywhere(win, from, (int)kind), PROA_ACQUIRE);
}

static int await(struct proa_win *win, int from, enum proa_word kind, int row, uint64_t least)
{
    return proa_await_word(win, from, proa_word_anywhere(win, from, (int)kind + row), least,
                           &proa_self->ctl->bell);
}

static const struct proa_words words = {
    .notify = notify, .notified = notified, .await = await, .pair = pair, .hurry = proa_remote_say};

/* Reads what a target's process has shown of its part of the window. */
static int know(struct proa_win *win, int rank)
{
    int error = PROA_OK;

    if (proa_remote_process_of(win, rank))
        return PROA_OK;
    proa_progress_enter();
    if (!proa_remote_know(win, rank))
        error = PROA_ERR_OTHER;
    proa_progress_leave();
    return error;
}

/* ---- barriers ---- */

static int arrive_and_wait(struct proa_win *win, uint64_t number)
{
    proa_shared_arrive(win);
    proa_doorbell_ring(&win->leader->barrier_doorbell);
    return proa_shared_reached(win, -1, win->leader, &win->leader->passed, number);
}

/* Waits for the neighbours of a leader. */
static int gather(struct proa_win *win, uint64_t number)
{
    const uint64_t neighbours = (uint64_t)win->remote_window->neighbours;

    return neighbours
               ? proa_shared_reached(win, -1, win->ctl, &win->ctl->arrived, number * neighbours)
               : PROA_OK;
}

/* One round of the leaders. A word carries the number of the barrier, and the bits of a union that
 * its sender knows; in later barriers, the bits of all, until the next union. */
static int lead_round(struct proa_win *win, int k, uint64_t number, uint32_t *bits)
{
    const struct proa_remote_window *remote_window = win->remote_window;
    int error;

    /* covers all that our node stored, and all that we received in earlier rounds */
    notify(win, &win->targets[remote_window->partners[k]], PROA_WORD_NODE_ROUND, k,
           number << PROA_UNITED_BITS | *bits);
    error = await(win, -1, PROA_WORD_NODE_ROUND, k, number << PROA_UNITED_BITS);
    *bits |= (uint32_t)proa_atomic_load(&remote_window->node_rounds[k], PROA_RELAXED) &
             ((1u << PROA_UNITED_BITS) - 1);
    return error;
}

/* Lets the neighbours of a leader pass. */
static void open_node(struct proa_win *win, uint64_t number)
{
    if (win->remote_window->neighbours)
        proa_shared_set(win->ctl, &win->ctl->passed, number);
}

/* The rounds of the leaders. */
static int lead(struct proa_win *win, uint64_t number, uint32_t *bits)
{
    int error = PROA_OK;

    for (int k = 0; k < win->remote_window->rounds && !error; k++)
        error = lead_round(win, k, number, bits);
    return error;
}

/* All processes of a node count up a word of its leader. The leaders disseminate, and open their
 * nodes. */
static int barrier(struct proa_win *win)
{
    uint64_t number = ++win->central_barriers;
    uint32_t bits = win->remote_window->united;
    int error;

    if (win->ctl != win->leader)
        return arrive_and_wait(win, number);
    error = gather(win, number);
    if (!error)
        error = lead(win, number, &bits);
    if (!error)
        open_node(win, number);
    return error;
}

/* Returns the target of the neighbour process in that slot of our node. */
static const struct proa_target *neighbour(const struct proa_win *win, int slot)
{
    const struct proa_target *target = win->targets;

    while (!target->ctl || (int)target->ctl->slot != slot)
        target++;
    return target;
}

static int disseminate_near(struct proa_win *win, uint64_t number)
{
    int error = PROA_OK;

    for (int k = 0, distance = 1; distance < win->near && !error; k++, distance *= 2) {
        proa_notify(win, neighbour(win, (win->slot + distance) % win->near), PROA_WORD_ROUND, k,
                    number);
        error = proa_await(win, -1, PROA_WORD_ROUND, k, number);
    }
    return error;
}

/* The neighbours, the leaders, and the neighbours again. Unlike in barrier(), a process that leaves
 * has waited for every word that is written into its block, and no process reads from its leader's
 * block. A leader frees the node's roster when it leaves (remote/roster.c): only leaders may still
 * need it. */
static int disseminate(struct proa_win *win, uint64_t number)
{
    uint32_t bits = win->remote_window->united;
    int error = disseminate_near(win, number);

    if (!error && win->ctl == win->leader)
        error = lead(win, ++win->central_barriers, &bits);
    return error ? error : disseminate_near(win, ++win->barriers);
}

/* The same, with the bits of the leader's node, and then of all. */
static int lead_union(struct proa_win *win, uint64_t number, uint32_t *bits)
{
    int error = gather(win, number);

    for (int i = 0; i < win->size; i++)
        if (win->targets[i].ctl)
            *bits |= win->targets[i].ctl->united;
    if (!error)
        error = lead(win, number, bits);
    win->remote_window->united = win->ctl->united = *bits;
    if (!error)
        open_node(win, number);
    return error;
}

/* A leader that is already in the next barrier sends this union there as well, so a word that is
 * read late is right. So a barrier follows each union. */
static int unite(struct proa_win *win, uint32_t *bits)
{
    uint64_t number = ++win->central_barriers;
    int error;

    win->ctl->united = *bits;
    if (win->ctl == win->leader) {
        error = lead_union(win, number, bits);
    } else {
        error = arrive_and_wait(win, number);
        *bits = win->leader->united;
    }
    return error ? error : barrier(win);
}

/* ---- completion ---- */

static int complete_ops(struct proa_win *win, int target, enum proa_completion how)
{
    int error = proa_atomic_load(&win->remotes, PROA_RELAXED)
                    ? proa_remote_complete_ops(win, target, how)
                    : PROA_OK;

    proa_complete_ops_node(win, how, win->threads);
    return error;
}

/* ---- fence ---- */

/* Other processes wait for all steps of a call, so a failure is reported after the last step. */
static void keep(struct proa_first_failure *first, int outcome)
{
    proa_failure_keep(first, outcome, proa_failure());
}

/* Data fetched from other nodes arrive with the answers. */
static int fence(struct proa_win *win, int mode)
{
    struct proa_first_failure first = {0};
    int error = proa_fence_check(win), ends = !(mode & PROA_MODE_NOPRECEDE),
        begins = !(mode & PROA_MODE_NOSUCCEED);

    if (error)
        return error;
    if (ends)
        keep(&first, complete_ops(win, -1, PROA_COMPLETED_BY_BARRIER));
    if (ends || begins)
        error = barrier(win);
    if (!error && (ends || begins) && proa_atomic_load(&win->remotes, PROA_RELAXED))
        error = proa_remote_completed(win, -1);
    keep(&first, error);
    proa_epoch_pass_fence(win, begins); /* the epoch in which a process was lost is over as well */
    return proa_failure_report(&first);
}

/* ---- start and complete ---- */

static int start(struct proa_win *win, const int *ranks, int count, int mode)
{
    int error = expect(win, ranks, count);

    return error ? error : proa_start_as(win, ranks, count, mode, &words);
}

/* Check mode reads the clock of an operation when it is issued. So posts and locks are not deferred
 * in its windows: the accesses before them are over by then. */
static int defers(const struct proa_win *win)
{
    return !(win->counted & PROA_COUNTED_CHECK);
}

/* An operation on another node waits for the post there (remote/batch.h), or is the network's own
 * put or get, which checks for the post itself. */
static int await_post(struct proa_win *win, int target)
{
    int waits =
        !proa_is_remote(&win->targets[target]) || proa_is_failed(win, target) || !defers(win);

    return proa_await_as(win, target, waits, &words);
}

/* Data fetched from other nodes arrive with the answers. */
static int complete(struct proa_win *win)
{
    struct proa_first_failure first = {0};
    int error = proa_complete_check(win), count = win->started_group.count;

    if (error)
        return error;
    for (int i = 0; i < count; i++)
        keep(&first, complete_ops(win, win->started_group.rank[i], PROA_COMPLETED_IN_ORDER));
    proa_complete_as(win, &words);
    for (int i = 0; i < count && win->remotes; i++)
        keep(&first, proa_remote_completed(win, win->started_group.rank[i]));
    return proa_failure_report(&first);
}

/* ---- post, wait and test ---- */

static int post(struct proa_win *win, const int *ranks, int count)
{
    int error = expect(win, ranks, count);

    return error ? error : proa_post_as(win, ranks, count, &words);
}

static int await_completed(struct proa_win *win)
{
    return proa_wait_as(win, &words);
}

static int test(struct proa_win *win, int *flag)
{
    return proa_test_as(win, flag, &words);
}

/* ---- locks ---- */

/* Locks a process on another node. */
static void lock_there(struct proa_win *win, int rank, int exclusive)
{
    proa_remote_lock(win, rank, exclusive);
    if (!defers(win))
        proa_remote_take_deferred();
}

/* Requests the lock; deferred lock requests, for which calls have returned, come first. */
static int take(struct proa_win *win, int rank, int exclusive, int nocheck)
{
    const struct proa_target *target = &win->targets[rank];
    int error = expect(win, &rank, 1);

    if (error)
        return error;
    proa_remote_take_deferred();
    if (nocheck)
        return PROA_OK;
    if (exclusive)
        proa_group_lock_enter(win, PROA_GROUP_LOCK_EXCLUSIVE, NULL);
    if (proa_is_remote(target)) {
        lock_there(win, rank, exclusive);
    } else {
        error = proa_lock_take(win, rank, exclusive);
    }
    if (error && exclusive)
        proa_group_lock_leave(win);
    return error;
}

static int lock(struct proa_win *win, int rank, int exclusive, int mode)
{
    uint8_t epoch;
    int error = proa_lock_begin(win, rank, exclusive, mode, &epoch);

    if (error)
        return error;
    error = take(win, rank, exclusive, mode & PROA_MODE_NOCHECK);
    if (!error && !(mode & PROA_MODE_NOCHECK))
        proa_epoch_count_taken(win, 1);
    return proa_lock_end(win, rank, epoch, error);
}

/* Returns errors at the target; the epoch is over in any case. */
static int unlock(struct proa_win *win, int rank)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch;
    int error = proa_unlock_check(win, rank, &epoch), is_taken = !(epoch & PROA_EPOCH_NOCHECK);

    if (error)
        return error;
    error = proa_is_remote(target) && is_taken ? proa_remote_unlock(win, rank)
                                               : complete_ops(win, rank, proa_completed_by(epoch));
    proa_epoch_close_one(target);
    proa_epoch_count_taken(win, -is_taken);
    if (!proa_is_remote(target) && is_taken)
        proa_lock_return(win, rank, epoch);
    if (is_taken && proa_epoch_is_writers(epoch))
        proa_group_lock_leave(win);
    proa_unlock_end(win);
    proa_polled(&win->polls);
    return error;
}

/* No exclusive lock is held on other nodes while we are in this room, so no target is asked. If no
 * process keeps the rooms, all targets are asked. Returns 1 if the process is inside, 0 if it has
 * the targets' locks. */
static int enter_for_all(struct proa_win *win)
{
    if (!proa_group_lock_enter(win, PROA_GROUP_LOCK_ALL, proa_single_locks_try))
        return 0;
    if (!proa_group_lock_is_unkept(win))
        return 1;
    proa_group_lock_leave(win);
    proa_single_locks_take(win);
    return 0;
}

static int lock_all(struct proa_win *win, int mode)
{
    int error = proa_lock_check(win, -1), in_room;

    if (error)
        return error;
    proa_remote_take_deferred();
    in_room = mode & PROA_MODE_NOCHECK || enter_for_all(win);
    proa_atomic_store(&win->remote_window->is_single, !in_room, PROA_RELAXED);
    if (in_room)
        proa_lock_all_take(win, mode);
    else
        proa_lock_all_open(win, mode);
    return PROA_OK;
}

static int unlock_all(struct proa_win *win)
{
    struct proa_first_failure first = {0};
    int error = proa_unlock_all_check(win),
        in_room = !(win->epoch_all & PROA_EPOCH_NOCHECK) && !win->remote_window->is_single;

    if (error)
        return error;
    if (win->remotes)
        keep(&first, proa_remote_unlock_all(win));
    keep(&first, complete_ops(win, -1, proa_completed_by(win->epoch_all)));
    proa_unlock_all_end(win);
    proa_atomic_store(&win->remote_window->is_single, 0, PROA_RELAXED);
    if (in_room)
        proa_group_lock_leave(win);
    return proa_failure_report(&first);
}

/* The data that a program polls for may arrive from another node. */
static void synchronize(struct proa_win *win)
{
    enum { TURN = 8 }; /* a check of the network costs as much as some 50 of these calls */

    if (proa_atomic_load(&win->polls.left, PROA_RELAXED) % TURN == 0)
        proa_wait_drive();
    proa_synchronize_node(win);
}

/* ---- the table ---- */

const struct proa_sync_ops proa_sync_remote = {
    .fence = fence,
    .start = start,
    .post = post,
    .complete = complete,
    .wait = await_completed,
    .test = test,
    .await = await_post,
    .lock = lock,
    .unlock = unlock,
    .lock_all = lock_all,
    .unlock_all = unlock_all,
    .flush = proa_flush_slow,
    .flush_local = proa_flush_local_slow,
    .synchronize = synchronize,
    .complete_ops = complete_ops,
    .barrier = barrier,
    .unite = unite,
    .disseminate = disseminate,
    .word = proa_word_anywhere,
    .losses_enter = proa_progress_enter,
    .losses_leave = proa_progress_leave,
    .attend = proa_progress_attend,
    .lose = proa_remote_lose,
    .node_lost = proa_remote_node_lost,
    .lock_is_wanted = proa_group_lock_is_wanted,
    .know = know,
    .note_begin = proa_notice_begin,
    .note_end = proa_notice_end,
    .counters = proa_notice_number,
};
