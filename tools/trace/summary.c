/* SPDX-License-Identifier: BSD-3-Clause */
/* See summary.h. */
#include "summary.h"

#include "progress.h"

#include <stdlib.h>
#include <string.h>

static void add_pair(struct proa_summary *summary, int waiter, int awaited, int64_t ns)
{
    struct proa_sum_pair *pair, like;

    memset(&like, 0, sizeof like);
    like.key.waiter = waiter;
    like.key.awaited = awaited;
    HASH_FIND(hh, summary->pairs, &like.key, sizeof like.key, pair);
    if (!pair) {
        pair = proa_need(NULL, sizeof *pair);
        *pair = like;
        HASH_ADD(hh, summary->pairs, key, sizeof pair->key, pair);
    }
    pair->count++;
    pair->ns += ns;
}

static void add_wait(struct proa_summary *summary, const struct proa_sum_wait *like, int64_t ns)
{
    struct proa_sum_wait *wait;

    HASH_FIND(hh, summary->waits, &like->key, sizeof like->key, wait);
    if (!wait) {
        wait = proa_need(NULL, sizeof *wait);
        *wait = *like;
        HASH_ADD(hh, summary->waits, key, sizeof wait->key, wait);
    }
    wait->count++;
    wait->ns += ns;
    if (ns > wait->most_ns) {
        wait->most_ns = ns;
        wait->waiter = like->waiter;
        wait->awaited = like->awaited;
    }
    add_pair(summary, like->waiter, like->awaited, ns);
}

/* ---- events ---- */

/* Returns true if the arrow that ends at the event accounts for its waits. */
static int has_arrow(const struct proa_model_event *event)
{
    static const char *const calls[] = {"MPI_Win_fence",        "MPI_Win_set_num_notify",
                                        "MPI_Win_complete",     "MPI_Win_wait",
                                        "MPI_Win_test",         "MPI_Win_lock",
                                        "PROA_Win_wait_notify", "PROA_Win_waitsome_notify"};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(event->call, calls[i]) == 0)
            return 1;
    return 0;
}

static void add(struct proa_sum_count *count, uint64_t bytes)
{
    count->count++;
    count->bytes += bytes;
}

static void add_finding(struct proa_summary *summary, const struct proa_model_event *event)
{
    if (summary->finding_count == PROA_SUM_FINDINGS)
        return;
    summary->findings = proa_need(summary->findings,
                                  (size_t)(summary->finding_count + 1) * sizeof *summary->findings);
    summary->findings[summary->finding_count++] =
        (struct proa_sum_finding){event->process,     event->window, event->place,
                                  event->other_place, event->call,   strdup(event->text)};
}

/* Counts an event by its kind. An event of an unknown window is counted in the last row. */
static void count_event(struct proa_summary *summary, const struct proa_model_event *event)
{
    struct proa_sum_window *window =
        &summary->windows[event->window < 0 ? summary->model->window_count : event->window];

    switch (event->kind) {
    case PROA_EVENT_CALL:
        break;
    case PROA_EVENT_OPERATION:
        add(&window->ways[event->way], event->bytes);
        break;
    case PROA_EVENT_APPLIED:
        add(&window->applied, event->bytes);
        break;
    case PROA_EVENT_MESSAGE:
        add(event->way ? &window->received : &window->sent, event->bytes);
        break;
    case PROA_EVENT_MOVED:
        add(&summary->moved[event->way != 0], event->bytes);
        break;
    case PROA_EVENT_FINDING:
        window->findings++;
        add_finding(summary, event);
        break;
    }
}

/* An operation between start and complete waits for its target's post. Other waits have no
 * arrow. */
static void take_event(void *user, const struct proa_model_event *event)
{
    struct proa_summary *summary = user;

    summary->events++;
    count_event(summary, event);
    for (int i = 0; i < event->wait_count; i++) {
        const int64_t ns = event->waits[i].end_ns - event->waits[i].begin_ns;
        const int rank = event->waits[i].rank;
        const struct proa_model_window *window =
            event->window < 0 ? NULL : &summary->model->windows[event->window];
        struct proa_sum_wait like;

        summary->waited_ns[event->process] += ns;
        if (has_arrow(event) || (event->epoch && event->epoch_kind == PROA_MODEL_ACCESS))
            continue;
        memset(&like, 0, sizeof like);
        like.key.kind = PROA_ARROW_KINDS;
        like.key.window = event->window;
        like.key.place = event->place;
        like.key.other_place = -1;
        like.waiter = event->process;
        like.awaited = window && rank >= 0 && rank < window->size ? window->processes[rank] : -1;
        like.call = event->call;
        add_wait(summary, &like, ns);
    }
}

/* ---- epochs ---- */

