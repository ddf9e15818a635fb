/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation and freeing of windows of every flavor.
 *
 * Each process prepares alone as much as it can (shared words, memory). It shows a card of that to
 * all processes (one allgather), maps the memory that the other cards show, and agrees with them on
 * the outcome (agree.c).
 */
#include "create/create.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "remote/window.h"
#include "rma/guard.h"
#include "rma/regions.h"
#include "shm/arena.h"
#include "shm/cma.h"
#include "sync/barrier.h"
#include "sync/bypass.h"
#include "sync/counters.h"
#include "sync/pair.h"
#include "window/gather.h"

#include <stdlib.h>
#include <sys/mman.h>

/* From this size on, the targets have pages of their own. Pages whose targets this process does not
 * communicate with are never touched, and take no memory. */
enum { TARGETS_PAGED = 64 << 10 };

static struct proa_target *targets_new(int size)
{
    const size_t bytes = (size_t)size * sizeof(struct proa_target);
    void *pages;

    if (bytes < TARGETS_PAGED)
        return calloc((size_t)size, sizeof(struct proa_target));
    pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    (void)madvise(pages, bytes, MADV_NOHUGEPAGE); /* otherwise one target would take 2 MiB */
    return pages;
}

static void targets_free(struct proa_target *targets, int size)
{
    const size_t bytes = (size_t)size * sizeof *targets;

    if (bytes < TARGETS_PAGED)
        free(targets);
    else if (targets)
        munmap(targets, bytes);
}

static int prepare(struct proa_win *win, const struct proa_create_args *args)
{
    if (args->error)
        return args->error;
    if (!win)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a window");
    win->targets = targets_new(win->size);
    if (!win->targets)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a window of %d processes", win->size);
    return proa_memory_prepare(win, args);
}

void proa_win_release(struct proa_win *win)
{
    if (win->is_open)
        proa_peer_closes_window();
    proa_held_forget(win);
    proa_pages_learn(win);
    proa_regions_free(win);
    if (win->memory)
        proa_arena_free(win->memory);
    proa_block_free(win);
    proa_targets_forget(win);
    proa_counters_free(win);
    targets_free(win->targets, win->size);
    proa_pages_release(win);
    free(win->pairs);
    free(win->started_group.rank);
    free(win->exposed_group.rank);
    pthread_mutex_destroy(&win->mutex);
    free(win);
}

static int connect(struct proa_win *win, const struct proa_create_args *args,
                   const struct proa_group *group, const struct proa_card *cards)
{
    int outcome = proa_cards_judge(cards, group, args->flavor);

    if (outcome != PROA_OK || !win)
        return outcome; /* every process judged the same cards: no agreement is needed */
    proa_contiguous_decide(win, cards);
    /* a collective call can sum up the counts of a window only if all processes count */
    win->counted = (uint8_t)cards[0].counted;
    win->identity = cards[0].hello.first.id + cards[0].number;
    for (int i = 0; i < win->size; i++)
        win->counted &= (uint8_t)cards[i].counted;
    outcome = proa_reach(win, args, group, cards);
    if (win->contiguous && outcome == PROA_OK)
        outcome = proa_agree_on(win, group, proa_contiguous_locate(win));
    return outcome;
}

/* cards: room for the cards of all processes; NULL as for proa_gather. win: NULL without memory. */
static int create_with(struct proa_card *cards, struct proa_win *win,
                       const struct proa_create_args *args, const struct proa_group *group)
{
    struct proa_card mine;
    int outcome = prepare(win, args);

    proa_card_fill(&mine, win, args, outcome);
    if (proa_card_is_private(&mine))
        proa_cma_allow(); /* before the others have the card, as they try it then */
    outcome = proa_gather(group, &mine, sizeof mine, cards);
    return outcome ? outcome : connect(win, args, group, cards);
}

/* Few cards need no memory that could be lacking. */
static int create(struct proa_win *win, const struct proa_create_args *args,
                  const struct proa_group *group)
{
    struct proa_card few[PROA_GATHER_FEW], *many;
    int outcome;

    if (group->size <= PROA_GATHER_FEW)
        return create_with(few, win, args, group);
    many = calloc((size_t)group->size, sizeof *many);
    outcome = create_with(many, win, args, group);
    free(many);
    return outcome;
}

/* A slot marks one accessing process, not several threads of it. So all processes use stripes for
 * the memory of this window. An empty span has no owner. */
static void guard_for_threads(struct proa_win *win)
{
    for (int i = 0; i < win->size; i++) {
        const struct proa_target *target = &win->targets[i];

        if (proa_is_remote(target))
            continue;
        proa_guard_stripes_only(target->peer->ctl);
        for (uint32_t k = 0; k < target->span_count && target->bytes > 0; k++)
            proa_guard_stripes_only(target->spans[k].owner->ctl);
    }
}

static struct proa_win *win_new(const struct proa_create_args *args, const struct proa_group *group)
{
    struct proa_win *win = calloc(1, sizeof *win);

    if (!win)
        return NULL;
    win->size = group->size;
    win->rank = group->rank;
    win->flavor = args->flavor;
    win->direct = args->flavor == PROA_FLAVOR_SHARED;
    win->threads = args->threads != 0;
    win->sync = proa_sync_of_node(win);
    win->adopt = (uint8_t)args->adopt;
    win->user = args->user;
    win->tests = (struct proa_vigil){.win = win, .from = group->rank};
    win->is_open = proa_self != NULL;
    if (win->is_open)
        proa_peer_opens_window();
    win->atomics_most = args->threads ? 0 : PROA_ATOMICS_MOST;
    pthread_mutex_init(&win->mutex, NULL);
    return win;
}

int proa_win_create(const struct proa_create_args *args, const struct proa_group *group,
                    struct proa_win **result)
{
    struct proa_win *win = win_new(args, group);
    int outcome = create(win, args, group);

    if (!win)
        return outcome;
    if (outcome != PROA_OK) {
        proa_win_release(win);
        return outcome;
    }
    if (!win->remote_window)
        win->barrier = proa_barrier_choose(win);
    if (win->threads)
        guard_for_threads(win);
    proa_held_watch(win);
    /* A lock request in flight precedes later locks of any window, including this one. So the call
     * follows the entry of this window: another thread may just be creating the first window that
     * spans nodes. */
    if (proa_atomic_load(&proa_remote_windows, PROA_RELAXED))
        proa_sync_slow();
    *result = win;
    return PROA_OK;
}
