/* SPDX-License-Identifier: BSD-3-Clause */
/* See endpoints.h. */
#include "progress/endpoints.h"
#include "base/fail.h"
#include "base/settings.h"
#include "progress/progress.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { END_SHIFT = 28 /* bit of a peer's number where the endpoint begins */ };

_Static_assert(PROA_NETS_MOST <= 1 << (32 - END_SHIFT), "a peer's number has room for the end");

struct end {
    struct proa_net *net; /* NULL if this entry is free */
    struct proa_net_address address;
    struct proa_offer offer;
    uint64_t network; /* 0 if no window uses the network */
    unsigned holders; /* windows, and windows that are being created */
};

static const struct proa_net_transport *transport;
static struct end ends[PROA_NETS_MOST];
static struct proa_net *nets[PROA_NETS_MOST]; /* of the entries in use */
static int net_count;
static int last_kept = -1;
/* Lock order: before the progress engine's mutex. */
static pthread_mutex_t join_mutex = PTHREAD_MUTEX_INITIALIZER;

void proa_progress_set_transport(const struct proa_net_transport *t)
{
    transport = t;
}

/* ---- peers ---- */

static struct end *end_of(uint32_t peer)
{
    return &ends[peer >> END_SHIFT];
}

static uint32_t number_of(uint32_t peer)
{
    return peer & ((1u << END_SHIFT) - 1);
}

static uint32_t peer_of(const struct end *end, uint32_t number)
{
    return (uint32_t)(end - ends) << END_SHIFT | number;
}

/* ---- events ---- */

static void on_message(void *context, uint32_t number, const void *body, size_t bytes)
{
    proa_progress_work->message(peer_of(context, number), body, bytes);
}

static void on_done(void *context, uint64_t token, int outcome)
{
    (void)context;
    proa_progress_work->moved(token, outcome);
}

static void on_lost(void *context, uint32_t number, enum proa_net_end end)
{
    proa_progress_work->lost(peer_of(context, number), end);
}

static const struct proa_net_events events = {on_message, on_done, on_lost};

/* ---- joining and leaving networks ---- */

int proa_endpoints_offers(struct proa_offers *offers, struct proa_offer_names *names)
{
    struct proa_offer_names unused;
    int outcome;

    memset(offers, 0, sizeof *offers);
    if (!transport)
        return offers->error =
                   proa_fail(PROA_ERR_OTHER, "%s",
                             strcmp(proa_settings()->net, "none") == 0
                                 ? "the ranks are on different nodes, and PROA_NET=none "
                                   "allows no network"
                                 : "the ranks are on different nodes, and there is no "
                                   "network between them");
    pthread_mutex_lock(&join_mutex);
    outcome = transport->offers(offers, names ? names : &unused);
    for (int i = 0; i < offers->count; i++)
        for (int k = 0; k < PROA_NETS_MOST; k++)
            if (ends[k].network && proa_offer_is_same(&ends[k].offer, &offers->offer[i]))
                offers->offer[i].flags |= PROA_OFFER_HELD;
    pthread_mutex_unlock(&join_mutex);
    return outcome;
}

/* Changes the set of endpoints; pauses the progress thread meanwhile. now: the new endpoint; NULL
 * to close `end`. */
static int change(struct end *end, const struct end *now)
{
    int error;

    proa_progress_pause();
    proa_progress_enter();
    if (!now)
        transport->close(end->net, 1);
    *end = now ? *now : (struct end){0};
    net_count = 0;
    for (int i = 0; i < PROA_NETS_MOST; i++)
        if (ends[i].net)
            nets[net_count++] = ends[i].net;
    proa_progress_leave();
    error = net_count ? proa_progress_resume() : PROA_OK;
    if (error && now)
        (void)change(end, NULL);
    return error;
}

/* Returns whether the transport has all functions. Every member after the name is a function. */
static int is_complete(const struct proa_net_transport *t)
{
    void (*function)(void);

    for (size_t at = offsetof(struct proa_net_transport, offers); at < sizeof *t;
         at += sizeof function) {
        memcpy(&function, (const char *)t + at, sizeof function);
        if (!function)
            return 0;
    }
    return 1;
}

