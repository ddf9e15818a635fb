/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport of the simulator (net/net.h): messages, puts and gets take the time of the model. A
 * peer's number is its rank. Nothing is lost but by a death. */
#include "simulate.h"
#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTICE_NS = 1000000 /* until the network knows of a death */ };

struct simulate_model simulate_model = {.latency = 1000,
                                        .overhead = 300,
                                        .gap = 100,
                                        .byte = 0.1,
                                        .near = 100,
                                        .noise_ns = 1000,
                                        .slow = -1,
                                        .slowly = 10};

struct proa_net {
    struct simulate_rank *rank;
    const struct proa_net_events *events;
    void *context;
};

/* When the processor's port to the network is free again, by rank. */
static struct {
    long out, in;
} * ports;
static uint8_t *lost; /* bits: by rank, and rank that it is told to have lost */
static int size;

void simulate_network_open(int ranks)
{
    size = ranks;
    ports = calloc((size_t)ranks, sizeof *ports);
    if (!ports)
        simulate_failed("out of memory for the network");
}

static long later(long a, long b)
{
    return a > b ? a : b;
}

static long bytes_ns(size_t bytes)
{
    return (long)((double)bytes * simulate_model.byte);
}

/* The overhead of one message. */
static void spend(struct simulate_rank *rank)
{
    static uint64_t seed = 1;
    long ns = simulate_model.overhead;

    seed = seed * 6364136223846793005u + 1442695040888963407u;
    if (simulate_number(rank) == simulate_model.slow)
        ns *= simulate_model.slowly;
    if (simulate_model.noise && (seed >> 33) % 100 < (uint64_t)simulate_model.noise)
        ns += simulate_model.noise_ns;
    simulate_spend(rank, ns);
}

static long depart(int from, long now, size_t bytes)
{
    long at = later(now, ports[from].out);

    ports[from].out = at + later(simulate_model.gap, bytes_ns(bytes));
    return at + simulate_model.latency + bytes_ns(bytes);
}

static long come_in(int to, long at, size_t bytes)
{
    at = later(at, ports[to].in);
    ports[to].in = at + later(simulate_model.gap, bytes_ns(bytes));
    return at;
}

long simulate_come(int from, int to, size_t bytes, long at)
{
    return come_in(to, depart(from, at, bytes), bytes);
}

/* ---- deaths ---- */

static void tell_lost(int rank, int dead, long at)
{
    size_t bit = (size_t)rank * (size_t)size + (size_t)dead;
    struct simulate_message *message;

    if (lost[bit / 8] >> bit % 8 & 1)
        return;
    lost[bit / 8] |= (uint8_t)(1 << bit % 8);
    message = simulate_message_new((uint32_t)dead, NULL, 0);
    message->kind = SIMULATE_LOST;
    simulate_arrive(rank, at, message);
}

void simulate_network_died(int dead)
{
    int real = simulate_plan()->real;
    long at = simulate_now(simulate_running()) + NOTICE_NS;

    if (!lost)
        lost = calloc((size_t)size * (size_t)size / 8 + 1, 1);
    if (!lost)
        simulate_failed("out of memory for a death");
    for (int rank = 0; rank < real; rank++)
        if (rank != dead && simulate_has_met(rank, dead))
            tell_lost(rank, dead, at);
}

/* ---- messages ---- */

static int send(struct proa_net *net, uint32_t peer, const void *body, size_t bytes)
{
    int from = simulate_number(net->rank), to = (int)peer;
    long at;

    spend(net->rank);
    simulate_count_sent(net->rank, bytes);
    at = simulate_come(from, to, bytes, simulate_now(net->rank));
    simulate_met(from, to);
    simulate_met(to, from);
    if (to >= simulate_plan()->real)
        simulate_mirror(from, to, body, bytes, at);
    else if (simulate_is_dead(to))
        tell_lost(from, to, simulate_now(net->rank) + NOTICE_NS);
    else
        simulate_arrive(to, at, simulate_message_new((uint32_t)from, body, bytes));
    return PROA_OK;
}

struct move {
    int from, put;
    char *there, *here;
    size_t bytes;
    uint64_t token;
};

/* At the target, without its processor. */
static void moves(void *arg)
{
    struct move *move = arg;

    if (move->there)
        memcpy(move->put ? move->there : move->here, move->put ? move->here : move->there,
               move->bytes);
    free(move);
}

