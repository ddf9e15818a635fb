/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of a transport (net/net.h), held against the one for tests (net_fake.h), kind and
 * rough, and against the one over libfabric. */
#include "net_fake.h"

#include "base/fail.h"
#ifdef PROA_HAS_LIBFABRIC
#include "net/ofi.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_OPERATIONS = 64, MEMORY = 4096, BYTES_ROUNDS = 15 };

/* What a test runs over. */
struct over {
    const struct proa_net_transport *transport;
    struct net_fake_rules rules;
    const char *provider; /* PROA_PROVIDER; NULL: whichever */
    int know_buffers;     /* local buffers are registered */
};

static const struct over kind_ = {.transport = &proa_net_fake, .rules = {.seed = 1}};
static const struct over rough = {
    .transport = &proa_net_fake,
    .rules = {.seed = 2, .delay_most = 20, .overtaking = 1, .again_of_100 = 20}};

#ifdef PROA_HAS_LIBFABRIC
/* libfabric's best on loopback; the one of two layers, which is slower; and the best as if it were
 * a device that has to know the memory. */
static const struct over fabric = {.transport = &proa_net_ofi};
static const struct over layered = {.transport = &proa_net_ofi, .provider = "tcp;ofi_rxm"};
static const struct over knowing = {.transport = &proa_net_ofi, .know_buffers = 1};
#endif

static const struct proa_net_transport *transport; /* in a process of the world */
static int is_fake;

/* Events so far, in this process. */
struct seen {
    uint32_t next[WORLD_MOST];                           /* number of the next message, by peer */
    uint32_t longest[WORLD_MOST];                        /* in bytes */
    int done[MOST_OPERATIONS], outcome[MOST_OPERATIONS]; /* how often, and how; by token */
    int lost[WORLD_MOST];
};

/* A process's end of the network. */
struct end {
    struct world *world;
    struct proa_net *net;
    uint32_t peers[WORLD_MOST];
    char *memory;
    struct proa_net_key keys[WORLD_MOST];
    uint64_t addresses[WORLD_MOST];
    struct seen seen;
};

/* ---- events ---- */

static int peer_rank(const struct end *end, uint32_t peer)
{
    for (int i = 0; i < end->world->size; i++)
        if (end->peers[i] == peer)
            return i;
    CHECK(!"a peer that was not reached");
    return -1;
}

/* A message is its number, as often as it goes into its bytes. */
static void on_message(void *context, uint32_t peer, const void *body, size_t bytes)
{
    struct end *end = context;
    int rank = peer_rank(end, peer);
    uint32_t number = end->seen.next[rank]++;

    for (size_t i = 0; i + sizeof number <= bytes; i += sizeof number)
        CHECK(memcmp((const char *)body + i, &number, sizeof number) == 0);
    if (bytes > end->seen.longest[rank])
        end->seen.longest[rank] = (uint32_t)bytes;
}

static void on_done(void *context, uint64_t token, int outcome)
{
    struct end *end = context;

    CHECK(token < MOST_OPERATIONS);
    end->seen.done[token]++;
    end->seen.outcome[token] = outcome;
}

static void on_lost(void *context, uint32_t peer, enum proa_net_end how)
{
    (void)how;
    struct end *end = context;

    end->seen.lost[peer_rank(end, peer)]++;
}

static const struct proa_net_events events = {on_message, on_done, on_lost};

/* ---- ends ---- */

struct card {
    struct proa_net_address address;
    struct proa_net_key key;
    uint64_t memory;
};

/* Before core is started: settings are read once. */
static void prefer(struct world *world)
{
    const struct over *over = world->arg;

    setenv("PROA_INTERFACE", "lo", 1);
    if (over->provider)
        setenv("PROA_PROVIDER", over->provider, 1);
}

static struct end *end_free(struct end *end)
{
    free(end->memory);
    free(end);
    return NULL;
}

/* 0: this machine's libfabric does not have what is asked for by name. */
static int open_fabric(struct end *end, const struct over *over, struct proa_net_address *address)
{
    int outcome;

#ifdef PROA_HAS_LIBFABRIC
    proa_ofi_know_buffers = over->know_buffers;
#endif
    outcome = transport->open(&events, end, NULL, &end->net, address);
    if (outcome && over->provider) {
        if (end->world->rank == 0)
            fprintf(stderr, "not tested with %s: %s\n", over->provider, proa_failure());
        return 0;
    }
    CHECK_OK(outcome);
    return 1;
}

