/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which peers are alive, and which are lost.
 *
 * An endpoint without connections does not report the end of the other process: only a process
 * that sends something may detect it. So a silent peer gets a ping, which requests a sign of life:
 * after a second, and less often the longer core has not used the peer. A peer is given up when
 *
 *   an operation to it fails,
 *   it sends a malformed message, or announces its end,
 *   it has shown no sign of life for PROA_TIMEOUT despite pings,
 *   the network refuses operations to it, and its host refuses connections to it, or
 *   its connection has broken: the network has reached it before, and for some seconds refuses
 *   operations to it, with nothing in flight and room in the network's queue.
 */
#include "net/ofi.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000L

/* Intervals at which peers are checked. */
#define TICK_LEAST 1000000L
#define TICK_MOST SECOND
#define TICK_ATTENDED (SECOND / 2) /* while a thread waits */
#define ATTENDED_NS (2 * SECOND)   /* for this long after each such call */

enum {
    BROKEN_S = 3,        /* a new connection to a living process takes less */
    KNOCK_NS = 100000000 /* and mostly less than this */
};

/* ---- the list ---- */

struct proa_ofi_peer *proa_ofi_peer_find(const struct proa_net *net, uint64_t id)
{
    struct proa_ofi_peer *peer;

    HASH_FIND(hh, net->by_id, &id, sizeof id, peer);
    return peer;
}

void proa_ofi_name(const struct proa_net *net, const void *address, char *text, size_t bytes)
{
    char whole[128] = "";
    size_t room = sizeof whole;
    const char *behind;

    fi_av_straddr(net->av, address, whole, &room);
    whole[sizeof whole - 1] = '\0';
    behind = strstr(whole, "://"); /* such as fi_sockaddr_in://192.0.2.1:4711 */
    snprintf(text, bytes, "%s", behind ? behind + 3 : whole);
}

static int make_room(struct proa_net *net)
{
    uint32_t room = net->peer_room ? 2 * net->peer_room : 16;
    struct proa_ofi_peer **larger;

    if (net->peer_count < net->peer_room)
        return PROA_OK;
    larger = realloc(net->peers, room * sizeof(struct proa_ofi_peer *));
    if (!larger)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for another process on the network");
    net->peers = larger;
    net->peer_room = room;
    return PROA_OK;
}

int proa_ofi_peer_add(struct proa_net *net, const struct proa_frame_address *address,
                      struct proa_ofi_peer **peer)
{
    struct proa_ofi_peer *one = proa_ofi_peer_find(net, address->id);
    int outcome;

    *peer = one;
    if (one)
        return PROA_OK;
    outcome = make_room(net);
    one = outcome ? NULL : calloc(1, sizeof *one);
    if (!one)
        return outcome ? outcome : proa_fail(PROA_ERR_NO_MEM, "out of memory for another process");
    proa_ofi_name(net, address->name, one->name, sizeof one->name);
    if (fi_av_insert(net->av, address->name, 1, &one->at, 0, NULL) != 1) {
        outcome = proa_fail(PROA_ERR_OTHER, "the network has no route to %s", one->name);
        free(one);
        return outcome;
    }
    one->id = address->id;
    one->knock = -1;
    one->sent = one->received = 1;
    memcpy(one->secret, address->secret, sizeof one->secret);
    one->number = net->peer_count;
    one->heard = one->used = one->asked = net->now;
    HASH_ADD(hh, net->by_id, id, sizeof one->id, one);
    net->peers[net->peer_count++] = one;
    *peer = one;
    return PROA_OK;
}

/* ---- losing one ---- */

/* A peer that never answered may be on another network than the one that was chosen. */
int proa_ofi_peer_check(const struct proa_ofi_peer *peer)
{
    if (peer->state == PROA_OFI_THERE)
        return PROA_OK;
    return proa_fail(PROA_ERR_OTHER, "the process at %s is lost: %s%s", peer->name, peer->why,
                     peer->answered ? "" : "; it was never reached (PROA_INTERFACE)");
}

int proa_ofi_try(struct proa_net *net, uint32_t number)
{
    struct proa_ofi_peer *peer = net->peers[number];

    if (!peer->answered && peer->state != PROA_OFI_THERE)
        return proa_fail(PROA_ERR_OTHER, "%s: %s", peer->name, peer->why);
    return proa_ofi_greet(net, peer) == PROA_OK ? PROA_OK : PROA_NET_AGAIN;
}

