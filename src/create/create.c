/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation and freeing of windows, for every flavor alike.
 *
 * Each process prepares alone as much as it can (shared words, memory). It shows a card of it to
 * all processes (one allgather), maps the memory that the other cards show, and agrees with them on
 * the outcome. Neighbour processes agree by a word of each one. Processes of several nodes agree by
 * the host (one reduction), and so do neighbours after a failure. A failure on any process is a
 * failure of the same class on all.
 *
 * If the kernel, or a limit, keeps a process from the memory of a neighbour, all processes look for
 * another way together, in this order, so that they have the same idea of which process guards
 * which memory:
 *   files that cannot be opened by /proc are handed over through doors (shm/door.h)
 *   if a process has no room to map more, memory that must be shared is refused to all
 *   a process that has brought private memory counts as a node of its own, and serves it itself
 *   every process counts as a node of its own
 *   the host has the window
 */
#include "create/agree.h"
#include "create/card.h"
#include "base/fail.h"
#include "base/log.h"
#include "shm/arena.h"
#include "sync/barrier.h"
#include "shm/cma.h"
#include "shm/door.h"
#include "rma/guard.h"
#include "sync/held.h"
#include "rma/lender.h"
#include "remote/network.h"
#include "rma/pages.h"
#include "sync/pair.h"
#include "rma/regions.h"
#include "remote/spread.h"
#include "rma/road.h"
#include "window/win.h"
#include "adopt/worth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- alone: the parts of this process ---- */

/* The outcome if the arena has no room for so many bytes. If only a limit on this process's files
 * forbids it, the host, which may need no file, has the window. */
static int no_room(uint64_t bytes)
{
    return proa_arena_is_limited(bytes) ? PROA_ELSEWHERE : PROA_ERR_NO_MEM;
}

/* Allocates for the largest case; proa_pairs_make gives back the part that is not needed. */
static int allocate_ctl(struct proa_win *win)
{
    return proa_block_new(win) == PROA_OK
               ? PROA_OK
               : no_room(proa_rounds_bytes(win->size) + proa_block_bytes(win->size));
}

static int allocate_private(struct proa_win *win)
{
    win->targets = calloc((size_t)win->size, sizeof *win->targets);
    return win->targets
               ? PROA_OK
               : proa_fail(PROA_ERR_NO_MEM, "no memory for a window of %d processes", win->size);
}

/* Allocates the memory that this process can allocate without the others' sizes. */
static int allocate_memory(struct proa_win *win, const struct proa_create_args *args)
{
    win->base = args->base;
    if (args->flavor != PROA_FLAVOR_ALLOCATE &&
        !(args->flavor == PROA_FLAVOR_SHARED && args->noncontig))
        return PROA_OK;
    win->base = NULL;
    if (args->bytes == 0)
        return PROA_OK;
    win->base = win->memory = proa_arena_alloc(args->bytes, proa_memory_align(args));
    return win->memory ? PROA_OK : no_room(args->bytes);
}

/* Holds memory that the program brings, and that is in no process's arena. A window of one process
 * moves nothing, as no other process has to reach the memory. But it holds the memory as all
 * windows do, adopted or not, as that decides how elements are guarded. */
static int hold_memory(struct proa_win *win, const struct proa_create_args *args)
{
    struct proa_hello owner;
    uint64_t offset;
    int segment;

    if (args->flavor != PROA_FLAVOR_CREATE || args->bytes == 0 ||
        proa_arena_find(args->base, args->bytes, &segment, &offset) ||
        proa_peer_find(args->base, args->bytes, &owner, &segment, &offset))
        return PROA_OK;
    return proa_pages_hold(win, args->base, args->bytes,
                           win->size > 1 ? (enum proa_adopt)args->adopt : PROA_ADOPT_NEVER);
}

static int prepare(struct proa_win *win, const struct proa_create_args *args)
{
    int error = args->error;

    if (!error && !win)
        error = proa_fail(PROA_ERR_NO_MEM, "no memory for a window");
    if (!error)
        error = allocate_private(win);
    if (!error)
        error = allocate_ctl(win);
    if (!error)
        error = allocate_memory(win, args);
    if (!error)
        error = hold_memory(win, args);
    return error;
}

/* ---- together: reaching the others ---- */

