/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: each is sent as one frame (frame.h). The frames' numbers restore the order in which
 * they were sent if the network does not keep it, and verify the order if the network promises it.
 *
 * If two processes connect to each other at the same moment, libfabric may close both connections
 * over TCP, with everything in them. So a peer gets nothing but a greeting, which is repeated,
 * until it has answered. A process that has read a frame from a connection has closed the other
 * one, if there was one.
 *
 * proa_frame_read checks every received frame before it is trusted. A frame whose sender does not
 * know our secret is dropped, with a line now and then. A malformed frame of a sender that knows
 * the secret ends that peer.
 */
#include "net/ofi.h"
#include "base/fail.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define GREET_NS 100000000L

/* ---- buffers ---- */

struct proa_ofi_frame *proa_ofi_frame_take(struct proa_net *net)
{
    struct proa_ofi_frame *frame = net->free_sends;

    if (frame)
        net->free_sends = frame->next;
    return frame;
}

void proa_ofi_frame_give(struct proa_net *net, struct proa_ofi_frame *frame)
{
    LL_PREPEND(net->free_sends, frame);
}

void proa_ofi_frames_post(struct proa_net *net)
{
    struct proa_ofi_frame *frame;

    while ((frame = net->unposted) &&
           fi_recv(net->ep, &frame->head, PROA_FRAME_MOST, net->frames_desc, FI_ADDR_UNSPEC,
                   &frame->context) == 0)
        net->unposted = frame->next;
}

int proa_ofi_frames_open(struct proa_net *net)
{
    size_t out = net->info->tx_attr->size, sends = out < PROA_OFI_SENDS ? out : PROA_OFI_SENDS,
           in = net->info->rx_attr->size,
           receives = in < PROA_OFI_RECEIVES ? in : PROA_OFI_RECEIVES,
           bytes = (sends + receives + 1) * sizeof *net->frames;
    int outcome;

    _Static_assert(offsetof(struct proa_ofi_frame, body) ==
                       offsetof(struct proa_ofi_frame, head) + PROA_FRAME_HEAD,
                   "the body is behind its head");
    net->frames = calloc(1, bytes);
    if (!net->frames)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for messages");
    if (net->memory_mode & FI_MR_LOCAL) {
        outcome = proa_ofi_memory_know(net, net->frames, bytes, &net->frames_mr);
        if (outcome)
            return outcome;
        net->frames_desc = fi_mr_desc(net->frames_mr);
    }
    for (size_t i = 0; i < sends + receives; i++) {
        struct proa_ofi_frame *frame = &net->frames[i];
        struct proa_ofi_frame **list = i < sends ? &net->free_sends : &net->unposted;

        frame->context.kind = i < sends ? PROA_OFI_SEND : PROA_OFI_RECEIVE;
        LL_PREPEND(*list, frame);
    }
    net->scratch = &net->frames[sends + receives];
    proa_ofi_frames_post(net);
    return PROA_OK;
}

/* ---- sending ---- */

static int send_frame(struct proa_net *net, struct proa_ofi_peer *peer, enum proa_frame_kind kind,
                      const void *body, size_t bytes)
{
    struct proa_ofi_frame *frame = proa_ofi_frame_take(net);
    ssize_t outcome;

    if (!frame)
        return PROA_NET_AGAIN;
    proa_frame_write(&frame->head, kind, peer->secret, net->own.id,
                     proa_frame_greets(kind) ? 0 : peer->sent, bytes);
    if (bytes)
        memcpy(frame->body, body, bytes);
    frame->peer = peer;
    outcome = fi_send(net->ep, &frame->head, PROA_FRAME_HEAD + bytes, net->frames_desc, peer->at,
                      &frame->context);
    if (outcome == 0) {
        peer->sent += !proa_frame_greets(kind);
        peer->met = 1;
        proa_ofi_peer_begun(net, peer);
        return PROA_OK;
    }
    proa_ofi_frame_give(net, frame);
    return proa_ofi_peer_refused(net, peer, outcome);
}

/* A greeting is repeated after GREET_NS, and then at intervals that double. */
int proa_ofi_greet(struct proa_net *net, struct proa_ofi_peer *peer)
{
    const long since = peer->unanswered ? (net->now - peer->unanswered) / 2 : 0,
               least = since > GREET_NS ? since : GREET_NS;
    int outcome;

    if (peer->answered)
        return PROA_OK;
    if (peer->unanswered && net->now - peer->asked < least)
        return PROA_NET_AGAIN;
    outcome = send_frame(net, peer, PROA_FRAME_GREETING, &net->own, sizeof net->own);
    if (outcome)
        return outcome;
    proa_ofi_peer_asked(net, peer);
    return PROA_NET_AGAIN;
}

/* Farewells and the like are sent to a peer that has greeted this process, or that may not receive
 * them. */
int proa_ofi_frame_send(struct proa_net *net, struct proa_ofi_peer *peer, enum proa_frame_kind kind,
                        const void *body, size_t bytes)
{
    int outcome =
        kind == PROA_FRAME_MESSAGE || kind == PROA_FRAME_PING ? proa_ofi_greet(net, peer) : PROA_OK;

    return outcome ? outcome : send_frame(net, peer, kind, body, bytes);
}

void proa_ofi_frame_sent(struct proa_net *net, struct proa_ofi_frame *frame)
{
    proa_ofi_peer_ended(net, frame->peer);
    frame->peer->through = 1;
    proa_ofi_frame_give(net, frame);
}

/* ---- receiving ---- */

/* Logs only the 1st, 2nd, 4th such message and so on: a flood of messages must not flood the log.
 */
static void tell_stranger(struct proa_net *net, const char *why)
{
    unsigned long count = ++net->strangers;

    if ((count & (count - 1)) == 0)
        proa_log(PROA_LOG_WARN,
                 "a message on the network is ignored, because it %s (%lu of that kind so far)",
                 why, count);
}

