/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over libfabric: see ofi.h. This file opens and closes it, and makes progress. */
#include "net/ofi.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/patience.h"
#include "base/settings.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

enum {
    CLOCK_TURNS = 32,          /* calls of progress between two readings of the clock */
    AT_ONCE = 16,              /* completions read from the queue at once */
    ROUNDS = 8,                /* rounds of reading in one call of progress */
    CLOSE_NS = 500 * 1000000,  /* limit for messages in flight to leave at the end */
    FAREWELL_NS = 20 * 1000000 /* and for farewells for which the network has no room at first */
};

int proa_ofi_know_buffers;

const char *proa_ofi_said(long error)
{
    return proa_libfabric.strerror((int)(error < 0 ? -error : error));
}

/* ---- progress ---- */

/* error: libfabric's number, or 0 */
static void completed(struct proa_net *net, struct proa_ofi_context *context, size_t bytes,
                      int error)
{
    struct proa_ofi_frame *frame = (struct proa_ofi_frame *)context; /* unless it is a move */

    if (context->kind == PROA_OFI_MOVE) {
        proa_ofi_piece_done(net, (struct proa_ofi_piece *)context, error);
    } else if (context->kind == PROA_OFI_SEND) {
        if (error && (frame->head.number || !proa_ofi_may_live(net, frame->peer)))
            proa_ofi_peer_fail(net, frame->peer, "a message to it failed: %s",
                               proa_ofi_said(error));
        proa_ofi_frame_sent(net, frame);
    } else if (error) {
        /* The frame was truncated, or its sender ended while sending it. Only its buffer can be
         * used. */
        proa_log(PROA_LOG_DEBUG, "network: a message is incomplete: %s", proa_ofi_said(error));
        LL_PREPEND(net->unposted, frame);
    } else {
        proa_ofi_frame_came(net, frame, bytes);
    }
}

static void failed(struct proa_net *net)
{
    struct fi_cq_err_entry entry = {0};

    if (fi_cq_readerr(net->cq, &entry, 0) == 1 && entry.op_context)
        completed(net, entry.op_context, 0, entry.err ? entry.err : FI_EIO);
}

/* Returns PROA_OK, or a negative code if the queue is gone. */
static int read_queue(struct proa_net *net)
{
    struct fi_cq_msg_entry entries[AT_ONCE];

    for (int round = 0; round < ROUNDS; round++) {
        ssize_t count = fi_cq_read(net->cq, entries, AT_ONCE);

        if (count == -FI_EAGAIN || count == 0)
            break;
        if (count == -FI_EAVAIL)
            failed(net);
        else if (count < 0)
            return proa_fail(PROA_ERR_OTHER, "the completion queue of the network failed: %s",
                             proa_ofi_said(count));
        for (ssize_t i = 0; i < count; i++)
            completed(net, entries[i].op_context, entries[i].len, 0);
        if (net->unposted)
            proa_ofi_frames_post(net);
        if (count > 0 && count < AT_ONCE)
            break;
    }
    return PROA_OK;
}

static int ofi_progress(struct proa_net *net)
{
    int outcome;

    if (net->turns++ % CLOCK_TURNS == 0 || proa_atomic_exchange(&net->slept, 0, PROA_RELAXED))
        net->now = proa_system->now_ns();
    net->told = 0;
    outcome = read_queue(net);
    if (outcome)
        return outcome;
    if (net->unposted)
        proa_ofi_frames_post(net);
    if (net->active || net->settled)
        proa_ofi_moves_go_on(net);
    proa_ofi_peers_look_after(net);
    if (net->told)
        proa_atomic_store(&net->fruitless, 0, PROA_RELAXED);
    return net->told;
}

/* ---- opening ---- */

static int fails(const struct proa_net *net, const char *what, int error)
{
    return error ? proa_fail(error == -FI_ENOMEM ? PROA_ERR_NO_MEM : PROA_ERR_OTHER,
                             "%s on %s: no %s: %s", net->info->fabric_attr->prov_name,
                             net->info->domain_attr->name, what, proa_ofi_said(error))
                 : PROA_OK;
}