/* The processes that count as being on a node of their own. */
enum apart { NOBODY_APART, PRIVATE_APART, ALL_APART };

/* Do a and b reach the memory of each other by themselves, without the network? */
static int is_near(const struct proa_card *a, const struct proa_card *b, enum apart apart)
{
    if (a == b)
        return 1;
    if (!proa_cards_share_node(a, b) || apart == ALL_APART)
        return 0;
    return apart == NOBODY_APART || (!proa_card_is_private(a) && !proa_card_is_private(b));
}

/* ---- together: several nodes ---- */

static int spans_nodes(const struct proa_card *cards, int size, enum apart apart)
{
    for (int i = 1; i < size; i++)
        if (!is_near(&cards[i], &cards[0], apart))
            return 1;
    return 0;
}

/* The host has the window if the network cannot reach every process. */
static int remote_cards_judge(const struct proa_remote_card *cards, const struct proa_group *group)
{
    for (int i = 0; i < group->size; i++)
        if (cards[i].error)
            return proa_reason_learn(group, i, PROA_ELSEWHERE);
    return PROA_OK;
}

/* Exchanges cards for the network. Repeats that as long as some process cannot join the network and
 * another one is to be tried. */
static int remote_cards_exchange(struct proa_win *win, const struct proa_group *group,
                                 struct proa_networks *networks, struct proa_remote_card *cards)
{
    struct proa_remote_card mine;
    int outcome;

    do {
        proa_remote_close(win);
        proa_remote_card_fill(win, networks, &mine);
        outcome = group->allgather(group->context, &mine, cards, sizeof mine);
        if (outcome == PROA_OK)
            outcome = remote_cards_judge(cards, group);
        if (outcome == PROA_OK)
            outcome = proa_networks_judge(networks, group, cards);
    } while (outcome == PROA_NETWORKS_AGAIN);
    if (outcome == PROA_OK)
        outcome = proa_remote_open(win, networks, cards);
    return outcome < 0 ? PROA_ELSEWHERE : outcome;
}

/* Exchanges a second card, which only windows of several nodes need. reached: the outcome among
 * neighbours. */
static int spread(struct proa_win *win, const struct proa_group *group,
                  struct proa_networks *networks, int reached)
{
    struct proa_remote_card *cards = calloc((size_t)group->size, sizeof *cards);
    int outcome = reached;

    if (outcome == PROA_OK && !cards)
        outcome = proa_fail(PROA_ELSEWHERE, "no memory for a window of several nodes");
    outcome = proa_agree(group, outcome);
    /* the second follows from the first, which analysers do not see */
    if (outcome == PROA_OK && cards)
        outcome = remote_cards_exchange(win, group, networks, cards);
    free(cards);
    return outcome;
}

static int target_set_memory(struct proa_target *target, struct proa_peer *owner,
                             const struct proa_position *at, char *segment)
{
    struct proa_span span = {.end = target->bytes,
                             .here = segment + at->offset,
                             .owner = owner,
                             .road = &proa_road_store,
                             .key = proa_peer_address(owner, at->segment, at->offset)};

    return proa_spans_set(target, &span, 1);
}

static int is_unreached(struct proa_win *win, enum proa_unreached why)
{
    win->unreached = (uint8_t)why;
    return PROA_ELSEWHERE;
}

/* The outcome after a mapping has failed. */
static int is_unmapped(struct proa_win *win)
{
    return is_unreached(win,
                        proa_segment_is_limit(errno) ? PROA_UNREACHED_LIMIT : PROA_UNREACHED_FILE);
}

static int target_reach(struct proa_win *win, struct proa_target *target,
                        const struct proa_card *card)
{
    struct proa_peer *owner = target->peer;
    char *segment;

    if (win->contiguous) /* shared_locate sets the memory, if there is any */
        return PROA_OK;
    /* memory is reached as regions are attached */
    if (win->flavor == PROA_FLAVOR_DYNAMIC)
        return proa_cma_works(target->peer) ? PROA_OK : is_unreached(win, PROA_UNREACHED_PRIVATE);
    if (card->memory.segment < 0)
        return proa_pages_reach(win, target, card->address, &card->pages);
    if (card->owner.id)
        owner = proa_lender(win, &card->owner);
    segment = owner ? proa_peer_segment(owner, card->memory.segment) : NULL;
    if (!segment)
        return is_unmapped(win);
    return target_set_memory(target, owner, &card->memory, segment);
}

