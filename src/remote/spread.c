/* SPDX-License-Identifier: BSD-3-Clause */
/* See spread.h. */
#include "remote/spread.h"
#include "base/fail.h"
#include "base/table.h"
#include "remote/agent.h"
#include "remote/batch.h"
#include "remote/ends.h"
#include "remote/execute.h"
#include "remote/issue.h"
#include "remote/network.h"
#include "sync/passive.h"
#include "remote/origin.h"
#include "remote/request.h"
#include "rma/road.h"
#include "remote/room.h"
#include "remote/serve.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct proa_spread *proa_spreads;
struct proa_remote *proa_remotes[PROA_REMOTE_USED];
static struct proa_table numbers = PROA_TABLE_INIT; /* windows by their numbers */

struct proa_win *proa_spread_find(uint64_t number)
{
    return number > 1 ? proa_table_find(&numbers, number) : NULL;
}

struct proa_remote *proa_remote_find(const struct proa_wire_head *head, uint32_t peer)
{
    struct proa_win *win = proa_spread_find(head->window);
    struct proa_away *away = NULL;
    struct proa_remote *r = NULL;

    if (!win)
        return NULL;
    if (head->rank < (uint32_t)win->size)
        away = proa_away_of(win, (int)head->rank);
    if (!away || away->peer != peer)
        proa_agent_drop(peer, "is of another rank than its own");
    else if (!(r = proa_remote_make(away)))
        proa_agent_drop(peer, "finds no memory here");
    return r;
}

static uint64_t next_number(void)
{
    static uint64_t count;

    /* 0 and 1 are no keys of a table */
    return (proa_self->id + 4 * __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)) | 2;
}

/* A transport that cannot expose this memory leaves it to messages. */
static void expose(struct proa_win *win, uint64_t bytes, struct proa_remote_card *card)
{
    struct proa_spread *spread = win->spread;

    proa_agent_enter();
    spread->has_key = proa_end_expose(spread->end, win->base, bytes, &spread->key) == PROA_OK;
    proa_agent_leave();
    card->key = spread->key;
    card->has_key = spread->has_key;
}

void proa_remote_card_fill(struct proa_win *win, struct proa_networks *networks,
                           struct proa_remote_card *card)
{
    const struct proa_target *self = &win->targets[win->rank];

    memset(card, 0, sizeof *card);
    win->spread = calloc(1, sizeof *win->spread);
    if (!win->spread) {
        card->error = proa_fail(PROA_ERR_NO_MEM, "no memory for a window over several nodes");
        return;
    }
    win->spread->win = win;
    win->sync = &proa_sync_remote;
    win->spread->end = proa_networks_join(networks, card);
    while (!win->targets[card->leader].ctl) /* ours is there */
        card->leader++;
    card->window = next_number();
    card->memory = (uint64_t)(uintptr_t)win->base;
    if (win->spread->end >= 0 && win->flavor != PROA_FLAVOR_DYNAMIC && self->bytes)
        expose(win, self->bytes, card);
}

struct proa_remote *proa_remote_make(struct proa_away *away)
{
    struct proa_remote *r = away->remote;

    if (r)
        return r;
    r = calloc(1, sizeof *r);
    if (!r) {
        proa_fail(PROA_ERR_NO_MEM, "no memory to remember a process of another node");
        return NULL;
    }
    r->away = away;
    /* partner: proa_remote_of */
    __atomic_store_n(&away->remote, r, __ATOMIC_RELEASE);
    return r;
}

static struct proa_remote **list_of(const struct proa_remote *r, enum proa_remote_list kind)
{
    return kind == PROA_REMOTE_USED ? &r->away->win->remotes : &proa_remotes[kind];
}

void proa_remote_enlist(struct proa_remote *r, enum proa_remote_list kind)
{
    if (!proa_remote_is_in(r, kind))
        DL_APPEND2(*list_of(r, kind), r, in[kind].prev, in[kind].next);
}

void proa_remote_delist(struct proa_remote *r, enum proa_remote_list kind)
{
    if (proa_remote_is_in(r, kind))
        DL_DELETE2(*list_of(r, kind), r, in[kind].prev, in[kind].next);
    r->in[kind].prev = NULL;
}

static int away_new(struct proa_win *win, int rank, const struct proa_remote_card *card,
                    struct proa_away *away)
{
    struct proa_target *target = &win->targets[rank];
    struct proa_span span = {.end = target->bytes, .key = card->memory, .road = &proa_road_net};

