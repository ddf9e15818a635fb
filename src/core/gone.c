/* SPDX-License-Identifier: BSD-3-Clause */
/* See gone.h. The effects of a loss on processes of other nodes: see spread.h. */
#include "core/gone.h"
#include "base/fail.h"
#include "base/system.h"
#include "core/agent.h"
#include "core/batch.h"
#include "core/claims.h"
#include "core/issue.h"
#include "core/room.h"
#include "core/serve.h"
#include "core/spread.h"
#include "core/tell.h"

#include <stdlib.h>
#include <utlist.h>

enum {
    LOOK_NS = 200000000, /* between two looks of a wait at its neighbours */
    CLOSELY = 4          /* so many of them are looked at closely each time */
};

/* ---- known losses ---- */

int proa_is_gone(const struct proa_win *win, int rank)
{
    const uint8_t *gone = __atomic_load_n(&win->gone, __ATOMIC_ACQUIRE);

    return __atomic_load_n(&win->given_up, __ATOMIC_ACQUIRE) ||
           (gone && __atomic_load_n(&gone[rank], __ATOMIC_ACQUIRE));
}

/* 1 + the first that this process, or one of the node, has heard of; 0: none. */
static uint32_t first_lost(const struct proa_win *win)
{
    uint32_t lost = __atomic_load_n(&win->lost, __ATOMIC_ACQUIRE);

    return lost || win->ending || !win->spread
               ? lost
               : __atomic_load_n(&win->leader->lost, __ATOMIC_ACQUIRE);
}

static int is_in_vain(const struct proa_win *win, int from)
{
    return from < 0 ? first_lost(win) != 0 : proa_is_gone(win, from);
}

int proa_gone_report(const struct proa_win *win, int from)
{
    int rank = from >= 0 ? from : (int)first_lost(win) - 1;

    if (rank == win->rank || __atomic_load_n(&win->given_up, __ATOMIC_ACQUIRE))
        return proa_fail(PROA_ERR_OTHER, "the other ranks have given this process up");
    return proa_fail(PROA_ERR_OTHER, "the process of rank %d is gone", rank);
}

/* ---- losing one; inside ---- */

static void mark(struct proa_win *win, int rank)
{
    if (!win->gone)
        __atomic_store_n(&win->gone, calloc((size_t)win->size, 1), __ATOMIC_RELEASE);
    if (win->gone)
        __atomic_store_n(&win->gone[rank], 1, __ATOMIC_RELEASE);
    if (!win->lost)
        __atomic_store_n(&win->lost, 1 + (uint32_t)rank, __ATOMIC_RELEASE);
}

void proa_gone_know(struct proa_win *win, int rank)
{
    proa_agent_enter();
    mark(win, rank);
    proa_agent_leave();
}