static int target_attach(struct proa_win *win, int rank, const struct proa_card *card, int near)
{
    struct proa_target *target = &win->targets[rank];
    char *segment;
    int outcome;

    target->bytes = card->bytes;
    target->disp_unit = card->disp_unit;
    if (!near)
        return PROA_OK; /* remote/origin.c */
    target->peer = proa_peer_attach(&card->hello);
    segment = target->peer ? proa_peer_segment(target->peer, card->ctl.segment) : NULL;
    if (segment) {
        target->ctl = (struct proa_win_ctl *)(void *)(segment + card->ctl.offset);
        outcome = target_reach(win, target, card);
    } else {
        outcome = is_unmapped(win);
    }
    if (outcome == PROA_OK || !proa_hello_has_ended(&card->hello))
        return outcome;
    proa_gone_know(win, rank);
    return proa_gone_report(win, rank);
}

static int pairs_make(struct proa_win *win, const struct proa_card *cards, enum apart apart)
{
    int slot = 0, near = 0;

    for (int i = 0; i < win->size; i++)
        if (is_near(&cards[i], &cards[win->rank], apart)) {
            near++;
            slot += i < win->rank;
        }
    return proa_pairs_make(win, slot, near);
}

static int targets_attach(struct proa_win *win, const struct proa_card *cards, enum apart apart)
{
    int outcome = pairs_make(win, cards, apart);

    win->unreached = PROA_REACHED;
    for (int i = 0; i < win->size && outcome == PROA_OK; i++) {
        outcome = target_attach(win, i, &cards[i], is_near(&cards[i], &cards[win->rank], apart));
        if (!win->leader)
            win->leader = win->targets[i].ctl;
    }
    return outcome;
}

/* ---- contiguous shared windows: one block in the leader's arena ---- */

/* A shared window has one piece of memory, unless all processes have asked for memory of their own
 * (MPI-4.1, 13.2.3: the key may be ignored). Memory that a process has allocated for itself is
 * freed if others have not asked. */
static void contiguous_decide(struct proa_win *win, const struct proa_card *cards)
{
    if (win->flavor != PROA_FLAVOR_SHARED)
        return;
    for (int i = 0; i < win->size; i++)
        win->contiguous |= !cards[i].noncontig;
    if (!win->contiguous || !win->memory)
        return;
    proa_arena_free(win->memory);
    win->memory = win->base = NULL;
}

/* The leader allocates for all processes and stores the place in its shared words. The others read
 * that after the next collective. */
static int shared_allocate(struct proa_win *win, const struct proa_card *cards)
{
    uint64_t total = 0, align = 0;
    struct proa_position at;

    if (win->rank != PROA_LEADER || win->memory) /* memory may be there from an earlier try */
        return PROA_OK;
    for (int i = 0; i < win->size; i++) {
        align = cards[i].align > align ? cards[i].align : align;
        if (__builtin_add_overflow(total, cards[i].bytes, &total))
            return proa_fail(
                PROA_ERR_NO_MEM,
                "the sizes of all ranks together are more than an address space holds");
    }
    if (total == 0)
        return PROA_OK;
    win->memory = proa_arena_alloc(total, align);
    if (!win->memory)
        return no_room(total);
    at = proa_position_of(win->memory, total);
    __atomic_store_n(&win->ctl->shared.segment, (uint32_t)at.segment, __ATOMIC_RELAXED);
    __atomic_store_n(&win->ctl->shared.offset, at.offset, __ATOMIC_RELEASE);
    return PROA_OK;
}

static int shared_locate(struct proa_win *win)
{
    const struct proa_shared_ctl *word = &win->leader->shared;
    struct proa_peer *owner = win->targets[PROA_LEADER].peer;
    struct proa_position at = {.offset = __atomic_load_n(&word->offset, __ATOMIC_ACQUIRE)};
    char *segment;
    int error = PROA_OK;

    at.segment = (int32_t)__atomic_load_n(&word->segment, __ATOMIC_RELAXED);
    /* segment 0 and offset 0, where the owner's own block lies: nothing was allocated */
    if (at.segment == 0 && at.offset == 0)
        return PROA_OK;
    segment = proa_peer_segment(owner, at.segment);
    if (!segment) /* a sentence was said */
        return proa_segment_is_limit(errno) ? PROA_ERR_NO_MEM : PROA_ELSEWHERE;
    for (int i = 0; i < win->size && !error; i++) {
        error = target_set_memory(&win->targets[i], owner, &at, segment);
        at.offset += win->targets[i].bytes;
    }
    win->base = win->targets[win->rank].only.here;
    return error;
}