static int open_domain(struct proa_net *net)
{
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    int outcome =
        fails(net, "fabric", proa_libfabric.fabric(net->info->fabric_attr, &net->fabric, NULL));

    if (outcome == PROA_OK)
        outcome = fails(net, "domain", fi_domain(net->fabric, net->info, &net->domain, NULL));
    if (outcome == PROA_OK)
        outcome = fails(net, "table of addresses", fi_av_open(net->domain, &av, &net->av, NULL));
    return outcome;
}

static int open_queue(struct proa_net *net)
{
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_MSG,
                              .wait_obj = FI_WAIT_FD,
                              .size = PROA_OFI_SENDS + PROA_OFI_RECEIVES +
                                      PROA_OFI_MOVES * PROA_OFI_PIECES};

    if (fi_cq_open(net->domain, &attr, &net->cq, NULL) == 0) {
        if (fi_control(&net->cq->fid, FI_GETWAIT, &net->queue_fd) != 0)
            net->queue_fd = -1;
        return PROA_OK;
    }
    attr.wait_obj = FI_WAIT_NONE;
    proa_log(PROA_LOG_INFO,
             "network: %s on %s has no descriptor to sleep at: the progress thread looks every ms",
             net->info->fabric_attr->prov_name, net->info->domain_attr->name);
    return fails(net, "queue", fi_cq_open(net->domain, &attr, &net->cq, NULL));
}

static int open_endpoint(struct proa_net *net)
{
    int outcome = fails(net, "endpoint", fi_endpoint(net->domain, net->info, &net->ep, NULL));

    if (outcome == PROA_OK)
        outcome = fails(net, "addresses", fi_ep_bind(net->ep, &net->av->fid, 0));
    if (outcome == PROA_OK)
        outcome = fails(net, "queue at the endpoint",
                        fi_ep_bind(net->ep, &net->cq->fid, FI_TRANSMIT | FI_RECV));
    if (outcome == PROA_OK)
        outcome = fails(net, "endpoint that works", fi_enable(net->ep));
    return outcome;
}

/* libfabric 2 has a limit for each kind of operation, of which ep_attr has the largest. The names
 * of the options are defined here, as headers of version 1 lack them. Without these options ep_attr
 * applies to all. */
enum { OPTION_MAX_MSG_SIZE = 12, OPTION_MAX_RMA_SIZE = 14 };

static size_t limit_of(const struct proa_net *net, int option)
{
    size_t limit = 0, bytes = sizeof limit;
    int outcome = fi_getopt(&net->ep->fid, FI_OPT_ENDPOINT, option, &limit, &bytes);

    return outcome == 0 && limit ? limit : net->info->ep_attr->max_msg_size;
}

static int find_limits(struct proa_net *net)
{
    const size_t message = limit_of(net, OPTION_MAX_MSG_SIZE);

    net->largest = limit_of(net, OPTION_MAX_RMA_SIZE);
    if (message >= PROA_FRAME_MOST)
        return PROA_OK;
    return proa_fail(PROA_ERR_OTHER,
                     "%s on %s (%s) is of no use: messages have %zu bytes there, "
                     "%d here",
                     net->info->fabric_attr->prov_name, net->info->domain_attr->name,
                     net->info->fabric_attr->name, message, PROA_FRAME_MOST);
}

static int name_ourselves(struct proa_net *net)
{
    size_t bytes = sizeof net->own.name;
    int outcome;

    net->own = (struct proa_frame_address){
        .mark = PROA_FRAME_ADDRESS_MARK, .version = PROA_FRAME_VERSION, .network = net->network};
    outcome = fi_getname(&net->ep->fid, net->own.name, &bytes);
    if (outcome == -FI_ETOOSMALL)
        return proa_fail(PROA_ERR_OTHER, "%s on %s has addresses of %zu bytes: Proa takes %d",
                         net->info->fabric_attr->prov_name, net->info->domain_attr->name, bytes,
                         PROA_FRAME_NAME);
    outcome = fails(net, "address", outcome);
    net->own.name_bytes = (uint8_t)bytes;
    if (outcome == PROA_OK)
        outcome = proa_ofi_random(&net->own.id, sizeof net->own.id);
    return outcome ? outcome : proa_ofi_random(net->own.secret, sizeof net->own.secret);
}

