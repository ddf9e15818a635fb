/* SPDX-License-Identifier: BSD-3-Clause */
/* See net_fake.h. */
#include "net_fake.h"
#include "base/fail.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <utlist.h>

enum {
    ROOM = 32, /* packets of a ring */
    BODY = PROA_NET_MESSAGE_MOST,
    PIECE = 192 /* bytes: small, so that there are many to delay and to overtake */
};

enum kind { MESSAGE, PUT, PUT_DONE, GET, GOT, BYE };

/* Puts and gets go in pieces of PIECE bytes. */
struct packet {
    uint32_t kind, bytes;
    int32_t outcome;
    uint32_t unused;
    uint64_t operation;       /* of the origin */
    uint64_t address, key;    /* of this piece, at the target */
    uint64_t offset;          /* of this piece in the operation */
    unsigned char body[BODY]; /* as many bytes as it says; a GET and a PUT_DONE have none */
};

/* One writer, one reader. */
struct ring {
    uint32_t written __attribute__((aligned(64)));
    uint32_t read __attribute__((aligned(64)));
    struct packet packets[ROOM];
};

/* By sender and receiver. */
struct area {
    struct ring rings[WORLD_MOST][WORLD_MOST];
};

_Static_assert(sizeof(struct area) <= WORLD_SHARED_BYTES / 4 * 3,
               "the rings leave the tests some shared memory");

/* A packet that has come and is not delivered, or that waits for room. */
struct held {
    uint32_t peer;
    uint64_t due;
    struct held *prev, *next;
    struct packet packet;
};

struct operation {
    uint64_t number, token, left; /* left: bytes */
    uint32_t peer;
    int outcome;
    char *here; /* of a get */
    struct operation *prev, *next;
};

struct exposed {
    uint64_t key;
    char *memory;
    size_t bytes;
    struct exposed *prev, *next;
};

struct proa_net {
    const struct proa_net_events *events;
    void *context;
    struct held *inbox, *outbox;
    struct operation *operations;
    struct exposed *exposures;
    uint64_t now, operation_number, keys; /* so far */
    int lost[WORLD_MOST];                 /* 1: to be told, 2: told */
    enum proa_net_end end[WORLD_MOST];    /* how each is lost */
    int woken, waiting;                   /* waiting: packets in inbox and outbox */
    pid_t owner;
};

static struct area *area;
static int own_rank, world_size;
static struct proa_net *opened;
static struct net_fake_rules rules;
static struct net_fake_counts counts;
static int holding;
static int progressing; /* threads inside fake_progress */
static _Thread_local int is_progressing;

void net_fake_join(struct world *world)
{
    area = (struct area *)(void *)(world->shared + WORLD_SHARED_BYTES - sizeof *area);
    own_rank = world->rank;
    world_size = world->size;
    memset(&rules, 0, sizeof rules);
    memset(&counts, 0, sizeof counts);
    progressing = 0; /* of the process before */
    net_fake_hold(0);
}

void net_fake_hold(int held)
{
    __atomic_store_n(&holding, held, __ATOMIC_SEQ_CST);
    while (held && !is_progressing && __atomic_load_n(&progressing, __ATOMIC_SEQ_CST))
        world_sleep_us(50);
}

void net_fake_set_rules(const struct net_fake_rules *r)
{
    rules = *r;
}