/* NULL: there is no such network here. */
static struct end *end_open(struct world *world)
{
    const struct over *over = world->arg;
    struct end *end = calloc(1, sizeof *end);
    struct card mine = {.memory = 0}, all[WORLD_MOST];

    CHECK(end);
    end->world = world;
    end->memory = calloc(1, MEMORY);
    CHECK(end->memory);
    net_fake_join(world);
    net_fake_set_rules(&over->rules);
    transport = over->transport;
    is_fake = transport == &proa_net_fake;
    if (is_fake)
        CHECK_OK(transport->open(&events, end, NULL, &end->net, &mine.address));
    else if (!open_fabric(end, over, &mine.address))
        return end_free(end);
    CHECK_OK(transport->expose(end->net, end->memory, MEMORY, &mine.key));
    mine.memory = (uint64_t)(uintptr_t)end->memory;
    CHECK_OK(world->group.allgather(world->group.context, &mine, all, sizeof mine));
    for (int i = 0; i < world->size; i++) {
        CHECK_OK(transport->reach(end->net, &all[i].address, &end->peers[i]));
        end->keys[i] = all[i].key;
        end->addresses[i] = all[i].memory;
    }
    return end;
}

static void end_close(struct end *end)
{
    transport->close(end->net, 1);
    end_free(end);
}

/* Runs the body over every network that keeps the contract. */
static void over_all(world_body *body, int size, int limit_s)
{
    static const struct over *const all[] = {
        &kind_,  &rough,
#ifdef PROA_HAS_LIBFABRIC
        &fabric, &layered, &knowing,
#endif
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        world_run(&(struct world_plan){
            .size = size, .body = body, .arg = all[i], .before = prefer, .limit_s = limit_s});
}

static void progress(struct end *end)
{
    CHECK(transport->progress(end->net) >= 0);
}

static void send_number(struct end *end, int rank, uint32_t number, size_t bytes)
{
    uint32_t body[PROA_NET_MESSAGE_MOST / sizeof number];
    int outcome;

    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++)
        body[i] = number;
    while ((outcome = transport->send(end->net, end->peers[rank], body, bytes)) == PROA_NET_AGAIN)
        progress(end);
    CHECK_EQUAL(outcome, PROA_OK);
}

static void await_messages(struct end *end, int rank, uint32_t count)
{
    while (end->seen.next[rank] < count)
        progress(end);
}

static struct proa_net_place place(const struct end *end, int rank, uint64_t offset)
{
    return (struct proa_net_place){.peer = end->peers[rank],
                                   .address = end->addresses[rank] + offset,
                                   .key = &end->keys[rank]};
}

static void await_done(struct end *end, uint64_t token)
{
    while (end->seen.done[token] == 0)
        progress(end);
}

/* All have done their part; those that have still to answer others do. */
static void meet(struct end *end, uint32_t *sent)
{
    for (int i = 0; i < end->world->size; i++)
        send_number(end, i, sent[i]++, 4);
    for (int i = 0; i < end->world->size; i++)
        await_messages(end, i, sent[i]); /* all send as many to each */
}

/* ---- messages ---- */

static void messages_body(struct world *world)
{
    struct end *end = end_open(world);
    uint32_t sent[WORLD_MOST] = {0}, rounds = (uint32_t)world_rounds(200);
    uint64_t seed = (uint64_t)world->rank;

    if (!end)
        return;
    for (uint32_t number = 0; number < rounds; number++) {
        for (int i = 0; i < world->size; i++) /* also to ourselves */
            send_number(end, i, sent[i]++, world_below(&seed, PROA_NET_MESSAGE_MOST + 1));
        if (number % 7 == 0)
            progress(end);
    }
    for (int i = 0; i < world->size; i++) {
        send_number(end, i, sent[i]++, PROA_NET_MESSAGE_MOST);
        await_messages(end, i, rounds + 1);
        CHECK_EQUAL(end->seen.longest[i], PROA_NET_MESSAGE_MOST);
    }
    meet(end, sent);
    for (int i = 0; i < 100; i++)
        progress(end);
    if (is_fake) {
        CHECK_EQUAL(net_fake_counts().sent, (long)(rounds + 2) * world->size);
        CHECK_EQUAL(net_fake_counts().received, net_fake_counts().sent);
    }
    for (int i = 0; i < world->size; i++)
        CHECK_EQUAL(end->seen.next[i], sent[i]); /* once each */
    end_close(end);
}