static void close_all(struct proa_net *net)
{
    proa_ofi_doze_close(net);
    proa_ofi_memory_close(net); /* the memory may be bound to the endpoint */
    if (net->ep)
        fi_close(&net->ep->fid);
    if (net->frames_mr)
        fi_close(&net->frames_mr->fid);
    if (net->cq)
        fi_close(&net->cq->fid);
    if (net->av)
        fi_close(&net->av->fid);
    if (net->domain)
        fi_close(&net->domain->fid);
    if (net->fabric)
        fi_close(&net->fabric->fid);
    proa_ofi_early_drop(net, 0);
    proa_libfabric.freeinfo(net->fenced);
    free(net->frames);
    free(net->moves);
}

/* Joins the network of net->info. */
static int join(struct proa_net *net, struct proa_net_address *address)
{
    static int (*const steps[])(struct proa_net * net) = {
        proa_ofi_promises,  open_domain,         open_queue,
        open_endpoint,      find_limits,         name_ourselves,
        proa_ofi_doze_open, proa_ofi_moves_open, proa_ofi_frames_open};
    int outcome = PROA_OK;

    net->memory_mode = net->info->domain_attr->mr_mode | (proa_ofi_know_buffers ? FI_MR_LOCAL : 0);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && outcome == PROA_OK; i++)
        outcome = steps[i](net);
    memcpy(address->bytes, &net->own, sizeof net->own);
    return outcome;
}

/* net: unchanged on failure */
static int open_one(const struct proa_net *fresh, struct fi_info *info, struct proa_net **net,
                    struct proa_net_address *address)
{
    struct proa_net *one = malloc(sizeof *one);
    char name[64];
    int outcome;

    if (!one)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a network");
    *one = *fresh;
    one->info = info;
    outcome = join(one, address);
    if (outcome == PROA_OK) {
        proa_ofi_name(one, one->own.name, name, sizeof name);
        proa_log(PROA_LOG_DEBUG, "network: joined %s on %s, with the address %s",
                 info->fabric_attr->prov_name, info->domain_attr->name, name);
        *net = one;
        return PROA_OK;
    }
    proa_log(PROA_LOG_INFO, "network: %s", proa_failure());
    close_all(one);
    free(one);
    return outcome;
}

/* Libraries that libfabric loads may install handlers of signals, such as those of a crash, to
 * print something. But signals belong to the program. So this function is called with `take`
 * before, and without it after. */
static void keep_signals(struct sigaction kept[SIGSYS + 1], int take)
{
    for (int number = 1; number <= SIGSYS; number++)
        if (number != SIGKILL && number != SIGSTOP)
            sigaction(number, take ? NULL : &kept[number], take ? &kept[number] : NULL);
}

/* The networks that libfabric has for this process. Queried once, as that takes milliseconds. */
static struct {
    struct proa_offers offers;
    struct proa_offer_names names;
    struct fi_info *infos[PROA_OFFERS_MOST];
} found;

static int find_offers(void)
{
    struct sigaction kept[SIGSYS + 1];
    int outcome;

    if (found.offers.count)
        return PROA_OK;
    keep_signals(kept, 1);
    outcome = proa_libfabric_load();
    if (outcome == PROA_OK)
        outcome = proa_ofi_offers(&found.offers, &found.names, found.infos);
    keep_signals(kept, 0);
    return outcome;
}

static int ofi_offers(struct proa_offers *offers, struct proa_offer_names *names)
{
    int outcome = find_offers();

    *offers = found.offers;
    *names = found.names;
    offers->error = outcome;
    return outcome;
}

static int ofi_open(const struct proa_net_events *events, void *context,
                    const struct proa_offer *offer, struct proa_net **net,
                    struct proa_net_address *address)
{
    struct proa_net fresh = {
        .events = events, .context = context, .queue_fd = -1, .bell = -1, .edge = -1};
    int outcome = find_offers();

    if (outcome)
        return outcome;
    fresh.timeout = proa_settings()->timeout_s * 1000000000L;
    fresh.now = proa_system->now_ns();
    outcome = proa_fail(PROA_ERR_OTHER, "this node has no such network");
    *net = NULL;
    for (int i = 0; i < found.offers.count && !*net; i++)
        if (!offer || proa_offer_is_same(offer, &found.offers.offer[i])) {
            fresh.network = found.offers.offer[i].kind;
            for (struct fi_info *one = found.infos[i]; one && !*net; one = one->next)
                outcome = open_one(&fresh, one, net, address);
        }
    return outcome;
}