static int join(const struct proa_offer *offer, struct end **joined)
{
    struct end *end = ends, now = {.offer = *offer, .holders = 1};
    int error;

    while (end < ends + PROA_NETS_MOST && end->net)
        end++;
    if (end == ends + PROA_NETS_MOST)
        return proa_fail(PROA_ERR_OTHER, "this process is on %d networks", PROA_NETS_MOST);
    if (!is_complete(transport))
        return proa_fail(PROA_ERR_OTHER, "the transport %s lacks a function", transport->name);
    error = transport->open(&events, end, offer, &now.net, &now.address);
    *joined = end;
    return error ? error : change(end, &now);
}

static struct end *find(const struct proa_offer *offer)
{
    for (int i = 0; i < PROA_NETS_MOST; i++)
        if (ends[i].net && proa_offer_is_same(&ends[i].offer, offer))
            return &ends[i];
    return NULL;
}

/* Several threads may create windows at once: the first joins the network, the others wait. */
int proa_endpoint_join(const struct proa_offer *offer, int *end, struct proa_net_address *address)
{
    int error = PROA_OK;
    struct end *one;

    pthread_mutex_lock(&join_mutex);
    one = find(offer);
    if (one)
        one->holders++;
    else
        error = join(offer, &one);
    if (!error) {
        *end = (int)(one - ends);
        *address = one->address;
    }
    pthread_mutex_unlock(&join_mutex);
    return error;
}

void proa_endpoint_release(int end)
{
    struct end *one = &ends[end];

    pthread_mutex_lock(&join_mutex);
    if (--one->holders == 0 && !one->network)
        (void)change(one, NULL);
    pthread_mutex_unlock(&join_mutex);
}

void proa_endpoint_keep(int end, uint64_t network)
{
    pthread_mutex_lock(&join_mutex);
    ends[end].network = network;
    last_kept = end;
    pthread_mutex_unlock(&join_mutex);
}

int proa_endpoint_kept(uint64_t *network, struct proa_net_address *address)
{
    int end;

    pthread_mutex_lock(&join_mutex);
    end = last_kept;
    if (end >= 0) {
        ends[end].holders++;
        *network = ends[end].network;
        *address = ends[end].address;
    }
    pthread_mutex_unlock(&join_mutex);
    return end;
}

/* ---- the transport, inside ---- */

int proa_endpoint_reach(int end, const struct proa_net_address *address, uint32_t *peer)
{
    uint32_t number;
    int error = transport->reach(ends[end].net, address, &number);

    *peer = error ? 0 : peer_of(&ends[end], number);
    return error;
}

int proa_endpoint_try(uint32_t peer)
{
    return transport->try(end_of(peer)->net, number_of(peer));
}

int proa_endpoint_expose(int end, void *memory, size_t bytes, struct proa_net_key *key)
{
    return transport->expose(ends[end].net, memory, bytes, key);
}

void proa_endpoint_hide(int end, const struct proa_net_key *key)
{
    transport->hide(ends[end].net, key);
}

int proa_progress_send(uint32_t peer, const void *body, size_t bytes)
{
    return transport->send(end_of(peer)->net, number_of(peer), body, bytes);
}

int proa_progress_move(int put, const struct proa_net_place *there, void *here, size_t bytes,
                       uint64_t token)
{
    struct proa_net_place place = {number_of(there->peer), there->address, there->key};

    return transport->move(end_of(there->peer)->net, put, &place, here, bytes, token);
}

void proa_progress_drop(uint32_t peer, const char *why)
{
    transport->drop(end_of(peer)->net, number_of(peer), why);
}

void proa_progress_attend(void)
{
    for (int i = 0; i < net_count; i++)
        transport->attend(nets[i]);
}

/* ---- for the progress engine ---- */

int proa_endpoints_any(void)
{
    return net_count > 0;
}

int proa_endpoints_progress(void)
{
    int moved = 0;

    for (int i = 0; i < net_count; i++)
        moved |= transport->progress(nets[i]) > 0;
    return moved;
}

int proa_endpoints_doze(long timeout_ns)
{
    return transport->doze(nets, net_count, timeout_ns);
}

/* Waking one endpoint is enough. */
void proa_endpoints_wake(void)
{
    if (net_count)
        transport->wake(nets[0]);
}

void proa_endpoints_part(int in_order)
{
    for (int i = 0; i < net_count; i++)
        transport->part(nets[i], in_order);
}

void proa_endpoints_close(int in_order)
{
    for (int i = 0; i < net_count; i++)
        transport->close(nets[i], in_order);
    memset(ends, 0, sizeof ends);
    net_count = 0;
    last_kept = -1;
}