static void messages(void **state)
{
    (void)state;
    over_all(messages_body, 4, 0);
}

/* ---- puts and gets ---- */

static void move(struct end *end, int put, const struct proa_net_place *there, void *here,
                 size_t bytes, uint64_t token)
{
    int outcome;

    while ((outcome = transport->move(end->net, put, there, here, bytes, token)) == PROA_NET_AGAIN)
        progress(end);
    CHECK_EQUAL(outcome, PROA_OK);
}

static void put(struct end *end, int rank, uint64_t offset, void *from, size_t bytes,
                uint64_t token)
{
    struct proa_net_place there = place(end, rank, offset);

    move(end, 1, &there, from, bytes, token);
}

static void get(struct end *end, int rank, uint64_t offset, void *to, size_t bytes, uint64_t token)
{
    struct proa_net_place there = place(end, rank, offset);

    move(end, 0, &there, to, bytes, token);
}

static void check_done(const struct end *end, uint64_t token, int outcome)
{
    CHECK_EQUAL(end->seen.done[token], 1);
    CHECK_EQUAL(end->seen.outcome[token], outcome);
}

/* Each puts into its right neighbour's memory and tells it then; the neighbour sees all of it; and
 * gets it back from there. */
static void bytes_body(struct world *world)
{
    struct end *end = end_open(world);
    int right = (world->rank + 1) % world->size,
        left = (world->rank + world->size - 1) % world->size;
    uint32_t sent[WORLD_MOST] = {0};
    uint64_t seed = 7;
    char mine[MEMORY], back[MEMORY];

    if (!end)
        return;
    for (int round = 0; round < BYTES_ROUNDS; round++) {
        uint64_t first = world_below(&seed, MEMORY),
                 bytes = world_below(&seed, MEMORY - first + 1); /* the same in all */
        memset(&end->seen.done, 0, sizeof end->seen.done);
        memset(mine, 17 * round + world->rank, sizeof mine);
        memset(back, -1, sizeof back);
        put(end, right, first, mine, bytes / 2, 0);
        put(end, right, first + bytes / 2, mine, bytes - bytes / 2, 1);
        await_done(end, 0);
        await_done(end, 1);
        meet(end, sent);
        for (uint64_t i = first; i < first + bytes; i++)
            CHECK_EQUAL(end->memory[i], (char)(17 * round + left));
        get(end, right, first, back, bytes, 2);
        await_done(end, 2);
        CHECK(memcmp(mine, back, bytes) == 0);
        for (uint64_t token = 0; token < 3; token++)
            check_done(end, token, PROA_OK);
        meet(end, sent);
    }
    if (is_fake) {
        CHECK_EQUAL(net_fake_counts().puts, 2 * BYTES_ROUNDS);
        CHECK_EQUAL(net_fake_counts().gets, BYTES_ROUNDS);
        CHECK(world->arg == &rough ? net_fake_counts().overtaken > 0
                                   : net_fake_counts().overtaken == 0);
    }
    end_close(end);
}

static void bytes_(void **state)
{
    (void)state;
    over_all(bytes_body, 3, 0);
}

/* All go on answering until all have got here: where peers may be lost, no message can tell. */
static void linger(struct end *end)
{
    uint32_t *here = (uint32_t *)(void *)end->world->shared;

    __atomic_fetch_add(here, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(here, __ATOMIC_SEQ_CST) < (uint32_t)end->world->size)
        progress(end);
}

/* Memory that is not exposed any more: the origin hears of it, nothing else happens. A network may
 * end the connection over it, so only one tries. */
static void hidden(struct end *end)
{
    char mine[8] = "1234567", back[8] = "abcdefg";

    if (end->world->rank == 0) {
        put(end, 1, 0, mine, 8, 3);
        await_done(end, 3);
        check_done(end, 3, PROA_ERR_OTHER);
    }
    if (end->world->rank == 0 && is_fake) {
        get(end, 1, 0, back, 8, 4);
        await_done(end, 4);
        check_done(end, 4, PROA_ERR_OTHER);
        CHECK(strcmp(back, "abcdefg") == 0);
    }
}

