/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the processes of a window that is being created reach each other: they map the memory that
 * the cards show, and join a network if they are on several nodes.
 *
 * If the kernel, or a limit, keeps a process from the memory of a neighbour, all processes try the
 * following ways together, in this order, so that they agree on which process guards which memory:
 *   files that cannot be opened by /proc are handed over through fd servers (shm/fd_server.h)
 *   if a process has no room to map more, memory that must be shared is refused to all
 *   a process that has brought private memory counts as a node of its own, and serves that memory
 *   every process counts as a node of its own
 *   the host serves the window
 */
#include "create/create.h"
#include "adopt/policy.h"
#include "base/fail.h"
#include "base/log.h"
#include "remote/network.h"
#include "rma/memory_owner.h"
#include "shm/cma.h"
#include "shm/fd_server.h"
#include "sync/peer_failure.h"
#include "sync/pair.h"
#include "window/gather.h"

#include <errno.h>
#include <stdlib.h>

/* Which processes are treated as if each were on a node of its own. */
enum apart { NOBODY_APART, PRIVATE_APART, ALL_APART };

/* A window that is being created, and the way that is being tried. */
struct trial {
    struct proa_win *win;
    const struct proa_create_args *args;
    const struct proa_group *group;
    const struct proa_card *cards;
    enum apart apart;
    int doors; /* the processes have tried to open the fd servers */
    struct proa_networks *networks;
};

/* Returns whether this process and that of this rank reach each other's memory without the network.
 */
static int is_near(const struct trial *trial, int rank)
{
    const struct proa_card *a = &trial->cards[rank], *b = &trial->cards[trial->win->rank];

    if (a == b)
        return 1;
    if (!proa_cards_share_node(a, b) || trial->apart == ALL_APART)
        return 0;
    return trial->apart == NOBODY_APART || (!proa_card_is_private(a) && !proa_card_is_private(b));
}

/* ---- several nodes ---- */

/* The host serves the window if the network cannot reach every process. */
static int remote_cards_judge(const struct proa_remote_card *cards, const struct proa_group *group)
{
    for (int i = 0; i < group->size; i++)
        if (cards[i].error)
            return proa_reason_learn(group, i, PROA_ELSEWHERE);
    return PROA_OK;
}

/* Exchanges cards for the network. Repeats that as long as some process cannot join the network and
 * another network is to be tried. */
static int remote_cards_exchange(struct trial *trial, struct proa_remote_card *cards)
{
    const struct proa_group *group = trial->group;
    struct proa_remote_card mine;
    int outcome;

    do {
        proa_remote_close(trial->win);
        proa_remote_card_fill(trial->win, trial->networks, &mine);
        outcome = proa_gather(group, &mine, sizeof mine, cards);
        if (outcome == PROA_OK)
            outcome = remote_cards_judge(cards, group);
        if (outcome == PROA_OK)
            outcome = proa_networks_judge(trial->networks, group, cards);
    } while (outcome == PROA_NETWORKS_AGAIN);
    if (outcome == PROA_OK)
        outcome = proa_remote_open(trial->win, trial->networks, cards);
    return outcome < 0 ? PROA_ELSEWHERE : outcome;
}

/* Exchanges a second card, which only windows of several nodes need. outcome: the outcome among
 * neighbours. */
static int spread(struct trial *trial, int outcome)
{
    struct proa_remote_card *cards = calloc((size_t)trial->group->size, sizeof *cards);

    if (outcome == PROA_OK && !cards)
        outcome = proa_fail(PROA_ELSEWHERE, "out of memory for a window of several nodes");
    outcome = proa_agree(trial->group, outcome);
    /* cards is set if outcome is PROA_OK, which analysers do not detect */
    if (outcome == PROA_OK && cards)
        outcome = remote_cards_exchange(trial, cards);
    free(cards);
    return outcome;
}

/* ---- the targets ---- */

static int is_unreached(struct proa_win *win, enum proa_unreached why)
{
    win->unreached = (uint8_t)why;
    return PROA_ELSEWHERE;
}

/* Returns the outcome after a mapping has failed. */
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

    if (win->contiguous) /* proa_contiguous_locate sets the memory, if there is any */
        return PROA_OK;
    /* memory is reached when regions are attached */
    if (win->flavor == PROA_FLAVOR_DYNAMIC)
        return proa_cma_works(target->peer) ? PROA_OK : is_unreached(win, PROA_UNREACHED_PRIVATE);
    if (card->memory.segment < 0)
        return proa_pages_reach(win, target, card->address, &card->pages);
    if (card->owner.first.id)
        owner = proa_memory_owner(win, &card->owner);
    segment = owner ? proa_peer_segment(owner, card->memory.segment) : NULL;
    if (!segment)
        return is_unmapped(win);
    return proa_target_set_memory(target, owner, &card->memory, segment);
}

static int target_attach(struct proa_win *win, int rank, const struct proa_card *card, int near)
{
    struct proa_target *target = &win->targets[rank];
    char *segment;
    int outcome;

    if (!near)
        return PROA_OK; /* see remote/roster.c */
    target->bytes = card->bytes;
    target->disp_unit = card->disp_unit;
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
    proa_failed_know(win, rank);
    return proa_failed_report(win, rank);
}

