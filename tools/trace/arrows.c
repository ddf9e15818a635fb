/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrows: each links a cause to its effect. For each pair of processes the k-th start matches the
 * k-th post, and the k-th wait the k-th complete. All k-th fences of a window belong together. So
 * the order in which the two ends arrive does not matter.
 */
#include "ends.h"

#include <stdlib.h>

enum { PENDING_MOST = 1 << 16 }; /* fences, of all windows, that some processes have not called */

const char *const proa_arrow_names[PROA_ARROW_KINDS] = {"post",  "complete", "unlock",
                                                        "fence", "notify",   "data"};

/* State of an origin a and a target b. */
struct pair {
    struct proa_key key;
    struct proa_queue posts, accesses, completes, waits;
    UT_hash_handle hh;
};

struct fence {
    struct proa_key key; /* number: position among the window's fences */
    int count;
    struct proa_model_end last;
    struct proa_item *items;
    UT_hash_handle hh;
};

struct proa_arrows {
    struct pair *pairs;
    struct fence *fences;
};

struct proa_arrows *proa_arrows_new(void)
{
    return proa_zeroed(sizeof(struct proa_arrows));
}

static struct pair *pair_of(struct proa_arrows *arrows, int window, int origin, int target)
{
    const struct proa_key key = proa_key(window, origin, target, 0);
    struct pair *pair;

    HASH_FIND(hh, arrows->pairs, &key, sizeof key, pair);
    if (pair)
        return pair;
    pair = proa_zeroed(sizeof *pair);
    pair->key = key;
    HASH_ADD(hh, arrows->pairs, key, sizeof pair->key, pair);
    return pair;
}

/* ---- post, start, complete, wait ---- */

static void match(struct proa_run *run, struct pair *pair)
{
    while (pair->posts.count && pair->accesses.count) {
        struct proa_item from = proa_queue_take(&pair->posts),
                         to = proa_queue_take(&pair->accesses);

        /* an operation without a duration has one time, from before a short wait for the post */
        if (to.waited_ns == 0 && to.end.ns < from.end.ns)
            to.end.ns = from.end.ns;
        proa_arrow_give(run,
                        &(struct proa_model_arrow){PROA_ARROW_POST, pair->key.window, pair->key.b,
                                                   from.end, to.end, to.waited_ns});
    }
    while (pair->completes.count && pair->waits.count) {
        struct proa_item from = proa_queue_take(&pair->completes),
                         to = proa_queue_take(&pair->waits);

        proa_arrow_give(run,
                        &(struct proa_model_arrow){PROA_ARROW_COMPLETE, pair->key.window,
                                                   pair->key.b, from.end, to.end, to.waited_ns});
    }
}

void proa_arrows_post(struct proa_run *run, const struct proa_model_event *post,
                      const int32_t *group, int count)
{
    const int target = proa_rank_in(&run->model->windows[post->window], post->process);

    for (int i = 0; i < count; i++) {
        struct pair *pair = pair_of(run->arrows, post->window, group[i], target);

        proa_queue_put(run, &pair->posts,
                       (struct proa_item){proa_end_at(post, post->begin_ns), 0, 0});
        match(run, pair);
    }
}

/* If the access epoch had no operation on a target, the complete waits for its post. */
void proa_arrows_complete(struct proa_run *run, const struct proa_open *access,
                          const struct proa_model_event *complete)
{
    const int origin = proa_rank_in(&run->model->windows[complete->window], complete->process);

    for (int i = 0; i < access->epoch.group_count; i++) {
        const int target = access->epoch.group[i];
        const struct proa_access *first = &access->accesses[i];
        struct pair *pair = pair_of(run->arrows, complete->window, origin, target);
        struct proa_item to = {first->end, first->waited_ns + proa_waited(complete, target), 0};

        if (first->end.event == 0)
            to.end = proa_end_at(complete, complete->end_ns);
        proa_queue_put(run, &pair->accesses, to);
        proa_queue_put(run, &pair->completes,
                       (struct proa_item){proa_end_at(complete, complete->begin_ns), 0, 0});
        match(run, pair);
    }
}

void proa_arrows_wait(struct proa_run *run, const struct proa_open *exposure,
                      const struct proa_model_event *wait)
{
    const int target = proa_rank_in(&run->model->windows[wait->window], wait->process);

    for (int i = 0; i < exposure->epoch.group_count; i++) {
        const int origin = exposure->epoch.group[i];
        struct pair *pair = pair_of(run->arrows, wait->window, origin, target);

        proa_queue_put(
            run, &pair->waits,
            (struct proa_item){proa_end_at(wait, wait->end_ns), proa_waited(wait, origin), 0});
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

/* All processes called it: the last one releases the others. */
static void fence_done(struct proa_run *run, struct fence *fence)
{
    for (int i = 0; i < fence->count; i++) {
        const struct proa_item *to = &fence->items[i];

        if (to->end.process != fence->last.process)
            proa_arrow_give(run, &(struct proa_model_arrow){PROA_ARROW_FENCE, fence->key.window, -1,
                                                            fence->last, to->end, to->waited_ns});
    }
    fence_drop(run, fence);
}

/* With MPI_MODE_NOPRECEDE a fence need not wait for any process. */
void proa_arrows_fence(struct proa_run *run, const struct proa_model_event *event)
{
    const struct proa_model_window *window = &run->model->windows[event->window];
    const struct proa_key key = proa_key(event->window, 0, 0, event->value);
    struct fence *fence;

    if (window->known < window->size || event->mode & PROA_TRACE_NOPRECEDE)
        return;
    HASH_FIND(hh, run->arrows->fences, &key, sizeof key, fence);
    if (!fence) {
        if (HASH_COUNT(run->arrows->fences) >= PENDING_MOST) {
            run->model->abandoned++;
            fence_drop(run, run->arrows->fences); /* the oldest one */
        }
        fence = proa_zeroed(sizeof *fence);
        fence->key = key;
        fence->items = proa_need(NULL, (size_t)window->size * sizeof *fence->items);
        HASH_ADD(hh, run->arrows->fences, key, sizeof fence->key, fence);
    }
    if (fence->count == 0 || event->begin_ns > fence->last.ns)
        fence->last = proa_end_at(event, event->begin_ns);
    fence->items[fence->count++] =
        (struct proa_item){proa_end_at(event, event->end_ns), proa_waited(event, -1), 0};
    if (fence->count == window->size)
        fence_done(run, fence);
}

/* ---- closing ---- */

void proa_arrows_free(struct proa_run *run)
{
    struct proa_arrows *arrows = run->arrows;
    struct pair *pair, *next_pair;
    struct fence *fence, *next_fence;

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
    free(arrows);
}