static void not_exposed_body(struct world *world)
{
    struct end *end = end_open(world);
    uint32_t sent[WORLD_MOST] = {0};
    int other = 1 - world->rank;
    char mine[8] = "1234567", back[8] = "abcdefg";

    if (!end)
        return;
    put(end, other, MEMORY - 7, mine, 8, 0);
    get(end, other, MEMORY, back, 1, 1);
    put(end, other, (uint64_t)-1, mine, 8, 2);
    for (uint64_t token = 0; token < 3; token++) {
        await_done(end, token);
        check_done(end, token, PROA_ERR_OTHER);
    }
    CHECK(strcmp(back, "abcdefg") == 0);
    meet(end, sent);
    transport->hide(end->net, &end->keys[world->rank]);
    meet(end, sent);
    hidden(end);
    linger(end);
    for (int i = 0; i < MEMORY; i++)
        CHECK_EQUAL(end->memory[i], 0);
    end_close(end);
}

static void not_exposed(void **state)
{
    (void)state;
    over_all(not_exposed_body, 2, 0);
}

/* ---- on demand ---- */

static void demand_body(struct world *world)
{
    struct end *end = end_open(world);
    struct proa_net_place there = place(end, 1 - world->rank, 0);
    uint32_t sent[WORLD_MOST] = {0};
    char mine[8] = {0};

    if (!end)
        return;
    net_fake_set_rules(&(struct net_fake_rules){.again_of_100 = 100});
    CHECK_EQUAL(transport->send(end->net, there.peer, mine, 8), PROA_NET_AGAIN);
    CHECK_EQUAL(transport->move(end->net, 1, &there, mine, 8, 0), PROA_NET_AGAIN);
    CHECK_EQUAL(transport->move(end->net, 0, &there, mine, 8, 0), PROA_NET_AGAIN);
    CHECK_EQUAL(net_fake_counts().again, 3);
    net_fake_set_rules(&(struct net_fake_rules){.fail_of_100 = 100});
    put(end, 1 - world->rank, 0, mine, 8, 1);
    await_done(end, 1);
    check_done(end, 1, PROA_ERR_OTHER);
    CHECK_EQUAL(net_fake_counts().failed, 1);
    net_fake_set_rules(&kind_.rules);
    meet(end, sent);
    CHECK_EQUAL(end->seen.done[0], 0); /* operations without room have not been done */
    world_barrier(world);
    put(end, 1 - world->rank, 0, mine, 8, 2);
    net_fake_lose(end->net, there.peer);
    CHECK_EQUAL(end->seen.lost[1 - world->rank], 0); /* from within progress only */
    progress(end);
    check_done(end, 2, PROA_ERR_OTHER);
    CHECK_EQUAL(end->seen.lost[1 - world->rank], 1);
    CHECK_FAILS(transport->send(end->net, there.peer, mine, 8), PROA_ERR_OTHER);
    CHECK_FAILS(transport->move(end->net, 1, &there, mine, 8, 3), PROA_ERR_OTHER);
    progress(end);
    CHECK_EQUAL(end->seen.lost[1 - world->rank], 1);
    end_close(end);
}

static void demand(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 2, .body = demand_body, .arg = &kind_});
}

/* ---- doze: as long as the test's limit, if nothing ended it ---- */

enum { DAY_S = 86400 };

static void wake_or_doze(void *arg, int number)
{
    struct end *end = arg;

    if (number == 0)
        transport->doze(&end->net, 1, DAY_S * 1000000000L);
    else
        transport->wake(end->net);
}

static void doze_body(struct world *world)
{
    struct end *end = end_open(world);

    if (!end)
        return;
    transport->wake(end->net);
    transport->doze(&end->net, 1, DAY_S * 1000000000L); /* woken before */
    world_threads(2, wake_or_doze, end);
    world_barrier(world);
    if (world->rank == 0)
        send_number(end, 1, 0, 4);
    else
        while (end->seen.next[0] == 0) {
            transport->doze(&end->net, 1, DAY_S * 1000000000L); /* ended by the message */
            progress(end);
        }
    transport->doze(&end->net, 1, 1000); /* nothing comes: ended by time */
    end_close(end);
}

static void doze(void **state)
{
    (void)state;
    over_all(doze_body, 2, 30);
}

/* The registry, by the values of PROA_NET. */
static void registry(void **state)
{
    (void)state;
    assert_ptr_equal(proa_net_find("auto"), &proa_net_ofi);
    assert_ptr_equal(proa_net_find(proa_net_ofi.name), &proa_net_ofi);
    assert_null(proa_net_find("none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages), cmocka_unit_test(bytes_), cmocka_unit_test(not_exposed),
        cmocka_unit_test(demand),   cmocka_unit_test(doze),   cmocka_unit_test(registry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