static void is_lost(struct proa_net *net, struct proa_ofi_peer *peer, int level)
{
    peer->state = PROA_OFI_FAILED;
    net->failed++;
    proa_ofi_knock_end(peer);
    proa_log(level, "the process at %s is lost: %s", peer->name, peer->why);
}

void proa_ofi_peer_fail(struct proa_net *net, struct proa_ofi_peer *peer, const char *fmt, ...)
{
    va_list args;

    if (peer->state != PROA_OFI_THERE || net->closing)
        return;
    va_start(args, fmt);
    vsnprintf(peer->why, sizeof peer->why, fmt, args);
    va_end(args);
    is_lost(net, peer, peer->wanted || peer->answered ? PROA_LOG_INFO : PROA_LOG_DEBUG);
}

void proa_ofi_peer_ends(struct proa_net *net, struct proa_ofi_peer *peer, enum proa_net_end end)
{
    int gave_up = end == PROA_NET_GAVE_UP;

    peer->end = end;
    snprintf(peer->why, sizeof peer->why, "%s",
             gave_up ? "it has given this process up" : "it has ended");
    is_lost(net, peer, gave_up ? PROA_LOG_WARN : PROA_LOG_DEBUG);
}

void proa_ofi_peer_heard(const struct proa_net *net, struct proa_ofi_peer *peer)
{
    peer->through = 1;
    peer->heard = net->now;
    peer->unanswered = 0;
}

void proa_ofi_peer_asked(const struct proa_net *net, struct proa_ofi_peer *peer)
{
    peer->asked = net->now;
    if (!peer->unanswered)
        peer->unanswered = net->now;
}

void proa_ofi_peer_begun(struct proa_net *net, struct proa_ofi_peer *peer)
{
    net->under_way++;
    peer->under_way++;
    peer->refused = 0;
}

void proa_ofi_peer_ended(struct proa_net *net, struct proa_ofi_peer *peer)
{
    net->under_way--;
    peer->under_way--;
}

/* Returns whether the network's own queue is full of operations, to any peer: then its refusal says
 * nothing about this one. */
static int is_full(const struct proa_net *net)
{
    return net->under_way >= net->info->tx_attr->size;
}

int proa_ofi_peer_refused(struct proa_net *net, struct proa_ofi_peer *peer, ssize_t error)
{
    if (error != -FI_EAGAIN) {
        proa_ofi_peer_fail(net, peer, "%s", proa_ofi_said(error));
        return proa_ofi_peer_check(peer);
    }
    if (is_full(net))
        peer->refused = 0;
    else if (!peer->refused)
        peer->refused = net->now;
    return PROA_NET_AGAIN;
}

static void tell_lost(struct proa_net *net)
{
    for (uint32_t i = 0; net->failed && i < net->peer_count; i++) {
        struct proa_ofi_peer *peer = net->peers[i];

        if (peer->state != PROA_OFI_FAILED)
            continue;
        peer->state = PROA_OFI_LOST;
        net->failed--;
        proa_ofi_moves_lost(net, peer);
        proa_ofi_moves_go_on(net); /* `lost` follows their `done` */
        net->told++;
        net->events->lost(net->context, peer->number, peer->end);
    }
}

/* ---- checking peers ---- */

void proa_ofi_peer_answer(struct proa_net *net, struct proa_ofi_peer *peer,
                          enum proa_frame_kind kind)
{
    int asks = peer->state == PROA_OFI_THERE &&
               proa_ofi_frame_send(net, peer, kind, NULL, 0) == PROA_NET_AGAIN;

    net->asking += asks - (peer->asks != 0);
    peer->asks = asks ? (int)kind : 0;
}

/* The next ping may arrive only after the time for which a network is tried. */
static void answer_asking(struct proa_net *net)
{
    int left = net->asking;

    for (uint32_t i = 0; left && i < net->peer_count; i++)
        if (net->peers[i]->asks) {
            proa_ofi_peer_answer(net, net->peers[i], (enum proa_frame_kind)net->peers[i]->asks);
            left--;
        }
}

static long between(long low, long value, long high)
{
    return value < low ? low : value > high ? high : value;
}

/* Returns how long a peer may be silent before it gets a ping, nanoseconds. The time is short while
 * a thread waits. Otherwise it grows with the time since core last used the peer, so that an idle
 * process sleeps. But a peer gets several pings within the time-out. */