/* Barriers of the window are over, for neighbours too that have had nothing to do with it. */
static void tell_node(struct proa_win *win, int rank)
{
    uint32_t none = 0;

    __atomic_compare_exchange_n(&win->leader->lost, &none, 1 + (uint32_t)rank, 0, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    proa_bell_ring(&win->leader->barrier_bell);
}

/* Loses all that was in flight to it, and from it. */
static void lose_away(struct proa_win *win, int rank)
{
    struct proa_away *away = proa_away_of(win, rank);
    struct proa_remote *r = proa_remote_of(win, rank);

    if (away)
        away->lost = 1;
    if (!r)
        return;
    __atomic_store_n(&r->lost, 1, __ATOMIC_RELEASE);
    proa_serve_lost(r);
    proa_issue_lose(r);
    proa_batch_lose_wanted(r);
}

/* A process that has no connection to the lost one would wait for it. So is the lost one told,
 * which may have been silent only. */
static void say_on(struct proa_win *win, int rank)
{
    struct proa_wire_head head = proa_spread_head(win, PROA_WIRE_LOST, (uint64_t)rank);

    for (int i = 0; i < win->size; i++)
        if (proa_away_of(win, i) && (!proa_away_of(win, i)->lost || i == rank))
            proa_agent_answer(proa_away_of(win, i)->peer, &head, sizeof head);
}

static void lose(struct proa_win *win, int rank)
{
    if (proa_is_gone(win, rank))
        return;
    mark(win, rank);
    if (win->spread) {
        if (!win->ending)
            tell_node(win, rank);
        lose_away(win, rank);
        proa_room_lost(win, rank);
        say_on(win, rank);
    }
    if (win->targets[rank].ctl && !win->ending)
        proa_claims_break(win);
    proa_bell_ring(&proa_self->ctl->bell);
}

/* The others do without this process: it waits for none of them, and tells none that one is gone.
 */
static void be_given_up(struct proa_win *win)
{
    mark(win, win->rank);
    __atomic_store_n(&win->given_up, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < win->size; i++)
        lose_away(win, i);
    proa_bell_ring(&proa_self->ctl->bell);
}

static int has_peer(const struct proa_win *win, uint32_t peer)
{
    int rank = win->size;

    while (--rank >= 0 && !(proa_away_of(win, rank) && proa_away_of(win, rank)->peer == peer))
        continue;
    return rank;
}

void proa_remote_lost(uint32_t peer)
{
    struct proa_spread *spread;

    DL_FOREACH(proa_spreads, spread)
        if (has_peer(spread->win, peer) >= 0)
            lose(spread->win, has_peer(spread->win, peer));
}

void proa_remote_gave_up(uint32_t peer)
{
    struct proa_spread *spread;

    DL_FOREACH(proa_spreads, spread)
        if (has_peer(spread->win, peer) >= 0)
            be_given_up(spread->win);
}

void proa_remote_told_lost(uint32_t peer, const struct proa_wire_head *head)
{
    struct proa_remote *from = proa_remote_find(head->window, head->rank, peer);

    if (from && head->number >= (uint64_t)from->win->size)
        proa_agent_drop(peer, "tells of a rank that there is not");
    else if (from && (int)head->number == from->win->rank)
        be_given_up(from->win);
    else if (from)
        lose(from->win, (int)head->number);
}

/* ---- looking at neighbours ---- */

static int has_died(const struct proa_peer *peer, int closely)
{
    return peer != proa_self && proa_peer_has_windows(peer) &&
           (closely ? proa_peer_has_ended(peer) : proa_peer_is_nobody(peer));
}

/* A number that no process has is found at the first look, a zombie or a number that has a new
 * owner when its turn has come. */
void proa_gone_look(struct proa_win *win)
{
    int near = 0, first = win->watched_next;

    if (win->spread)
        proa_agent_attend();
    for (int i = 0; i < win->size; i++) {
        const struct proa_peer *peer = win->targets[i].peer;

        if (!peer)
            continue;
        if (!proa_is_gone(win, i) && has_died(peer, near >= first && near < first + CLOSELY))
            lose(win, i);
        near++;
    }
    win->watched_next = first + CLOSELY < near ? first + CLOSELY : 0;
}

int proa_vigil_is_over(void *arg)
{
    struct proa_vigil *vigil = arg;
    long now_ns;

    if (is_in_vain(vigil->win, vigil->from))
        return 1;
    now_ns = proa_system->now_ns();
    if (vigil->due_ns == 0)
        vigil->due_ns = now_ns + LOOK_NS;
    if (now_ns < vigil->due_ns)
        return 0;
    vigil->due_ns = now_ns + LOOK_NS;
    proa_agent_enter();
    proa_gone_look(vigil->win);
    proa_agent_leave();
    return is_in_vain(vigil->win, vigil->from);
}

int proa_vigil_looks(void *vigil)
{
    proa_vigil_is_over(vigil);
    return 0;
}

/* ---- waits ---- */

int proa_hear_slowly(struct proa_win *win, int from, const uint64_t *word, uint64_t least,
                     struct proa_bell *bell)
{
    struct proa_vigil vigil = {.win = win, .from = from};

    proa_wait_count_unless(word, least, bell, proa_vigil_is_over, &vigil);
    return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= least ? PROA_OK : proa_gone_report(win, from);
}

void proa_gone_end(struct proa_win *win, int ending)
{
    proa_agent_enter();
    win->ending = (uint8_t)ending;
    proa_agent_leave();
}