/* ---- closing ---- */

/* Returns whether the peer counts at the end: not if it never answered a try of the network. */
static int is_in_touch(const struct proa_ofi_peer *peer)
{
    return peer->state == PROA_OFI_THERE && (peer->wanted || peer->answered);
}

static int anything_leaves(const struct proa_net *net)
{
    for (uint32_t i = 0; i < net->peer_count; i++)
        if (is_in_touch(net->peers[i]) && net->peers[i]->under_way)
            return 1;
    return 0;
}

/* Sends a farewell to the peers that know this process. Returns how many got none, as the network
 * had no room. */
static int tell_peers(struct proa_net *net, int in_order)
{
    const uint8_t body = in_order != 0;
    int left = 0;

    for (uint32_t i = 0; i < net->peer_count; i++) {
        struct proa_ofi_peer *peer = net->peers[i];

        if (peer->parted || !is_in_touch(peer) || !peer->met)
            continue;
        peer->parted =
            proa_ofi_frame_send(net, peer, PROA_FRAME_BYE, &body, sizeof body) != PROA_NET_AGAIN;
        left += !peer->parted;
    }
    return left;
}

/* Says farewell to all peers that know this process, and waits for messages in flight to leave. */
static void say_goodbye(struct proa_net *net, int in_order)
{
    struct proa_patience farewell = proa_patience_begin(FAREWELL_NS),
                         leaving = proa_patience_begin(CLOSE_NS);
    int left;

    net->closing = 1;
    do {
        left = tell_peers(net, in_order);
        if (read_queue(net) != PROA_OK)
            return;
    } while (left && !proa_patience_is_over(&farewell));
    while (anything_leaves(net) && !proa_patience_is_over(&leaving))
        if (read_queue(net) != PROA_OK)
            return;
}

static void ofi_close(struct proa_net *net, int in_order)
{
    say_goodbye(net, in_order);
    close_all(net);
    HASH_CLEAR(hh, net->by_id);
    for (uint32_t i = 0; i < net->peer_count; i++) {
        proa_ofi_knock_end(net->peers[i]);
        free(net->peers[i]);
    }
    free(net->peers);
    free(net);
}

/* ---- the rest of the table ---- */

static int ofi_reach(struct proa_net *net, const struct proa_net_address *address, uint32_t *peer)
{
    struct proa_frame_address its;
    struct proa_ofi_peer *one;
    const char *why =
        proa_frame_address_read(address->bytes, sizeof address->bytes, net->network, &its);
    int outcome;

    if (why)
        return proa_fail(PROA_ERR_OTHER, "a process has an address that %s", why);
    outcome = proa_ofi_peer_add(net, &its, &one);
    if (outcome == PROA_OK)
        *peer = one->number;
    return outcome;
}

static int ofi_send(struct proa_net *net, uint32_t number, const void *body, size_t bytes)
{
    struct proa_ofi_peer *peer = net->peers[number];
    int outcome = proa_ofi_peer_check(peer);

    if (bytes > PROA_NET_MESSAGE_MOST)
        return proa_fail(PROA_ERR_INTERN, "a message of %zu bytes", bytes);
    peer->wanted = 1;
    if (outcome == PROA_OK)
        outcome = proa_ofi_frame_send(net, peer, PROA_FRAME_MESSAGE, body, bytes);
    if (outcome == PROA_OK)
        peer->used = net->now;
    return outcome;
}

static void ofi_drop(struct proa_net *net, uint32_t number, const char *why)
{
    proa_ofi_peer_fail(net, net->peers[number], "a message from it %s", why);
}

const struct proa_net_transport proa_net_ofi = {
    .name = "libfabric",
    .offers = ofi_offers,
    .open = ofi_open,
    .close = ofi_close,
    .part = say_goodbye,
    .reach = ofi_reach,
    .try = proa_ofi_try,
    .expose = proa_ofi_expose,
    .hide = proa_ofi_hide,
    .send = ofi_send,
    .move = proa_ofi_move,
    .drop = ofi_drop,
    .attend = proa_ofi_attend,
    .progress = ofi_progress,
    .doze = proa_ofi_doze,
    .wake = proa_ofi_wake,
};