/* Returns the peer that greets us: a process of the job that we may not have reached yet. Returns
 * NULL if it cannot be a peer. */
static struct proa_ofi_peer *greeted(struct proa_net *net, const struct proa_frame_head *head,
                                     const void *body)
{
    struct proa_frame_address address;
    struct proa_ofi_peer *peer;
    const char *why = proa_frame_address_read(body, head->bytes, net->network, &address);

    if (!why && address.id != head->sender)
        why = "names another process than its sender";
    if (!why && proa_ofi_peer_add(net, &address, &peer) == PROA_OK)
        return peer;
    proa_log(PROA_LOG_WARN, "a process of the job is unreachable: %s%s", why ? "its address " : "",
             why ? why : proa_failure());
    return NULL;
}

/* Handles a good frame of a known peer. */
static void take_in(struct proa_net *net, struct proa_ofi_peer *peer,
                    const struct proa_frame_head *head, const void *body)
{
    if (head->kind == PROA_FRAME_GAVE_UP) { /* earlier frames may have been lost */
        proa_ofi_peer_ends(net, peer, PROA_NET_GAVE_UP);
        return;
    }
    peer->met = 1;
    if (head->kind == PROA_FRAME_GREETING) {
        proa_ofi_peer_heard(net, peer);
        proa_ofi_peer_answer(net, peer, PROA_FRAME_WELCOME);
        return;
    }
    peer->answered = 1; /* a welcome, or a frame that follows this process's own */
    if (head->kind == PROA_FRAME_WELCOME) {
        proa_ofi_peer_heard(net, peer);
        return;
    }
    if (head->number != peer->received) {
        proa_ofi_peer_fail(net, peer, "it sent message %u where %u was expected", head->number,
                           peer->received);
        return;
    }
    peer->received++;
    proa_ofi_peer_heard(net, peer);
    switch ((enum proa_frame_kind)head->kind) {
    case PROA_FRAME_MESSAGE:
        peer->used = net->now;
        net->told++;
        net->events->message(net->context, peer->number, body, head->bytes);
        break;
    case PROA_FRAME_PING:
        proa_ofi_peer_answer(net, peer, PROA_FRAME_PONG);
        break;
    case PROA_FRAME_BYE:
        proa_ofi_peer_ends(net, peer,
                           head->bytes && *(const uint8_t *)body ? PROA_NET_LEFT : PROA_NET_GONE);
        break;
    default:
        break;
    }
}

/* Keeps a frame that arrived before its turn. */
static void keep(struct proa_net *net, struct proa_ofi_peer *peer,
                 const struct proa_frame_head *head, const void *body)
{
    if (proa_ofi_early_keep(net, head, body) == 0)
        return;
    proa_ofi_peer_fail(net, peer, "too many of its messages came before their turn");
}

/* Handles a good frame of a known peer, and those that have waited for it. */
static void take_in_turn(struct proa_net *net, struct proa_ofi_peer *peer,
                         const struct proa_frame_head *head, const void *body)
{
    struct proa_ofi_early *early;

    if (!net->is_ordered && head->kind != PROA_FRAME_GAVE_UP &&
        (int32_t)(head->number - peer->received) > 0) {
        keep(net, peer, head, body);
        return;
    }
    take_in(net, peer, head, body);
    while (net->early && peer->state == PROA_OFI_THERE &&
           (early = proa_ofi_early_take(net, peer->id, peer->received))) {
        take_in(net, peer, &early->head, early->body);
        free(early);
    }
    if (net->early && peer->state != PROA_OFI_THERE)
        proa_ofi_early_drop(net, peer->id);
}

/* Answers a peer that was given up for its silence and sends again, but not for each frame. */
static void answer_lost(struct proa_net *net, struct proa_ofi_peer *peer, uint16_t kind)
{
    enum { ANSWER_NS = 200000000 };

    if (peer->end != PROA_NET_GONE || kind == PROA_FRAME_GAVE_UP || kind == PROA_FRAME_BYE ||
        net->now - peer->asked < ANSWER_NS)
        return;
    peer->asked = net->now;
    (void)proa_ofi_frame_send(net, peer, PROA_FRAME_GAVE_UP, NULL, 0);
}

static void look_at(struct proa_net *net, const void *bytes, size_t count)
{
    struct proa_frame_head head;
    struct proa_ofi_peer *peer;
    const void *body;
    const char *why;
    enum proa_frame_verdict verdict =
        proa_frame_read(bytes, count, net->own.secret, &head, &body, &why);

    if (verdict == PROA_FRAME_STRANGE) {
        tell_stranger(net, why);
        return;
    }
    peer = proa_ofi_peer_find(net, head.sender);
    if (verdict == PROA_FRAME_BROKEN && peer)
        proa_ofi_peer_fail(net, peer, "a message from it %s", why);
    else if (verdict == PROA_FRAME_BROKEN)
        tell_stranger(net, why);
    else if (head.kind == PROA_FRAME_GREETING && !peer)
        peer = greeted(net, &head, body);
    else if (!peer && head.kind != PROA_FRAME_BYE) /* its greeting may not have arrived */
        tell_stranger(net, "comes from a process that has sent no greeting");
    if (peer && peer->state == PROA_OFI_THERE)
        take_in_turn(net, peer, &head, body);
    else if (peer && verdict == PROA_FRAME_GOOD)
        answer_lost(net, peer, head.kind);
}

void proa_ofi_frame_came(struct proa_net *net, struct proa_ofi_frame *frame, size_t bytes)
{
    if (!net->closing)
        look_at(net, &frame->head, bytes);
    LL_PREPEND(net->unposted, frame);
}