/* ---- the whole ---- */

/* Resets the targets, as if no process had been reached yet. */
static void targets_forget(struct proa_win *win)
{
    proa_remote_close(win);
    for (int i = 0; win->targets && i < win->size; i++) {
        proa_spans_free(&win->targets[i]);
        if (win->targets[i].peer)
            proa_peer_release(win->targets[i].peer);
        win->targets[i] = (struct proa_target){0};
    }
    proa_lenders_release(win);
    free(win->gone);
    win->gone = NULL;
    win->lost = 0;
    win->leader = NULL;
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
    targets_forget(win);
    free(win->targets);
    proa_pages_release(win);
    free(win->pairs);
    free(win->started_group.rank);
    free(win->exposed_group.rank);
    pthread_mutex_destroy(&win->mutex);
    free(win);
}

static int reach(struct proa_win *win, const struct proa_create_args *args,
                 const struct proa_group *group, const struct proa_card *cards, enum apart apart,
                 struct proa_networks *networks)
{
    int outcome = targets_attach(win, cards, apart), spans = spans_nodes(cards, win->size, apart);

    if (spans && !win->lost)
        outcome = spread(win, group, networks, outcome);
    if (win->contiguous && outcome == PROA_OK)
        outcome = shared_allocate(win, cards);
    if (args->finish && outcome == PROA_OK)
        outcome = args->finish(win, args->user);
    if (spans)
        return win->lost ? proa_without_the_lost(win) : proa_agree(group, outcome);
    return proa_agree_near(win, group, outcome);
}

/* Collective: each process opens its door for the others. *open: all doors are open, or there was
 * no reason to open one. */
static int doors_open(const struct proa_group *group, int *open)
{
    int had = proa_door_threads(), failed = proa_door_open() != PROA_OK,
        error = group->max(group->context, &failed);

    *open = !failed;
    if (!error && !had)
        proa_log(PROA_LOG_INFO, "files of neighbours cannot be opened by /proc: they %s",
                 failed ? "could not be handed over by sockets either" : "come by sockets");
    return error;
}

/* Chooses the way that all processes try next, after some process could not reach another. PROA_OK:
 * try again with *apart; PROA_ELSEWHERE: there is no other way. */
static int next_way(const struct proa_win *win, const struct proa_group *group,
                    struct proa_networks *networks, int *doors, enum apart *apart)
{
    int unreached = win->unreached, error = group->max(group->context, &unreached), open = 0;

    if (error || unreached == PROA_REACHED || win->size == 1)
        return error ? error : PROA_ELSEWHERE;
    if (unreached == PROA_UNREACHED_NETWORK)
        return proa_networks_next(networks, group, win->unreached == PROA_UNREACHED_NETWORK);
    if (unreached == PROA_UNREACHED_FILE && !*doors) {
        *doors = 1;
        error = doors_open(group, &open);
        if (error || open)
            return error;
    }
    if (win->flavor == PROA_FLAVOR_SHARED && unreached == PROA_UNREACHED_LIMIT)
        return win->unreached == PROA_UNREACHED_LIMIT
                   ? PROA_ERR_NO_MEM /* a sentence was said */
                   : proa_fail(PROA_ERR_NO_MEM,
                               "a limit keeps another rank from mapping memory of this window");
    if (win->flavor == PROA_FLAVOR_SHARED || *apart == ALL_APART)
        return PROA_ELSEWHERE;
    *apart = unreached == PROA_UNREACHED_PRIVATE ? *apart + 1 : ALL_APART;
    return PROA_OK;
}

static enum apart apart_from_the_start(const struct proa_card *cards, int size)
{
    for (int i = 0; i < size; i++)
        if (cards[i].refused) {
            proa_worth_always();
            return PRIVATE_APART;
        }
    return NOBODY_APART;
}

