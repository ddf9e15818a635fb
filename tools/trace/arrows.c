/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrows: what made what possible. The k-th start matches the k-th post of each pair of processes,
 * the k-th wait the k-th complete, and all k-th fences of a window belong together: so the order in
 * which the two ends come does not matter. An unlock precedes the lock that it let pass.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum {
    PENDING_MOST = 1 << 16, /* fences that not all processes have called, of all windows */
    UNLOCKS = 64            /* the last ones of each target that are looked at */
};

const char *const proa_arrow_names[PROA_ARROW_KINDS] = {"post",  "complete", "unlock",
                                                        "fence", "notify",   "data"};

/* ---- queues of ends ---- */

struct item {
    struct proa_model_end end;
    int64_t waited_ns;
};

struct queue {
    size_t first, count, room;
    struct item *items;
};

static void queue_put(struct queue *queue, struct item item)
{
    if (queue->first > 0 && queue->first + queue->count == queue->room) {
        memmove(queue->items, queue->items + queue->first, queue->count * sizeof *queue->items);
        queue->first = 0;
    }
    if (queue->count == queue->room) {
        queue->room = queue->room ? 2 * queue->room : 4;
        queue->items = proa_need(queue->items, queue->room * sizeof *queue->items);
    }
    queue->items[queue->first + queue->count++] = item;
}

static struct item queue_take(struct queue *queue)
{
    queue->count--;
    return queue->items[queue->first++];
}

/* ---- tables ---- */

struct key {
    int window, a, b;
    int unused;
    uint64_t number;
};

/* Of an origin a and a target b. */
struct pair {
    struct key key;
    struct queue posts, accesses, completes, waits;
    UT_hash_handle hh;
};

struct fence {
    struct key key; /* number: how manieth of the window */
    int count;
    int64_t last_begin_ns;
    struct proa_model_end last;
    struct item *items;
    UT_hash_handle hh;
};

struct unlock {
    struct proa_model_end end; /* ns: its beginning */
    int64_t end_ns;
    int exclusive;
};

/* The lock of target a. */
struct lock {
    struct key key;
    uint64_t count;
    struct unlock unlocks[UNLOCKS]; /* a ring */
    UT_hash_handle hh;
};

/* Notified operations to target a's counter b. */
struct counter {
    struct key key;
    struct queue operations;
    UT_hash_handle hh;
};

struct proa_arrows {
    struct pair *pairs;
    struct fence *fences;
    struct lock *locks;
    struct counter *counters;
};

struct proa_arrows *proa_arrows_new(void)
{
    struct proa_arrows *arrows = proa_need(NULL, sizeof *arrows);

    *arrows = (struct proa_arrows){0};
    return arrows;
}

static struct key key_of(int window, int a, int b, uint64_t number)
{
    struct key key;

    memset(&key, 0, sizeof key);
    key.window = window;
    key.a = a;
    key.b = b;
    key.number = number;
    return key;
}

static void *zeroed(size_t bytes)
{
    return memset(proa_need(NULL, bytes), 0, bytes);
}

static struct pair *pair_of(struct proa_arrows *arrows, int window, int origin, int target)
{
    const struct key key = key_of(window, origin, target, 0);
    struct pair *pair;

    HASH_FIND(hh, arrows->pairs, &key, sizeof key, pair);
    if (pair)
        return pair;
    pair = zeroed(sizeof *pair);
    pair->key = key;
    HASH_ADD(hh, arrows->pairs, key, sizeof pair->key, pair);
    return pair;
}

static int rank_in(const struct proa_model_window *window, int process)
{
    for (int rank = 0; rank < window->size; rank++)
        if (window->processes[rank] == process)
            return rank;
    return -1;
}

static struct proa_model_end end_at(const struct proa_model_event *event, int64_t ns)
{
    return (struct proa_model_end){event->process, event->thread, ns,
                                   event->id,      event->place,  event->call};
}

static void give(struct proa_run *run, const struct proa_model_arrow *arrow)
{
    struct proa_model *model = run->model;
    int64_t back = arrow->from.ns - arrow->to.ns - proa_model_error(model, arrow->from.process) -
                   proa_model_error(model, arrow->to.process);

    if (back > 0) {
        model->backward++;
        model->backward_most_ns = back > model->backward_most_ns ? back : model->backward_most_ns;
    }
    if (run->sink->arrow)
        run->sink->arrow(run->sink->user, arrow);
}

/* ---- post, start, complete, wait ---- */