/* Which processes are near is known even without memory for their pairs. */
static int pairs_make(const struct trial *trial)
{
    struct proa_win *win = trial->win;

    win->slot = win->near = 0;
    for (int i = 0; i < win->size; i++)
        if (is_near(trial, i)) {
            win->near++;
            win->slot += i < win->rank;
        }
    return proa_pairs_make(win, win->slot, win->near);
}

static int targets_attach(const struct trial *trial)
{
    struct proa_win *win = trial->win;
    int outcome = pairs_make(trial);

    win->unreached = PROA_REACHED;
    for (int i = 0; i < win->size && outcome == PROA_OK; i++) {
        outcome = target_attach(win, i, &trial->cards[i], is_near(trial, i));
        if (!win->leader)
            win->leader = win->targets[i].ctl;
    }
    return outcome;
}

void proa_targets_forget(struct proa_win *win)
{
    proa_remote_close(win);
    for (int i = 0; win->targets && i < win->size; i++) {
        struct proa_target *target = &win->targets[i];

        proa_spans_free(target);
        if (target->peer)
            proa_peer_release(target->peer);
        if (target->peer || target->bytes) /* otherwise nothing was ever written there */
            *target = (struct proa_target){0};
    }
    proa_memory_owners_release(win);
    free(win->failed);
    win->failed = NULL;
    win->lost = 0;
    win->leader = NULL;
}

/* ---- one way after the other ---- */

static int reach(struct trial *trial)
{
    struct proa_win *win = trial->win;
    const struct proa_create_args *args = trial->args;
    int outcome = targets_attach(trial);

    if (win->near < win->size && !win->lost)
        outcome = spread(trial, outcome);
    if (win->contiguous && outcome == PROA_OK)
        outcome = proa_contiguous_allocate(win, trial->cards);
    if (args->finish && outcome == PROA_OK)
        outcome = args->finish(win, args->user);
    return proa_agree_on(win, trial->group, outcome);
}

/* Opens the fd server of each process for the others. Collective. Returns PROA_OK if all fd servers
 * are open, PROA_ELSEWHERE if not all, or the code with which the host failed. */
static int fd_servers_open(const struct proa_group *group)
{
    int had = proa_fd_server_threads(), failed = proa_fd_server_open() != PROA_OK,
        error = group->max(group->context, &failed);

    if (!error && !had)
        proa_log(PROA_LOG_INFO, "files of neighbours cannot be opened through /proc: they %s",
                 failed ? "could not be passed over sockets either" : "are passed over sockets");
    return !error && failed ? PROA_ELSEWHERE : error;
}

/* Chooses the way that all processes try next, after some process could not reach another. Returns
 * PROA_OK to try again, or PROA_ELSEWHERE if there is no other way. */
static int next_way(struct trial *trial)
{
    const struct proa_win *win = trial->win;
    int unreached = win->unreached, error = trial->group->max(trial->group->context, &unreached);

    if (error || unreached == PROA_REACHED || win->size == 1)
        return error ? error : PROA_ELSEWHERE;
    if (unreached == PROA_UNREACHED_NETWORK)
        return proa_networks_next(trial->networks, trial->group,
                                  win->unreached == PROA_UNREACHED_NETWORK);
    if (unreached == PROA_UNREACHED_FILE && !trial->doors) {
        trial->doors = 1;
        error = fd_servers_open(trial->group);
        if (error != PROA_ELSEWHERE)
            return error;
    }
    if (win->flavor == PROA_FLAVOR_SHARED && unreached == PROA_UNREACHED_LIMIT)
        return win->unreached == PROA_UNREACHED_LIMIT
                   ? PROA_ERR_NO_MEM /* the sentence was set */
                   : proa_fail(PROA_ERR_NO_MEM,
                               "a limit keeps another rank from mapping memory of this window");
    if (win->flavor == PROA_FLAVOR_SHARED || trial->apart == ALL_APART)
        return PROA_ELSEWHERE;
    trial->apart = unreached == PROA_UNREACHED_PRIVATE ? trial->apart + 1 : ALL_APART;
    return PROA_OK;
}

static enum apart apart_from_the_start(const struct proa_card *cards, int size)
{
    for (int i = 0; i < size; i++)
        if (cards[i].refused) {
            proa_adopt_policy_always();
            return PRIVATE_APART;
        }
    return NOBODY_APART;
}

/* Tries one way after the other. If none works, the host serves the window, for the reason that
 * came first. */
int proa_reach(struct proa_win *win, const struct proa_create_args *args,
               const struct proa_group *group, const struct proa_card *cards)
{
    struct proa_networks networks = {0};
    struct trial trial = {.win = win,
                          .args = args,
                          .group = group,
                          .cards = cards,
                          .apart = apart_from_the_start(cards, win->size),
                          .networks = &networks};
    struct proa_first_failure first = {0};
    int outcome = reach(&trial);

    while (outcome == PROA_ELSEWHERE) {
        proa_failure_keep(&first, outcome, proa_failure());
        outcome = next_way(&trial);
        if (outcome != PROA_OK)
            break;
        proa_targets_forget(win);
        outcome = reach(&trial);
    }
    if (outcome == PROA_OK)
        proa_networks_keep(&networks, win);
    if (outcome == PROA_ELSEWHERE && !*networks.tried)
        proa_fail(PROA_ELSEWHERE, "%s", first.text);
    return outcome;
}