/* Tries one way after the other. If none works, the host has the window, for the reason that came
 * first. */
static int reach_somehow(struct proa_win *win, const struct proa_create_args *args,
                         const struct proa_group *group, const struct proa_card *cards)
{
    enum apart apart = apart_from_the_start(cards, win->size);
    struct proa_networks networks;
    int doors = 0, outcome;
    char reason[160] = "";

    proa_networks_begin(&networks);
    outcome = reach(win, args, group, cards, apart, &networks);
    while (outcome == PROA_ELSEWHERE) {
        if (!reason[0])
            snprintf(reason, sizeof reason, "%s", proa_failure());
        outcome = next_way(win, group, &networks, &doors, &apart);
        if (outcome != PROA_OK)
            break;
        targets_forget(win);
        outcome = reach(win, args, group, cards, apart, &networks);
    }
    if (outcome == PROA_OK)
        proa_networks_keep(&networks, win);
    if (outcome == PROA_ELSEWHERE && !*networks.tried)
        proa_fail(PROA_ELSEWHERE, "%s", reason);
    return outcome;
}

/* A collective call can sum up the counts of a window only if all processes count. */
static void counted_decide(struct proa_win *win, const struct proa_card *cards)
{
    win->counted = 1;
    for (int i = 0; i < win->size; i++)
        win->counted &= cards[i].counted != 0;
}

static int connect(struct proa_win *win, const struct proa_create_args *args,
                   const struct proa_group *group, const struct proa_card *cards)
{
    int outcome = proa_cards_judge(cards, group, args->flavor);

    if (outcome != PROA_OK || !win)
        return outcome; /* every process judged the same cards: no need to agree */
    contiguous_decide(win, cards);
    counted_decide(win, cards);
    outcome = reach_somehow(win, args, group, cards);
    if (win->contiguous && outcome == PROA_OK)
        outcome = proa_agree_near(win, group, shared_locate(win));
    return outcome;
}

/* cards: room for the cards of all processes. win: NULL without memory. */
static int create_with(struct proa_card *cards, struct proa_win *win,
                       const struct proa_create_args *args, const struct proa_group *group)
{
    struct proa_card mine;
    int outcome = prepare(win, args);

    proa_card_fill(&mine, win, args, outcome);
    if (proa_card_is_private(&mine))
        proa_cma_allow(); /* before the others have the card: they try it then */
    outcome = group->allgather(group->context, &mine, cards, sizeof mine);
    return outcome ? outcome : connect(win, args, group, cards);
}

/* A few cards need no memory that could be lacking. For many, a process without memory cannot
 * receive them, so all processes first agree that they have it. */
static int create(struct proa_win *win, const struct proa_create_args *args,
                  const struct proa_group *group)
{
    enum { FEW = 64 };
    struct proa_card few[FEW], *many;
    int outcome;

    if (group->size <= FEW)
        return create_with(few, win, args, group);
    many = calloc((size_t)group->size, sizeof *many);
    outcome =
        proa_agree(group, many ? PROA_OK
                               : proa_fail(PROA_ERR_NO_MEM,
                                           "no memory for a window of %d processes", group->size));
    /* the second follows from the first, which analysers do not see */
    if (outcome == PROA_OK && many)
        outcome = create_with(many, win, args, group);
    free(many);
    return outcome;
}

/* A slot marks one accessing process, not several threads of it. So all processes use stripes for
 * the memory of this window. A span of no bytes has no owner. */
static void guard_for_threads(struct proa_win *win)
{
    for (int i = 0; i < win->size; i++) {
        const struct proa_target *target = &win->targets[i];

        if (target->away)
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
    win->atomics_most = proa_guard_atomics_most(args->threads);
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
    if (!win->spread)
        win->barrier = proa_barrier_choose(win);
    if (win->threads)
        guard_for_threads(win);
    proa_held_watch(win);
    /* A lock request that is in flight comes before later locks of any window. All windows must
     * respect that, including this one, so the call comes after this one is among them: another
     * thread may make the first window that spans nodes just now. */
    if (__atomic_load_n(&proa_spreads, __ATOMIC_RELAXED))
        proa_sync_generally();
    *result = win;
    return PROA_OK;
}
