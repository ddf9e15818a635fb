/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of other nodes that are gone, and what becomes of those who wait for them: see
 * remote.h. */
#include "base/fail.h"
#include "core/agent.h"
#include "core/batch.h"
#include "core/issue.h"
#include "core/room.h"
#include "core/serve.h"
#include "core/spread.h"
#include "core/tell.h"

#include <stdlib.h>
#include <utlist.h>

int proa_remote_was_lost(const struct proa_win *win, int rank)
{
    const uint8_t *gone = __atomic_load_n(&win->gone, __ATOMIC_ACQUIRE);

    return gone && __atomic_load_n(&gone[rank], __ATOMIC_ACQUIRE);
}

/* The first that is gone: whoever it is, barriers of the window are over. Neighbours may have had
 * nothing to do with it. */
static void tell_node(struct proa_win *win, int rank)
{
    uint32_t none = 0;

    if (!win->lost)
        __atomic_store_n(&win->lost, 1 + (uint32_t)rank, __ATOMIC_RELEASE);
    if (win->ending)
        return;
    __atomic_compare_exchange_n(&win->leader->lost, &none, 1 + (uint32_t)rank, 0, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    proa_bell_ring(&win->leader->barrier_bell);
}

/* Everybody in the window hears of it, and says it on: who has no connection to the lost one would
 * wait for who does not come any more. */
static void lose(struct proa_win *win, int rank)
{
    struct proa_remote *r = proa_remote_of(win, rank);
    struct proa_wire_head head = proa_spread_head(win, PROA_WIRE_LOST, (uint64_t)rank);

    if (proa_remote_was_lost(win, rank))
        return;
    if (!win->gone)
        __atomic_store_n(&win->gone, calloc((size_t)win->size, 1), __ATOMIC_RELEASE);
    if (win->gone)
        __atomic_store_n(&win->gone[rank], 1, __ATOMIC_RELEASE);
    tell_node(win, rank);
    if (proa_away_of(win, rank))
        proa_away_of(win, rank)->lost = 1;
    if (r) {
        __atomic_store_n(&r->lost, 1, __ATOMIC_RELEASE);
        proa_serve_lost(r);
        proa_issue_lose(r);
        proa_batch_lose_wanted(r);
    }
    proa_room_lost(win, rank);
    for (int i = 0; i < win->size && win->gone; i++)
        if (proa_away_of(win, i) && !proa_away_of(win, i)->lost)
            proa_agent_answer(proa_away_of(win, i)->peer, &head, sizeof head);
    proa_bell_ring(&proa_self->ctl->bell);
}

void proa_remote_lost(uint32_t peer)
{
    struct proa_spread *spread;

    DL_FOREACH(proa_spreads, spread)
        for (int i = 0; i < spread->win->size; i++)
            if (proa_away_of(spread->win, i) && proa_away_of(spread->win, i)->peer == peer)
                lose(spread->win, i);
}

/* A process of another node says that one, maybe of ours, is gone; not us. */
void proa_remote_told_lost(uint32_t peer, const struct proa_wire_head *head)
{
    struct proa_remote *from = proa_remote_find(head->window, head->rank, peer);

    if (from && head->number >= (uint64_t)from->win->size)
        proa_agent_drop(peer, "tells of a rank that there is not");
    else if (from && (int)head->number != from->win->rank)
        lose(from->win, (int)head->number);
}

struct hearing {
    const struct proa_win *win;
    int from;
    const uint64_t *word;
    uint64_t least;
};

/* 1 + the first that anybody of the node has heard of; 0: none. */
static uint32_t first_lost(const struct proa_win *win)
{
    uint32_t lost = __atomic_load_n(&win->lost, __ATOMIC_ACQUIRE);

    return lost || win->ending ? lost
                               : __atomic_load_n(&win->leader->lost, __ATOMIC_ACQUIRE);
}

static int is_gone(const struct proa_win *win, int from)
{
    return from < 0 ? first_lost(win) != 0 : proa_remote_was_lost(win, from);
}

void proa_remote_end(struct proa_win *win, int ending)
{
    proa_agent_enter();
    win->ending = (uint8_t)ending;
    proa_agent_leave();
}

static int has_been_told(void *arg)
{
    const struct hearing *h = arg;

    return __atomic_load_n(h->word, __ATOMIC_ACQUIRE) >= h->least || is_gone(h->win, h->from);
}

/* Not inside. What has been told counts, whoever is gone since. */
static int hear(struct hearing *h, struct proa_bell *bell)
{
    if (!has_been_told(h))
        proa_wait(has_been_told, h, bell);
    if (__atomic_load_n(h->word, __ATOMIC_ACQUIRE) >= h->least)
        return PROA_OK;
    return proa_fail(PROA_ERR_OTHER, "the process of rank %d is gone",
                     h->from >= 0 ? h->from : (int)first_lost(h->win) - 1);
}

int proa_remote_hear(const struct proa_win *win, int from, int word, uint64_t least)
{
    struct hearing h = {win, from, proa_word_anywhere(win, from, word), least};

    return hear(&h, &proa_self->ctl->bell);
}

int proa_remote_await(const struct proa_win *win, const uint64_t *word, uint64_t least,
                      struct proa_bell *bell)
{
    struct hearing h = {win, -1, word, least};

    return hear(&h, bell);
}