static int move(struct proa_net *net, int put, const struct proa_net_place *there, void *here,
                size_t bytes, uint64_t token)
{
    int from = simulate_number(net->rank), to = (int)there->peer;
    struct move *move = malloc(sizeof *move);
    struct simulate_message *done = simulate_message_new((uint32_t)to, NULL, 0);
    long at;

    if (!move)
        simulate_failed("out of memory for a move");
    *move = (struct move){.from = from,
                          .put = put,
                          .there =
                              to < simulate_plan()->real ? (char *)(uintptr_t)there->address : NULL,
                          .here = here,
                          .bytes = bytes,
                          .token = token};
    spend(net->rank);
    simulate_count_sent(net->rank, put ? bytes : 0);
    at = simulate_come(from, to, put ? bytes : 0, simulate_now(net->rank));
    if (to < simulate_plan()->real && simulate_is_dead(to)) {
        free(move);
        free(done);
        tell_lost(from, to, simulate_now(net->rank) + NOTICE_NS);
        return PROA_OK;
    }
    simulate_later(at, moves, move);
    done->kind = SIMULATE_DONE;
    done->token = token;
    simulate_arrive(from, come_in(from, depart(to, at, put ? 0 : bytes), put ? 0 : bytes), done);
    return PROA_OK;
}

static int progress(struct proa_net *net)
{
    struct simulate_message *message;
    int events = 0;

    for (; (message = simulate_take(net->rank)); events++) {
        spend(net->rank);
        if (message->kind == SIMULATE_DONE)
            net->events->done(net->context, message->token, PROA_OK);
        else if (message->kind == SIMULATE_LOST)
            net->events->lost(net->context, message->from, PROA_NET_GONE);
        else
            net->events->message(net->context, message->from, message->body, message->bytes);
        free(message);
    }
    return events;
}

/* ---- the rest ---- */

/* As many words differ as in addresses of IPv4 with their ids and secrets, and in keys. */
static void fill_unlike(int rank, size_t words, unsigned char *bytes)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t word = (uint64_t)rank + (i << 32);

        memcpy(bytes + i * sizeof word, &word, sizeof word);
    }
}

void simulate_address(int rank, struct proa_net_address *address)
{
    memset(address, 0, sizeof *address);
    fill_unlike(rank, 4, address->bytes);
}

void simulate_key(int rank, struct proa_net_key *key)
{
    memset(key, 0, sizeof *key);
    fill_unlike(rank, 2, key->bytes);
}

static int offers(struct proa_offers *offers, struct proa_offer_names *names)
{
    *offers = (struct proa_offers){.machine = (uint64_t)simulate_number(simulate_running()) + 1,
                                   .count = 1,
                                   .offer = {{.kind = 1}}};
    *names = (struct proa_offer_names){{"simulated"}};
    return PROA_OK;
}

static int join(const struct proa_net_events *events, void *context, const struct proa_offer *offer,
                struct proa_net **net, struct proa_net_address *address)
{
    int rank = simulate_number(simulate_running());

    (void)offer;
    *net = calloc(1, sizeof **net);
    if (!*net)
        simulate_failed("out of memory for a network");
    **net = (struct proa_net){.rank = simulate_running(), .events = events, .context = context};
    simulate_address(rank, address);
    return PROA_OK;
}

static void leave(struct proa_net *net, int in_order)
{
    (void)in_order;
    free(net);
}

static void part(struct proa_net *net, int in_order)
{
    (void)net, (void)in_order;
}

static void attend(struct proa_net *net)
{
    (void)net;
}

static int reach(struct proa_net *net, const struct proa_net_address *address, uint32_t *peer)
{
    (void)net;
    memcpy(peer, address->bytes, sizeof *peer);
    return PROA_OK;
}

static int try(struct proa_net *net, uint32_t peer)
{
    (void)net, (void)peer;
    return PROA_OK;
}

static int expose(struct proa_net *net, void *memory, size_t bytes, struct proa_net_key *key)
{
    (void)net, (void)memory, (void)bytes;
    simulate_key(simulate_number(net->rank), key);
    return PROA_OK;
}

static void hide(struct proa_net *net, const struct proa_net_key *key)
{
    (void)net, (void)key;
}

static void drop(struct proa_net *net, uint32_t peer, const char *why)
{
    (void)net;
    simulate_failed("what rank %u says %s", peer, why);
}

static int doze(struct proa_net *const nets[], int count, long timeout_ns)
{
    (void)nets, (void)count, (void)timeout_ns;
    return 0;
}

static void wake(struct proa_net *net)
{
    (void)net;
    simulate_woken();
}

const struct proa_net_transport simulate_transport = {.name = "simulated",
                                                      .offers = offers,
                                                      .open = join,
                                                      .close = leave,
                                                      .part = part,
                                                      .attend = attend,
                                                      .reach = reach,
                                                      .try = try,
                                                      .expose = expose,
                                                      .hide = hide,
                                                      .send = send,
                                                      .move = move,
                                                      .drop = drop,
                                                      .progress = progress,
                                                      .doze = doze,
                                                      .wake = wake};