static long patience(const struct proa_net *net, const struct proa_ofi_peer *peer)
{
    long most = net->timeout ? net->timeout / 4 : 60 * SECOND, least = SECOND;

    if (net->now < net->attended)
        return between(0, TICK_ATTENDED, most);
    return between(least < most ? least : most, net->now - peer->used, most);
}

/* Called after the network refused an operation. Core may have nothing more to send, so a ping
 * checks whether the network still refuses. */
static void try_again(struct proa_net *net, struct proa_ofi_peer *peer)
{
    if (peer->state == PROA_OFI_THERE && peer->refused && !peer->under_way && peer->through)
        (void)proa_ofi_frame_send(net, peer, PROA_FRAME_PING, NULL, 0);
}

/* Only for peers that core wants: others are tried on networks that may not lead to them. */
static int is_refused_by_host(struct proa_net *net, struct proa_ofi_peer *peer)
{
    if (peer->wanted && peer->refused && net->now - peer->refused > KNOCK_NS)
        return proa_ofi_knock(net, peer);
    proa_ofi_knock_end(peer);
    return 0;
}

static void look_after(struct proa_net *net, struct proa_ofi_peer *peer)
{
    long silent = net->now - peer->heard;

    try_again(net, peer);
    if (peer->state != PROA_OFI_THERE || (!peer->met && !peer->refused))
        return;
    if (net->timeout && peer->unanswered && net->now - peer->unanswered > net->timeout)
        proa_ofi_peer_fail(net, peer, "it was silent for %ld s (PROA_TIMEOUT)", silent / SECOND);
    else if (net->timeout && peer->refused && net->now - peer->refused > net->timeout)
        proa_ofi_peer_fail(net, peer, "it could not be reached for %ld s (PROA_TIMEOUT)",
                           (net->now - peer->refused) / SECOND);
    else if (peer->through && !peer->under_way && peer->refused &&
             net->now - peer->refused > BROKEN_S * SECOND)
        proa_ofi_peer_fail(net, peer, "the connection has broken");
    else if (is_refused_by_host(net, peer))
        proa_ofi_peer_fail(net, peer, "its host refuses the connection");
    else if (silent >= patience(net, peer) && net->now - peer->asked >= patience(net, peer)) {
        if (proa_ofi_frame_send(net, peer, PROA_FRAME_PING, NULL, 0) != PROA_OK)
            return;
        proa_ofi_peer_asked(net, peer);
    }
}

/* Called when this process has not run for some time (it was stopped, or no thread made progress).
 * Messages that peers have sent meanwhile are not read yet, so no peer counts as silent for long.
 * Nor does time count during which the network was not asked whether it still refuses. */
static void forgive(struct proa_net *net, long late)
{
    for (uint32_t i = 0; i < net->peer_count; i++) {
        struct proa_ofi_peer *peer = net->peers[i];

        if (net->timeout && late > net->timeout / 2)
            peer->unanswered = 0;
        if (peer->refused)
            peer->refused += late;
    }
}

static void tick(struct proa_net *net)
{
    long due = proa_atomic_load(&net->next_tick, PROA_RELAXED), late = net->now - due,
         most = net->now < net->attended ? TICK_ATTENDED : TICK_MOST,
         next = net->timeout ? between(TICK_LEAST, net->timeout / 16, most) : most;

    if (late < 0)
        return;
    if (due && late > (net->timeout ? between(0, net->timeout / 2, SECOND) : SECOND))
        forgive(net, late);
    for (uint32_t i = 0; i < net->peer_count; i++)
        look_after(net, net->peers[i]);
    proa_atomic_store(&net->next_tick, net->now + next, PROA_RELAXED);
}

/* The death of a peer is noticed within 5 s: a ping is sent after the next tick at the latest, and
 * BROKEN_S later the connection counts as broken. */
void proa_ofi_attend(struct proa_net *net)
{
    long next = proa_atomic_load(&net->next_tick, PROA_RELAXED), now = proa_system->now_ns();

    net->attended = now + ATTENDED_NS;
    if (next > now + TICK_ATTENDED)
        proa_atomic_store(&net->next_tick, now + TICK_ATTENDED, PROA_RELAXED);
}

void proa_ofi_peers_look_after(struct proa_net *net)
{
    tick(net);
    answer_asking(net);
    tell_lost(net);
}