/* By the agent and by the program, which may look at the same time. */
static void count(long *counter, long more)
{
    __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

static long counted(const long *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

struct net_fake_counts net_fake_counts(void)
{
    return (struct net_fake_counts){.sent = counted(&counts.sent),
                                    .received = counted(&counts.received),
                                    .puts = counted(&counts.puts),
                                    .gets = counted(&counts.gets),
                                    .again = counted(&counts.again),
                                    .failed = counted(&counts.failed),
                                    .dropped = counted(&counts.dropped),
                                    .overtaken = counted(&counts.overtaken),
                                    .exposed = counted(&counts.exposed)};
}

static int by_chance(uint32_t of_100)
{
    return of_100 && world_below(&rules.seed, 100) < of_100;
}

/* ---- packets ---- */

static size_t packet_bytes(const struct packet *packet)
{
    int full = packet->kind == MESSAGE || packet->kind == PUT || packet->kind == GOT;

    return offsetof(struct packet, body) + (full ? packet->bytes : 0);
}

static void copy(struct packet *to, const struct packet *from)
{
    memcpy(to, from, packet_bytes(from));
}

static int push(uint32_t peer, const struct packet *packet)
{
    struct ring *ring = &area->rings[own_rank][peer];
    uint32_t written = __atomic_load_n(&ring->written, __ATOMIC_RELAXED);

    if (written - __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) == ROOM)
        return 0;
    copy(&ring->packets[written % ROOM], packet);
    __atomic_store_n(&ring->written, written + 1, __ATOMIC_RELEASE);
    return 1;
}

static int pop(uint32_t peer, struct packet *packet)
{
    struct ring *ring = &area->rings[peer][own_rank];
    uint32_t read = __atomic_load_n(&ring->read, __ATOMIC_RELAXED);

    if (__atomic_load_n(&ring->written, __ATOMIC_ACQUIRE) == read)
        return 0;
    copy(packet, &ring->packets[read % ROOM]);
    __atomic_store_n(&ring->read, read + 1, __ATOMIC_RELEASE);
    return 1;
}

const unsigned char *net_fake_last(uint32_t peer, size_t *bytes)
{
    const struct ring *ring = &area->rings[own_rank][peer];
    uint32_t last = ring->written;

    while (last > 0 && ring->packets[(last - 1) % ROOM].kind != MESSAGE)
        last--;
    *bytes = last ? ring->packets[(last - 1) % ROOM].bytes : 0;
    return ring->packets[(last - 1) % ROOM].body;
}

static void hold(struct proa_net *net, struct held **box, uint32_t peer,
                 const struct packet *packet)
{
    struct held *held = malloc(sizeof *held);

    if (!held)
        abort();
    held->peer = peer;
    held->due = net->now;
    copy(&held->packet, packet);
    if (box == &net->inbox)
        held->due += world_below(&rules.seed, rules.delay_most + 1);
    DL_APPEND(*box, held);
    __atomic_fetch_add(&net->waiting, 1, __ATOMIC_SEQ_CST);
}

static void release(struct proa_net *net, struct held **box, struct held *held)
{
    DL_DELETE(*box, held);
    __atomic_fetch_sub(&net->waiting, 1, __ATOMIC_SEQ_CST);
    free(held);
}

/* ---- operations ---- */

static void operation_piece_done(struct proa_net *net, const struct packet *packet)
{
    struct operation *o;

    DL_SEARCH_SCALAR(net->operations, o, number, packet->operation);
    if (!o)
        return; /* its peer was given up as lost */
    if (packet->outcome)
        o->outcome = packet->outcome;
    else if (packet->kind == GOT)
        memcpy(o->here + packet->offset, packet->body, packet->bytes);
    o->left -= packet->bytes;
    if (o->left)
        return;
    DL_DELETE(net->operations, o);
    count(&counts.failed, o->outcome != PROA_OK);
    net->events->done(net->context, o->token, o->outcome);
    free(o);
}

static char *exposed_at(struct proa_net *net, const struct packet *packet)
{
    struct exposed *e;
    uint64_t start;

    DL_SEARCH_SCALAR(net->exposures, e, key, packet->key);
    if (!e)
        return NULL;
    start = (uint64_t)(uintptr_t)e->memory;
    if (packet->address < start || packet->address - start > e->bytes ||
        packet->bytes > e->bytes - (packet->address - start))
        return NULL;
    return e->memory + (packet->address - start);
}

/* A piece of another's put or get, on us. */
static void serve(struct proa_net *net, uint32_t peer, const struct packet *asked)
{
    struct packet answer;
    char *at = exposed_at(net, asked);

    copy(&answer, asked);
    answer.kind = asked->kind == PUT ? PUT_DONE : GOT;
    answer.outcome = at ? PROA_OK : proa_fail(PROA_ERR_OTHER, "the memory is not exposed");
    if (at && asked->kind == PUT)
        memcpy(at, asked->body, asked->bytes);
    else if (at)
        memcpy(answer.body, at, asked->bytes);
    hold(net, &net->outbox, peer, &answer);
}

static int begin(struct proa_net *net, enum kind kind, const struct proa_net_place *there,
                 char *here, size_t bytes, uint64_t token)
{
    struct operation *o;
    struct packet packet = {.kind = kind};

    if (net->lost[there->peer])
        return proa_fail(PROA_ERR_OTHER, "peer %u is lost", there->peer);
    if (by_chance(rules.again_of_100)) {
        count(&counts.again, 1);
        return PROA_NET_AGAIN;
    }
    o = calloc(1, sizeof *o);
    if (!o)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for an operation");
    *o = (struct operation){.number = ++net->operation_number,
                            .token = token,
                            .left = bytes ? bytes : 1,
                            .peer = there->peer,
                            .here = here};
    if (by_chance(rules.fail_of_100))
        o->outcome = PROA_ERR_OTHER;
    DL_APPEND(net->operations, o);
    packet.operation = o->number;
    memcpy(&packet.key, there->key->bytes, sizeof packet.key);
    if (!bytes) { /* done by an answer to ourselves */
        packet.kind = PUT_DONE;
        packet.bytes = 1;
        hold(net, &net->inbox, (uint32_t)own_rank, &packet);
    }
    for (size_t at = 0; at < bytes; at += PIECE) {
        packet.bytes = (uint32_t)(bytes - at < PIECE ? bytes - at : PIECE);
        packet.address = there->address + at;
        packet.offset = at;
        if (kind == PUT)
            memcpy(packet.body, here + at, packet.bytes);
        hold(net, &net->outbox, there->peer, &packet);
    }
    return PROA_OK;
}

static int fake_move(struct proa_net *net, int put, const struct proa_net_place *there, void *here,
                     size_t bytes, uint64_t token)
{
    int outcome = begin(net, put ? PUT : GET, there, here, bytes, token);

    count(put ? &counts.puts : &counts.gets, outcome == PROA_OK);
    return outcome;
}

static int fake_try(struct proa_net *net, uint32_t peer)
{
    (void)net, (void)peer;
    return PROA_OK;
}

static int fake_send(struct proa_net *net, uint32_t peer, const void *body, size_t bytes)
{
    struct packet packet = {.kind = MESSAGE, .bytes = (uint32_t)bytes};

    if (bytes > BODY)
        return proa_fail(PROA_ERR_INTERN, "a message of %zu bytes", bytes);
    if (net->lost[peer])
        return proa_fail(PROA_ERR_OTHER, "peer %u is lost", peer);
    if (bytes)
        memcpy(packet.body, body, bytes);
    if (by_chance(rules.again_of_100) || !push(peer, &packet)) {
        count(&counts.again, 1);
        return PROA_NET_AGAIN;
    }
    count(&counts.sent, 1);
    return PROA_OK;
}

/* ---- progress ---- */

static void flush_outbox(struct proa_net *net)
{
    struct held *held, *next;

    DL_FOREACH_SAFE(net->outbox, held, next)
        if (net->lost[held->peer] || push(held->peer, &held->packet))
            release(net, &net->outbox, held);
}

static void fill_inbox(struct proa_net *net)
{
    struct packet packet;

    for (int peer = 0; peer < world_size; peer++)
        while (pop((uint32_t)peer, &packet))
            if (!net->lost[peer])
                hold(net, &net->inbox, (uint32_t)peer, &packet);
}

/* The first packet that may be delivered now; NULL: none. A message waits for all messages before
 * it, anything else only where nothing overtakes. */
static struct held *next_due(struct proa_net *net)
{
    int blocked[WORLD_MOST] = {0}, passed[WORLD_MOST] = {0};
    struct held *held;

    DL_FOREACH(net->inbox, held) {
        int message = held->packet.kind == MESSAGE, blocks = message || !rules.overtaking;

        if (held->due <= net->now && !(blocks && blocked[held->peer])) {
            count(&counts.overtaken, passed[held->peer]);
            return held;
        }
        passed[held->peer] = 1;
        blocked[held->peer] |= blocks;
    }
    return NULL;
}

static void deliver(struct proa_net *net, struct held *held)
{
    struct packet packet;
    uint32_t peer = held->peer;

    copy(&packet, &held->packet);
    release(net, &net->inbox, held);
    if (packet.kind == MESSAGE) {
        count(&counts.received, 1);
        net->events->message(net->context, peer, packet.body, packet.bytes);
    } else if (packet.kind == BYE) {
        net->end[peer] = packet.outcome ? PROA_NET_LEFT : PROA_NET_GONE;
        net->lost[peer] = 1;
    } else if (packet.kind == PUT || packet.kind == GET) {
        serve(net, peer, &packet);
    } else {
        operation_piece_done(net, &packet);
    }
}

static int tell_lost(struct proa_net *net, uint32_t peer)
{
    struct operation *o, *next;

    net->lost[peer] = 2;
    DL_FOREACH_SAFE(net->operations, o, next)
        if (o->peer == peer) {
            DL_DELETE(net->operations, o);
            count(&counts.failed, 1);
            net->events->done(net->context, o->token,
                              proa_fail(PROA_ERR_OTHER, "peer %u is lost", peer));
            free(o);
        }
    net->events->lost(net->context, peer, net->end[peer]);
    return 1;
}

static int deliver_all(struct proa_net *net)
{
    struct held *held;
    int events = 0;

    net->now++;
    for (int peer = 0; peer < world_size; peer++)
        if (net->lost[peer] == 1)
            events += tell_lost(net, (uint32_t)peer);
    flush_outbox(net);
    fill_inbox(net);
    for (; (held = next_due(net)); events++)
        deliver(net, held);
    flush_outbox(net);
    return events;
}

/* Either this sees that messages are held, or net_fake_hold sees this: SEQ_CST in both. */
static int fake_progress(struct proa_net *net)
{
    int events = 0;

    __atomic_add_fetch(&progressing, 1, __ATOMIC_SEQ_CST);
    is_progressing = 1;
    if (!__atomic_load_n(&holding, __ATOMIC_SEQ_CST))
        events = deliver_all(net);
    is_progressing = 0;
    __atomic_sub_fetch(&progressing, 1, __ATOMIC_SEQ_CST);
    return events;
}

void net_fake_lose(struct proa_net *net, uint32_t peer)
{
    struct held *held, *next;

    net = net ? net : opened;
    net->lost[peer] = 1;
    DL_FOREACH_SAFE(net->inbox, held, next)
        if (held->peer == peer)
            release(net, &net->inbox, held);
}

/* To its peers, as if it had closed in order. */
void net_fake_leave(uint32_t peer)
{
    opened->end[peer] = PROA_NET_LEFT;
    opened->lost[peer] = 1;
}

/* As if that peer did not listen to this process any more. */
void net_fake_gives_up(uint32_t peer)
{
    opened->end[peer] = PROA_NET_GAVE_UP;
    opened->lost[peer] = 1;
}

static void fake_drop(struct proa_net *net, uint32_t peer, const char *why)
{
    proa_log(PROA_LOG_WARN, "process %u: a message from it %s", peer, why);
    count(&counts.dropped, 1);
    net_fake_lose(net, peer);
}

static int anything(struct proa_net *net)
{
    if (__atomic_load_n(&holding, __ATOMIC_ACQUIRE))
        return 0;
    for (int peer = 0; peer < world_size; peer++) {
        struct ring *ring = &area->rings[peer][own_rank];
        if (__atomic_load_n(&ring->written, __ATOMIC_SEQ_CST) !=
            __atomic_load_n(&ring->read, __ATOMIC_SEQ_CST))
            return 1;
    }
    return __atomic_load_n(&net->waiting, __ATOMIC_SEQ_CST) != 0;
}

/* On one network: the agent has no other one. */
static int fake_doze(struct proa_net *const nets[], int count, long timeout_ns)
{
    enum { NAP_US = 50 };
    struct proa_net *net = nets[0];

    CHECK_EQUAL(count, 1);
    for (long slept_us = 0; !__atomic_exchange_n(&net->woken, 0, __ATOMIC_SEQ_CST) &&
                            !anything(net) && slept_us < timeout_ns / 1000;
         slept_us += NAP_US)
        world_sleep_us(NAP_US);
    return anything(net);
}

/* A child of fork has no network: its end is the parent's. */
static void check_owner(const struct proa_net *net)
{
    CHECK_EQUAL(getpid(), net->owner);
}

static void fake_wake(struct proa_net *net)
{
    check_owner(net);
    __atomic_store_n(&net->woken, 1, __ATOMIC_SEQ_CST);
}

/* ---- memory, peers, the whole ---- */

static int fake_expose(struct proa_net *net, void *memory, size_t bytes, struct proa_net_key *key)
{
    struct exposed *e = calloc(1, sizeof *e);

    if (!e)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for an exposure");
    *e = (struct exposed){.key = ++net->keys, .memory = memory, .bytes = bytes};
    DL_APPEND(net->exposures, e);
    count(&counts.exposed, 1);
    memset(key, 0, sizeof *key);
    memcpy(key->bytes, &e->key, sizeof e->key);
    return PROA_OK;
}

static void fake_hide(struct proa_net *net, const struct proa_net_key *key)
{
    struct exposed *e;
    uint64_t number;

    memcpy(&number, key->bytes, sizeof number);
    DL_SEARCH_SCALAR(net->exposures, e, key, number);
    if (!e)
        return;
    DL_DELETE(net->exposures, e);
    count(&counts.exposed, -1);
    free(e);
}

static int fake_reach(struct proa_net *net, const struct proa_net_address *address, uint32_t *peer)
{
    (void)net;
    memcpy(peer, address->bytes, sizeof *peer);
    return *peer < (uint32_t)world_size ? PROA_OK
                                        : proa_fail(PROA_ERR_OTHER, "no process has that address");
}

static int fake_offers(struct proa_offers *offers, struct proa_offer_names *names)
{
    *offers = (struct proa_offers){.machine = 1, .count = 1, .offer = {{.kind = 1}}};
    *names = (struct proa_offer_names){{"the pretended network"}};
    return PROA_OK;
}

static int fake_open(const struct proa_net_events *events, void *context,
                     const struct proa_offer *offer, struct proa_net **net,
                     struct proa_net_address *address)
{
    (void)offer;
    *net = calloc(1, sizeof **net);
    if (!*net)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for a network");
    opened = *net;
    (*net)->events = events;
    (*net)->context = context;
    (*net)->owner = getpid();
    memset(address, 0, sizeof *address);
    memcpy(address->bytes, &own_rank, sizeof own_rank);
    return PROA_OK;
}

static void fake_close(struct proa_net *net, int in_order)
{
    (void)in_order; /* the others end too, and are not told */
    check_owner(net);
    while (net->inbox)
        release(net, &net->inbox, net->inbox);
    while (net->outbox)
        release(net, &net->outbox, net->outbox);
    for (struct operation *o; (o = net->operations);) {
        DL_DELETE(net->operations, o);
        free(o);
    }
    for (struct exposed *e; (e = net->exposures);) {
        DL_DELETE(net->exposures, e);
        free(e);
    }
    free(net);
}

uint32_t *net_fake_parted;

static void fake_part(struct proa_net *net, int in_order)
{
    const struct packet bye = {.kind = BYE, .outcome = in_order};

    check_owner(net);
    for (int peer = 0; peer < world_size; peer++)
        if (peer != own_rank)
            (void)push((uint32_t)peer, &bye);
    if (net_fake_parted)
        __atomic_fetch_add(&net_fake_parted[in_order != 0], 1, __ATOMIC_SEQ_CST);
}

static void fake_attend(struct proa_net *net)
{
    (void)net;
}

const struct proa_net_transport proa_net_fake = {
    .name = "fake",
    .offers = fake_offers,
    .open = fake_open,
    .close = fake_close,
    .part = fake_part,
    .attend = fake_attend,
    .reach = fake_reach,
    .try = fake_try,
    .expose = fake_expose,
    .hide = fake_hide,
    .send = fake_send,
    .move = fake_move,
    .drop = fake_drop,
    .progress = fake_progress,
    .doze = fake_doze,
    .wake = fake_wake,
};