static struct proa_sum_lock *lock_of(struct proa_summary *summary, int window, int rank)
{
    struct proa_sum_lock *lock, like;

    memset(&like, 0, sizeof like);
    like.key.window = window;
    like.key.rank = rank;
    HASH_FIND(hh, summary->locks, &like.key, sizeof like.key, lock);
    if (lock)
        return lock;
    lock = proa_need(NULL, sizeof *lock);
    *lock = like;
    HASH_ADD(hh, summary->locks, key, sizeof lock->key, lock);
    return lock;
}

/* Locks that others acquired while this process waited were ahead of it. */
static void take_lock(struct proa_summary *summary, const struct proa_model_epoch *epoch)
{
    struct proa_sum_lock *lock = lock_of(summary, epoch->window, epoch->rank);
    uint64_t ahead = 0;

    for (uint64_t i = 0; i < PROA_SUM_RECENT && i < lock->count; i++)
        ahead += lock->recent_ns[i] > epoch->begin_ns && lock->recent_ns[i] < epoch->opened_ns;
    lock->recent_ns[lock->count++ % PROA_SUM_RECENT] = epoch->opened_ns;
    lock->held_ns += epoch->end_ns - epoch->opened_ns;
    if (ahead > lock->deepest)
        lock->deepest = ahead;
}

static void take_epoch(void *user, const struct proa_model_epoch *epoch)
{
    struct proa_summary *summary = user;
    struct proa_sum_epochs *sum =
        &summary->epochs[epoch->window * PROA_MODEL_EPOCH_KINDS + (int)epoch->kind];

    sum->count++;
    sum->operations += epoch->operations;
    sum->bytes += epoch->bytes;
    sum->never_ended += (uint64_t)epoch->is_open;
    sum->ns += epoch->end_ns - epoch->begin_ns;
    sum->waited_ns += epoch->waited_ns;
    if (epoch->kind == PROA_MODEL_LOCK)
        take_lock(summary, epoch);
}

/* ---- arrows ---- */

static void take_notify(struct proa_sum_notify *notify, const struct proa_model_arrow *arrow)
{
    const int64_t ns = arrow->to.ns - arrow->from.ns;

    notify->count++;
    notify->ns += ns;
    notify->waited_ns += arrow->waited_ns;
    notify->most_ns = ns > notify->most_ns ? ns : notify->most_ns;
}

static void take_lock_wait(struct proa_summary *summary, const struct proa_model_arrow *arrow)
{
    struct proa_sum_lock *lock = lock_of(summary, arrow->window, arrow->target);

    if (arrow->waited_ns <= 0)
        return;
    lock->waited++;
    lock->waited_ns += arrow->waited_ns;
    lock->most_ns = arrow->waited_ns > lock->most_ns ? arrow->waited_ns : lock->most_ns;
}

/* A lock of another node is waited for in the flush or the unlock. That part of the call's wait no
 * longer counts for the call's own cause. */
static void take_back(struct proa_summary *summary, const struct proa_model_arrow *arrow)
{
    struct proa_sum_wait like, *wait;
    struct proa_sum_pair *pair, of;

    memset(&like, 0, sizeof like);
    like.key.kind = PROA_ARROW_KINDS;
    like.key.window = arrow->window;
    like.key.place = arrow->to.place;
    like.key.other_place = -1;
    HASH_FIND(hh, summary->waits, &like.key, sizeof like.key, wait);
    memset(&of, 0, sizeof of);
    of.key.waiter = arrow->to.process;
    of.key.awaited = summary->model->windows[arrow->window].processes[arrow->target];
    HASH_FIND(hh, summary->pairs, &of.key, sizeof of.key, pair);
    if (!wait || !pair)
        return;
    wait->ns -= arrow->waited_ns;
    wait->most_ns = wait->most_ns < wait->ns ? wait->most_ns : wait->ns;
    pair->ns -= arrow->waited_ns;
}

static void take_arrow(void *user, const struct proa_model_arrow *arrow)
{
    struct proa_summary *summary = user;
    struct proa_sum_wait like;

    summary->arrows[arrow->kind]++;
    if (arrow->kind == PROA_ARROW_NOTIFY)
        take_notify(&summary->notify[arrow->window], arrow);
    if (arrow->kind == PROA_ARROW_DATA)
        take_notify(&summary->windows[arrow->window].delivered, arrow);
    if (arrow->kind == PROA_ARROW_UNLOCK)
        take_lock_wait(summary, arrow);
    if (arrow->waited_ns <= 0)
        return;
    if (arrow->kind == PROA_ARROW_UNLOCK && strcmp(arrow->to.call, "MPI_Win_lock") != 0)
        take_back(summary, arrow);
    memset(&like, 0, sizeof like);
    like.key.kind = (int)arrow->kind;
    like.key.window = arrow->window;
    like.key.place = arrow->to.place;
    like.key.other_place = arrow->from.place;
    like.waiter = arrow->to.process;
    like.awaited = arrow->from.process;
    like.call = arrow->to.call;
    like.other_call = arrow->from.call;
    add_wait(summary, &like, arrow->waited_ns);
}