static void match(struct proa_run *run, struct pair *pair)
{
    while (pair->posts.count && pair->accesses.count) {
        struct item from = queue_take(&pair->posts), to = queue_take(&pair->accesses);

        /* an operation without a length has one reading, from before a short wait for the post */
        if (to.waited_ns == 0 && to.end.ns < from.end.ns)
            to.end.ns = from.end.ns;
        give(run, &(struct proa_model_arrow){PROA_ARROW_POST, pair->key.window, pair->key.b,
                                             from.end, to.end, to.waited_ns});
    }
    while (pair->completes.count && pair->waits.count) {
        struct item from = queue_take(&pair->completes), to = queue_take(&pair->waits);

        give(run, &(struct proa_model_arrow){PROA_ARROW_COMPLETE, pair->key.window, pair->key.b,
                                             from.end, to.end, to.waited_ns});
    }
}

void proa_arrows_post(struct proa_run *run, const struct proa_model_event *post,
                      const int32_t *group, int count)
{
    const int target = rank_in(&run->model->windows[post->window], post->process);

    for (int i = 0; i < count; i++) {
        struct pair *pair = pair_of(run->arrows, post->window, group[i], target);

        queue_put(&pair->posts, (struct item){end_at(post, post->begin_ns), 0});
        match(run, pair);
    }
}

/* Where no operation went to a target, the complete is what waits for its post. */
void proa_arrows_complete(struct proa_run *run, const struct proa_open *access,
                          const struct proa_model_event *complete)
{
    const int origin = rank_in(&run->model->windows[complete->window], complete->process);

    for (int i = 0; i < access->epoch.group_count; i++) {
        const int target = access->epoch.group[i];
        const struct proa_access *first = &access->accesses[i];
        struct pair *pair = pair_of(run->arrows, complete->window, origin, target);
        struct item to = {first->end, first->waited_ns + proa_waited(complete, target)};

        if (first->end.event == 0)
            to.end = end_at(complete, complete->end_ns);
        queue_put(&pair->accesses, to);
        queue_put(&pair->completes, (struct item){end_at(complete, complete->begin_ns), 0});
        match(run, pair);
    }
}

void proa_arrows_wait(struct proa_run *run, const struct proa_open *exposure,
                      const struct proa_model_event *wait)
{
    const int target = rank_in(&run->model->windows[wait->window], wait->process);

    for (int i = 0; i < exposure->epoch.group_count; i++) {
        const int origin = exposure->epoch.group[i];
        struct pair *pair = pair_of(run->arrows, wait->window, origin, target);

        queue_put(&pair->waits,
                  (struct item){end_at(wait, wait->end_ns), proa_waited(wait, origin)});
        match(run, pair);
    }
}

/* ---- fence ---- */

static void fence_drop(struct proa_run *run, struct fence *fence)
{
    HASH_DEL(run->arrows->fences, fence);
    free(fence->items);
    free(fence);
}

/* All have called it: the last of them lets the others go. */
static void fence_done(struct proa_run *run, struct fence *fence)
{
    for (int i = 0; i < fence->count; i++) {
        const struct item *to = &fence->items[i];

        if (to->end.process != fence->last.process)
            give(run, &(struct proa_model_arrow){PROA_ARROW_FENCE, fence->key.window, -1,
                                                 fence->last, to->end, to->waited_ns});
    }
    fence_drop(run, fence);
}

/* With MPI_MODE_NOPRECEDE it need not wait for any. */
void proa_arrows_fence(struct proa_run *run, const struct proa_model_event *event)
{
    const struct proa_model_window *window = &run->model->windows[event->window];
    const struct key key = key_of(event->window, 0, 0, event->value);
    struct fence *fence;

    if (window->known < window->size || event->mode & PROA_TRACE_NOPRECEDE)
        return;
    HASH_FIND(hh, run->arrows->fences, &key, sizeof key, fence);
    if (!fence) {
        if (HASH_COUNT(run->arrows->fences) >= PENDING_MOST) {
            run->model->abandoned++;
            fence_drop(run, run->arrows->fences); /* the oldest */
        }
        fence = zeroed(sizeof *fence);
        fence->key = key;
        fence->items = proa_need(NULL, (size_t)window->size * sizeof *fence->items);
        HASH_ADD(hh, run->arrows->fences, key, sizeof fence->key, fence);
    }
    if (fence->count == 0 || event->begin_ns > fence->last.ns)
        fence->last = end_at(event, event->begin_ns);
    fence->items[fence->count++] =
        (struct item){end_at(event, event->end_ns), proa_waited(event, -1)};
    if (fence->count == window->size)
        fence_done(run, fence);
}

/* ---- locks ---- */

static struct lock *lock_of(struct proa_arrows *arrows, int window, int target)
{
    const struct key key = key_of(window, target, 0, 0);
    struct lock *lock;