    *away = (struct proa_away){.win = win,
                               .memory = card->memory,
                               .key = card->key,
                               .rank = rank,
                               .has_key = card->has_key != 0};
    target->away = away;
    if (win->flavor != PROA_FLAVOR_DYNAMIC && proa_spans_set(target, &span, 1))
        return PROA_ERR_NO_MEM;
    return proa_end_reach(win->spread->end, &card->address, &away->peer);
}

static int aways_new(struct proa_win *win, const struct proa_remote_card *cards)
{
    int count = 0, error = PROA_OK;

    for (int i = 0; i < win->size; i++)
        count += !win->targets[i].ctl;
    if (count == 0)
        return PROA_OK;
    win->spread->aways = calloc((size_t)count, sizeof *win->spread->aways);
    if (!win->spread->aways)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember processes of other nodes");
    for (int i = win->size - 1; i >= 0 && !error; i--)
        if (!win->targets[i].ctl)
            error = away_new(win, i, &cards[i], &win->spread->aways[--count]);
    return error;
}

/* From now on messages of other processes find the window. */
static int spread_add(struct proa_spread *spread)
{
    if (proa_table_set(&numbers, spread->number, spread->win) != 0)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember a window");
    DL_APPEND(proa_spreads, spread);
    return PROA_OK;
}

int *proa_remote_leaders(const struct proa_win *win, const struct proa_remote_card *cards,
                         int *count, int *mine)
{
    int *leaders = malloc((size_t)win->size * sizeof *leaders);

    *count = 0;
    *mine = -1;
    if (!leaders)
        proa_fail(PROA_ERR_NO_MEM, "no memory for a window over several nodes");
    for (int i = 0; leaders && i < win->size; i++)
        if (cards[i].leader == i) {
            *mine = i == win->rank ? *count : *mine;
            leaders[(*count)++] = i;
        }
    return leaders;
}

/* Sets the partners in the barrier among nodes, by the same leaders on all processes. */
static int set_barrier(struct proa_win *win, const struct proa_remote_card *cards)
{
    struct proa_spread *spread = win->spread;
    int count, mine, *leaders = proa_remote_leaders(win, cards, &count, &mine);

    if (!leaders)
        return PROA_ERR_NO_MEM;
    for (int i = 0; i < win->size; i++)
        spread->neighbours += i != win->rank && cards[i].leader == cards[win->rank].leader;
    for (int distance = 1; distance < count && mine >= 0; distance *= 2)
        spread->partners[spread->rounds++] = leaders[(mine + distance) % count];
    free(leaders);
    return PROA_OK;
}

/* Opens the peers, with their addresses: a trial of the network needs nothing else. */
static int open_peers(struct proa_win *win, const struct proa_remote_card *cards)
{
    int error;

    proa_agent_enter();
    win->spread->number = cards[0].window;
    error = set_barrier(win, cards);
    if (!error)
        error = aways_new(win, cards);
    proa_agent_leave();
    return error;
}

int proa_remote_open(struct proa_win *win, struct proa_networks *networks,
                     const struct proa_remote_card *cards)
{
    int error = open_peers(win, cards);

    if (!error)
        error = proa_networks_try(networks, win, cards);
    if (error)
        return error;
    proa_agent_enter();
    proa_lock_set_before(proa_remote_keep_promises);
    error = proa_room_open(win, cards);
    if (!error)
        error = proa_served_open(win);
    if (!error)
        error = spread_add(win->spread);
    proa_agent_leave();
    return error;
}

static void remote_free(struct proa_remote *r)
{
    if (!r)
        return;
    proa_issue_lose(r);
    proa_batch_forget(r);
    proa_remote_delist(r, PROA_REMOTE_PROMISED);
    proa_serve_forget(r);
    free(r);
}

void proa_remote_close(struct proa_win *win)
{
    struct proa_spread *spread = win->spread;

    if (!spread)
        return;
    proa_agent_enter();
    if (proa_table_remove_pair(&numbers, spread->number, win))
        DL_DELETE(proa_spreads, spread);
    proa_served_close(win);
    proa_room_close(win);
    for (int i = 0; i < win->size; i++)
        remote_free(proa_remote_of(win, i));
    proa_request_forget(win);
    if (spread->has_key)
        proa_end_hide(spread->end, &spread->key);
    proa_agent_leave();
    if (spread->end >= 0)
        proa_end_release(spread->end);
    for (int i = 0; i < win->size; i++)
        win->targets[i].away = NULL;
    free(spread->aways);
    free(spread);
    win->spread = NULL;
    win->sync = proa_sync_of_node(win);
}