/* ---- the summary ---- */

void proa_summary_make(struct proa_summary *summary, struct proa_model *model)
{
    const struct proa_model_sink sink = {.user = summary,
                                         .event = take_event,
                                         .epoch = take_epoch,
                                         .arrow = take_arrow,
                                         .progress = proa_trace_progress};
    const size_t windows = (size_t)model->window_count + 1,
                 epochs = windows * PROA_MODEL_EPOCH_KINDS * sizeof *summary->epochs;

    *summary = (struct proa_summary){.model = model};
    summary->epochs = memset(proa_need(NULL, epochs), 0, epochs);
    summary->windows = memset(proa_need(NULL, windows * sizeof *summary->windows), 0,
                              windows * sizeof *summary->windows);
    summary->notify = memset(proa_need(NULL, windows * sizeof *summary->notify), 0,
                             windows * sizeof *summary->notify);
    summary->waited_ns =
        memset(proa_need(NULL, (size_t)model->process_count * sizeof *summary->waited_ns), 0,
               (size_t)model->process_count * sizeof *summary->waited_ns);
    proa_model_run(model, &sink);
}

void proa_summary_free(struct proa_summary *summary)
{
    struct proa_sum_pair *pair, *next_pair;
    struct proa_sum_wait *wait, *next_wait;
    struct proa_sum_lock *lock, *next_lock;

    HASH_ITER(hh, summary->pairs, pair, next_pair) {
        HASH_DEL(summary->pairs, pair);
        free(pair);
    }
    HASH_ITER(hh, summary->waits, wait, next_wait) {
        HASH_DEL(summary->waits, wait);
        free(wait);
    }
    HASH_ITER(hh, summary->locks, lock, next_lock) {
        HASH_DEL(summary->locks, lock);
        free(lock);
    }
    for (int i = 0; i < summary->finding_count; i++)
        free(summary->findings[i].text);
    free(summary->findings);
    free(summary->windows);
    free(summary->epochs);
    free(summary->notify);
    free(summary->waited_ns);
}

static int by_pair(const struct proa_sum_pair *one, const struct proa_sum_pair *other)
{
    return (one->ns < other->ns) - (one->ns > other->ns);
}

static int by_wait(const struct proa_sum_wait *one, const struct proa_sum_wait *other)
{
    return (one->ns < other->ns) - (one->ns > other->ns);
}

void proa_summary_sort(struct proa_summary *summary)
{
    HASH_SORT(summary->pairs, by_pair);
    HASH_SORT(summary->waits, by_wait);
}

/* Returns the remedy for a wait without a known call of another process. */
static const char *remedy_of_call(const char *call)
{
    static const struct {
        const char *call, *remedy;
    } remedies[] = {
        {"MPI_Win_free", "free the window where all ranks are there anyway, or balance the work "
                         "before: MPI_Win_free waits for all"},
        {"MPI_Win_unlock", "unlock later, or do other work between the operations and the unlock, "
                           "which waits until they are done"},
        {"MPI_Win_unlock_all", "do other work between the operations and the unlock, which waits "
                               "until they are done"},
        {"MPI_Win_lock_all", "avoid exclusive locks meanwhile, or use MPI_Win_lock_all once for "
                             "the whole run"},
        {"MPI_Win_post", "post later, when the origins are done with the epoch before"},
        {"MPI_Win_start", "start later, when the targets have posted"}};

    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (strcmp(call, remedies[i].call) == 0)
            return remedies[i].remedy;
    if (!strstr(call, "flush"))
        return "do other work before the call, or balance the work of the ranks";
    return "flush less often, or do other work between the operations and the flush";
}

const char *proa_summary_remedy(const struct proa_sum_wait *wait)
{
    switch (wait->key.kind) {
    case PROA_ARROW_POST:
        return "post earlier at the target, or do other work between start and the first operation";
    case PROA_ARROW_COMPLETE:
        return "complete earlier at the origin, or do other work before the wait (MPI_Win_test)";
    case PROA_ARROW_UNLOCK:
        return "hold the lock for less time, a shared one where possible, or use MPI_Fetch_and_op "
               "and MPI_Accumulate under MPI_Win_lock_all";
    case PROA_ARROW_FENCE:
        return "balance the work before the fence, or synchronize with the neighbors only (post, "
               "start, complete, wait)";
    case PROA_ARROW_NOTIFY:
        return "issue the notified operation earlier, or do other work before the wait";
    default:
        return remedy_of_call(wait->call);
    }
}