    HASH_FIND(hh, arrows->locks, &key, sizeof key, lock);
    if (lock)
        return lock;
    lock = zeroed(sizeof *lock);
    lock->key = key;
    HASH_ADD(hh, arrows->locks, key, sizeof lock->key, lock);
    return lock;
}

/* The last unlock of another process before the lock was taken, of a lock that excludes it. */
static const struct unlock *before(const struct lock *lock, const struct proa_open *open)
{
    const int exclusive = (open->epoch.mode & PROA_TRACE_EXCLUSIVE) != 0;
    const struct unlock *found = NULL;
    uint64_t first = lock->count > UNLOCKS ? lock->count - UNLOCKS : 0;

    for (uint64_t i = first; i < lock->count; i++) {
        const struct unlock *unlock = &lock->unlocks[i % UNLOCKS];

        if (unlock->end.process != open->epoch.process && (exclusive || unlock->exclusive) &&
            unlock->end.ns <= open->epoch.opened_ns && (!found || unlock->end.ns > found->end.ns))
            found = unlock;
    }
    return found;
}

/* Looked for at the unlock only: by then all earlier unlocks of the target have been seen. */
void proa_arrows_unlock(struct proa_run *run, const struct proa_open *open,
                        const struct proa_model_event *event)
{
    struct lock *lock = lock_of(run->arrows, event->window, event->rank);
    const struct unlock *unlock = before(lock, open);

    if (open->epoch.mode & PROA_TRACE_NOCHECK)
        return;
    if (unlock) {
        struct proa_model_end to = {open->epoch.process, open->thread,      open->epoch.opened_ns,
                                    open->opened_event,  open->epoch.place, open->call};

        give(run, &(struct proa_model_arrow){PROA_ARROW_UNLOCK, event->window, event->rank,
                                             unlock->end, to, open->lock_waited_ns});
    }
    lock->unlocks[lock->count++ % UNLOCKS] =
        (struct unlock){end_at(event, event->begin_ns), event->end_ns,
                        (open->epoch.mode & PROA_TRACE_EXCLUSIVE) != 0};
}

/* ---- notifications ---- */

static struct counter *counter_of(struct proa_arrows *arrows, int window, int target, int index)
{
    const struct key key = key_of(window, target, index, 0);
    struct counter *counter;

    HASH_FIND(hh, arrows->counters, &key, sizeof key, counter);
    if (counter)
        return counter;
    counter = zeroed(sizeof *counter);
    counter->key = key;
    HASH_ADD(hh, arrows->counters, key, sizeof counter->key, counter);
    return counter;
}

void proa_arrows_notified(struct proa_run *run, const struct proa_model_event *operation)
{
    struct counter *counter =
        counter_of(run->arrows, operation->window, operation->rank, (int)operation->value - 1);

    queue_put(&counter->operations, (struct item){end_at(operation, operation->begin_ns), 0});
}

/* All that were issued before the wait was over: the last of them ended it. */
void proa_arrows_notify_wait(struct proa_run *run, const struct proa_model_event *wait)
{
    const int target = rank_in(&run->model->windows[wait->window], wait->process);
    struct counter *counter = counter_of(run->arrows, wait->window, target, (int)wait->value - 1);

    while (counter->operations.count &&
           counter->operations.items[counter->operations.first].end.ns <= wait->end_ns) {
        struct item from = queue_take(&counter->operations);
        int is_last = counter->operations.count == 0 ||
                      counter->operations.items[counter->operations.first].end.ns > wait->end_ns;

        give(run, &(struct proa_model_arrow){PROA_ARROW_NOTIFY, wait->window, target, from.end,
                                             end_at(wait, wait->end_ns),
                                             is_last ? proa_waited(wait, -1) : 0});
    }
}

/* ---- the end ---- */

void proa_arrows_free(struct proa_run *run)
{
    struct proa_arrows *arrows = run->arrows;
    struct pair *pair, *next_pair;
    struct fence *fence, *next_fence;
    struct lock *lock, *next_lock;
    struct counter *counter, *next_counter;

    HASH_ITER(hh, arrows->pairs, pair, next_pair) {
        HASH_DEL(arrows->pairs, pair);
        free(pair->posts.items);
        free(pair->accesses.items);
        free(pair->completes.items);
        free(pair->waits.items);
        free(pair);
    }
    HASH_ITER(hh, arrows->fences, fence, next_fence)
        fence_drop(run, fence);
    HASH_ITER(hh, arrows->locks, lock, next_lock) {
        HASH_DEL(arrows->locks, lock);
        free(lock);
    }
    HASH_ITER(hh, arrows->counters, counter, next_counter) {
        HASH_DEL(arrows->counters, counter);
        free(counter->operations.items);
        free(counter);
    }
    free(arrows);
}
