/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over libfabric where the contract (net.c) does not look: sizes, processes that go
 * away, strangers, and what idleness costs. */
#include "world.h"

#include "base/fail.h"
#include "net/ofi.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const struct proa_net_transport *const transport = &proa_net_ofi;

enum { MOST_TOKENS = 64 };

/* ---- what happens ---- */

struct seen {
    int messages, lost;
    enum proa_net_end how; /* was the last one lost */
    size_t bytes;          /* of the last message */
    int done[MOST_TOKENS], outcome[MOST_TOKENS];
    unsigned char last[PROA_NET_MESSAGE_MOST];
};

static void on_message(void *context, uint32_t peer, const void *body, size_t bytes)
{
    struct seen *seen = context;

    (void)peer;
    seen->messages++;
    seen->bytes = bytes;
    memcpy(seen->last, body, bytes);
}

static void on_done(void *context, uint64_t token, int outcome)
{
    struct seen *seen = context;

    CHECK(token < MOST_TOKENS);
    seen->done[token]++;
    seen->outcome[token] = outcome;
}

static void on_lost(void *context, uint32_t peer, enum proa_net_end end)
{
    struct seen *seen = context;

    (void)peer;
    seen->lost++;
    seen->how = end;
}

static const struct proa_net_events events = {on_message, on_done, on_lost};

/* ---- processes ---- */

struct end {
    struct proa_net *net;
    struct proa_net_address address;
    struct seen seen;
};

/* What lies in the world's shared memory: what others have to know of each. */
struct card {
    struct proa_net_address address;
    struct proa_net_key key;
    uint64_t memory;
    uint32_t there;
    uint32_t steps; /* how far it is; or told by the other */
};

static struct card *card_of(struct world *world, int number)
{
    return (struct card *)(void *)world->shared + number;
}

static void end_open(struct end *end)
{
    memset(&end->seen, 0, sizeof end->seen);
    CHECK_OK(transport->open(&events, &end->seen, NULL, &end->net, &end->address));
}

static void progress(struct end *end)
{
    CHECK(transport->progress(end->net) >= 0);
}

static void progress_for(struct end *end, long ms)
{
    struct timespec t;
    long start, now;

    clock_gettime(CLOCK_MONOTONIC, &t);
    start = now = t.tv_sec * 1000 + t.tv_nsec / 1000000;
    while (now < start + ms) {
        progress(end);
        world_sleep_us(100);
        clock_gettime(CLOCK_MONOTONIC, &t);
        now = t.tv_sec * 1000 + t.tv_nsec / 1000000;
    }
}

static void show(struct end *end, struct card *card)
{
    card->address = end->address;
    __atomic_store_n(&card->there, 1, __ATOMIC_SEQ_CST);
}

static uint32_t reach(struct end *end, struct card *card)
{
    uint32_t peer;

    world_await(&card->there, 1);
    CHECK_OK(transport->reach(end->net, &card->address, &peer));
    return peer;
}

static int try_to_send(struct end *end, uint32_t peer, const void *body, size_t bytes)
{
    int outcome;

    while ((outcome = transport->send(end->net, peer, body, bytes)) == PROA_NET_AGAIN)
        progress(end);
    return outcome;
}

static void tell(struct end *end, uint32_t peer, const void *body, size_t bytes)
{
    CHECK_OK(try_to_send(end, peer, body, bytes));
}

static void await_messages(struct end *end, int count)
{
    while (end->seen.messages < count)
        progress(end);
    CHECK_EQUAL(end->seen.messages, count);
}

static void await_lost(struct end *end)
{
    while (end->seen.lost == 0)
        progress(end);
    CHECK_EQUAL(end->seen.lost, 1);
}

static void on_loopback(struct world *world)
{
    (void)world;
    setenv("PROA_INTERFACE", "lo", 1);
}

static void impatient(struct world *world)
{
    on_loopback(world);
    setenv("PROA_TIMEOUT", "1", 1);
}

/* A process that only answers, until it is killed. */
static pid_t victim(struct world *world)
{
    struct end end;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid)
        return pid;
    end_open(&end);
    show(&end, card_of(world, 0));
    for (;;) {
        transport->doze(&end.net, 1, 1000000000);
        progress(&end);
        card_of(world, 0)->steps = (uint32_t)end.seen.messages;
        if (end.seen.lost)
            __atomic_store_n(&card_of(world, 1)->steps, 1 + (uint32_t)end.seen.how,
                             __ATOMIC_SEQ_CST);
    }
}

/* ---- a peer that goes away ---- */

/* Talks to a victim until that has heard it. */
static uint32_t acquaint(struct world *world, struct end *end)
{
    uint32_t peer;

    end_open(end);
    peer = reach(end, card_of(world, 0));
    tell(end, peer, "hello", 5);
    while (__atomic_load_n(&card_of(world, 0)->steps, __ATOMIC_SEQ_CST) == 0)
        progress(end);
    return peer;
}

static void killed_body(struct world *world)
{
    pid_t pid = victim(world);
    struct end end;
    uint32_t peer = acquaint(world, &end);

    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    await_lost(&end);
    CHECK_FAILS(transport->send(end.net, peer, "?", 1), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "127.0.0.1:"));
    progress_for(&end, 100);
    CHECK_EQUAL(end.seen.lost, 1);
    transport->close(end.net, 1);
}

WORLD_TEST(killed, 1, .before = on_loopback)

/* Alive, but stopped: lost after PROA_TIMEOUT, with what is under way to it. */
static void stopped_body(struct world *world)
{
    pid_t pid = victim(world);
    struct end end;
    struct card *card = card_of(world, 0);
    uint32_t peer = acquaint(world, &end);
    char bytes[64] = {0};
    struct proa_net_key key;
    struct proa_net_place there = {.peer = peer, .key = &key};

    CHECK_OK(transport->expose(end.net, bytes, sizeof bytes, &key)); /* of ours, so: no harm */
    there.address = (uint64_t)(uintptr_t)bytes;
    kill(pid, SIGSTOP);
    CHECK_OK(transport->move(end.net, 1, &there, bytes, sizeof bytes, 0));
    await_lost(&end);
    CHECK_EQUAL(end.seen.done[0], 1);
    CHECK_EQUAL(end.seen.outcome[0], PROA_ERR_OTHER);
    CHECK_FAILS(transport->send(end.net, peer, "?", 1), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "PROA_TIMEOUT"));
    CHECK_EQUAL(card->steps, 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    progress_for(&end, 100);
    CHECK_EQUAL(end.seen.done[0], 1);
    transport->close(end.net, 1);
}

WORLD_TEST(stopped, 1, .before = impatient)

/* It comes back, and is told that it has been given up; not that we have gone. */
static void comes_back_body(struct world *world)
{
    pid_t pid = victim(world);
    struct end end;

    acquaint(world, &end);
    kill(pid, SIGSTOP);
    await_lost(&end);
    CHECK_EQUAL(end.seen.how, PROA_NET_GONE);
    kill(pid, SIGCONT);
    while (__atomic_load_n(&card_of(world, 1)->steps, __ATOMIC_SEQ_CST) == 0)
        progress(&end);
    CHECK_EQUAL(card_of(world, 1)->steps, 1 + PROA_NET_GAVE_UP);
    CHECK_EQUAL(end.seen.lost, 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    transport->close(end.net, 1);
}

WORLD_TEST(comes_back, 1, .before = impatient)

/* Stopped for less than that: nothing is lost, nothing has happened. */
static void paused_body(struct world *world)
{
    pid_t pid = victim(world);
    struct end end;
    uint32_t peer = acquaint(world, &end);

    kill(pid, SIGSTOP);
    progress_for(&end, 500);
    tell(&end, peer, "hello", 5);
    kill(pid, SIGCONT);
    while (__atomic_load_n(&card_of(world, 0)->steps, __ATOMIC_SEQ_CST) < 2)
        progress(&end);
    progress_for(&end, 1500);
    CHECK_EQUAL(end.seen.lost, 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    transport->close(end.net, 1);
}

WORLD_TEST(paused, 1, .before = impatient)

/* An address where nobody is: lost after PROA_TIMEOUT. */
static void nobody_body(struct world *world)
{
    struct end gone, end;
    uint32_t peer;

    (void)world;
    end_open(&gone);
    transport->close(gone.net, 1);
    end_open(&end);
    CHECK_OK(transport->reach(end.net, &gone.address, &peer));
    CHECK_EQUAL(try_to_send(&end, peer, "?", 1), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "PROA_TIMEOUT"));
    progress(&end);
    CHECK_EQUAL(end.seen.lost, 1);
    transport->close(end.net, 1);
}

WORLD_TEST(nobody, 1, .before = impatient)

/* Who ends in order is gone at once. */
static void leaves_body(struct world *world)
{
    struct end end;
    uint32_t peer;

    end_open(&end);
    show(&end, card_of(world, world->rank));
    peer = reach(&end, card_of(world, 1 - world->rank));
    tell(&end, peer, "hello", 5);
    await_messages(&end, 1);
    world_barrier(world);
    if (world->rank == 0)
        await_lost(&end);
    transport->close(end.net, 1);
}

WORLD_TEST(leaves, 2, .before = on_loopback)

/* ---- strangers and nonsense ---- */

/* Sends the bytes as they are, by the other's endpoint. */
static void send_raw(struct end *end, uint32_t peer, const void *bytes, size_t count)
{
    static char kept[2 * PROA_FRAME_MOST];
    static struct proa_ofi_frame *frame;
    struct proa_ofi_peer *to = end->net->peers[peer];

    CHECK(count <= sizeof kept);
    memcpy(kept, bytes, count);
    frame = proa_ofi_frame_take(end->net);
    CHECK(frame);
    frame->peer = to;
    while (fi_send(end->net->ep, kept, count, NULL, to->at, frame) == -FI_EAGAIN)
        progress(end);
    to->under_way++;
    while (to->under_way && to->state == PROA_OFI_THERE)
        progress(end);
}

/* The lengths around those that mean something. */
static const size_t lengths[] = {0,
                                 1,
                                 PROA_FRAME_HEAD - 1,
                                 PROA_FRAME_HEAD,
                                 PROA_FRAME_HEAD + 1,
                                 PROA_FRAME_HEAD + PROA_NET_ADDRESS_MOST,
                                 PROA_FRAME_MOST - 1,
                                 PROA_FRAME_MOST,
                                 PROA_FRAME_MOST + 1};

/* Messages of all lengths by somebody who does not know the secret: the victim, which is of rank 0,
 * hears none, and goes on talking to rank 1. */
static void strangers(struct world *world)
{
    struct end end;
    struct proa_frame_head head;
    unsigned char bytes[2 * PROA_FRAME_MOST];
    uint64_t seed = 5;
    uint32_t peer;

    end_open(&end);
    peer = reach(&end, card_of(world, 0));
    end.net->peers[peer]->secret[3] ^= 1; /* nearly knows it */
    for (int i = 0; i < 10; i++)
        tell(&end, peer, "let me in", 9);
    while (end.net->peers[peer]->under_way)
        progress(&end);
    while (__atomic_load_n(&card_of(world, 0)->steps, __ATOMIC_SEQ_CST) < 10)
        progress(&end); /* before the network ends the connection over what is too long */
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t b = 0; b < sizeof bytes; b++)
            bytes[b] = (unsigned char)world_random(&seed);
        proa_frame_write(&head, PROA_FRAME_MESSAGE, end.net->own.secret, world_random(&seed), 1,
                         lengths[i / 2] - PROA_FRAME_HEAD);
        if (i % 2)
            memcpy(bytes, &head, sizeof head);
        send_raw(&end, peer, bytes, lengths[i / 2]);
    }
    transport->close(end.net, 1);
}

/* Not of libfabric at all. */
static void rubbish(struct world *world)
{
    struct card *card = card_of(world, 0);
    struct proa_frame_address address;
    struct sockaddr_in at;
    uint64_t seed = 9;
    char bytes[3000];

    memcpy(&address, card->address.bytes, sizeof address);
    memcpy(&at, address.name, sizeof at);
    if (at.sin_family != AF_INET)
        return;
    for (int i = 0; i < 20; i++) {
        int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        size_t count = world_below(&seed, sizeof bytes);

        for (size_t b = 0; b < sizeof bytes; b++)
            bytes[b] = (char)world_random(&seed);
        CHECK_EQUAL(connect(line, (struct sockaddr *)&at, sizeof at), 0);
        CHECK(send(line, bytes, count, MSG_NOSIGNAL) >= 0);
        world_sleep_us(1000);
        close(line);
    }
}

static void strange_body(struct world *world)
{
    struct end end;
    uint32_t peer;
    struct card *step = card_of(world, 2);

    if (world->rank == 2) {
        world_await(&card_of(world, 0)->there, 1);
        strangers(world);
        rubbish(world);
        __atomic_store_n(&step->there, 1, __ATOMIC_SEQ_CST);
        world_barrier(world);
        return;
    }
    end_open(&end);
    show(&end, card_of(world, world->rank));
    peer = reach(&end, card_of(world, 1 - world->rank));
    tell(&end, peer, "before", 6);
    await_messages(&end, 1);
    while (!__atomic_load_n(&step->there, __ATOMIC_SEQ_CST)) {
        progress(&end);
        __atomic_store_n(&card_of(world, world->rank)->steps,
                         (uint32_t)(end.net->strangers + (unsigned long)end.seen.messages - 1),
                         __ATOMIC_SEQ_CST);
    }
    tell(&end, peer, "after", 5);
    await_messages(&end, 2);
    CHECK_EQUAL(end.seen.bytes, 5);
    CHECK(memcmp(end.seen.last, "after", 5) == 0);
    CHECK_EQUAL(end.seen.lost, 0);
    CHECK(world->rank == 1 || end.net->strangers > 11);
    world_barrier(world);
    transport->close(end.net, 1);
}

WORLD_TEST(strange, 3, .before = on_loopback)

/* What a process of the job may get wrong: each ends it for the other, which loses nobody else. */
static void wrong_number(struct end *end, uint32_t peer)
{
    end->net->peers[peer]->sent++;
    tell(end, peer, "too early", 9);
}

static void repeated(struct end *end, uint32_t peer)
{
    end->net->peers[peer]->sent--;
    tell(end, peer, "again", 5);
}

static void as_it_is(struct end *end, uint32_t peer, uint16_t version, enum proa_frame_kind kind,
                     uint32_t number, size_t said, size_t count)
{
    unsigned char bytes[PROA_FRAME_MOST] = {0};
    struct proa_frame_head head;

    proa_frame_write(&head, kind, end->net->peers[peer]->secret, end->net->own.id, number, said);
    head.version = version;
    memcpy(bytes, &head, sizeof head);
    send_raw(end, peer, bytes, PROA_FRAME_HEAD + count);
}

static void cut_short(struct end *end, uint32_t peer)
{
    as_it_is(end, peer, PROA_FRAME_VERSION, PROA_FRAME_MESSAGE, 2, 100, 99);
}

static void too_long(struct end *end, uint32_t peer)
{
    as_it_is(end, peer, PROA_FRAME_VERSION, PROA_FRAME_MESSAGE, 2, 0xffffffff, 10);
}

static void other_version(struct end *end, uint32_t peer)
{
    as_it_is(end, peer, PROA_FRAME_VERSION + 1, PROA_FRAME_MESSAGE, 2, 10, 10);
}

static void no_kind(struct end *end, uint32_t peer)
{
    as_it_is(end, peer, PROA_FRAME_VERSION, PROA_FRAME_KINDS, 2, 10, 10);
}

static void greets_twice(struct end *end, uint32_t peer)
{
    as_it_is(end, peer, PROA_FRAME_VERSION, PROA_FRAME_GREETING, 0, PROA_NET_ADDRESS_MOST,
             PROA_NET_ADDRESS_MOST);
}

typedef void nonsense(struct end *end, uint32_t peer);

static nonsense *const all_wrong[] = {wrong_number,  repeated, cut_short,   too_long,
                                      other_version, no_kind,  greets_twice};
enum { WRONGS = sizeof all_wrong / sizeof all_wrong[0] };

/* Until rank 0 has come so far. */
static void await_step(struct world *world, struct end *end, uint32_t step)
{
    while (__atomic_load_n(&card_of(world, 3)->steps, __ATOMIC_SEQ_CST) < step)
        progress(end);
}

/* Each kind by a process of its own. */
static void do_wrong(struct world *world)
{
    struct end end;
    uint32_t peer;

    for (uint32_t i = 0; i < WRONGS; i++) {
        end_open(&end);
        peer = reach(&end, card_of(world, 0));
        tell(&end, peer, "hello", 5);
        all_wrong[i](&end, peer);
        await_step(world, &end, i + 1);
        transport->close(end.net, 1);
    }
}

static void wrong_body(struct world *world)
{
    struct end end;
    uint32_t peer;

    if (world->rank == 1) {
        do_wrong(world);
        return;
    }
    end_open(&end);
    show(&end, card_of(world, world->rank));
    if (world->rank == 2) { /* does nothing wrong, before and after */
        peer = reach(&end, card_of(world, 0));
        tell(&end, peer, "hello", 5);
        await_step(world, &end, WRONGS);
        tell(&end, peer, "hello", 5);
        await_step(world, &end, WRONGS + 1);
    } else {
        for (int i = 0; i < WRONGS; i++) {
            while (end.seen.lost == i)
                progress(&end);
            __atomic_store_n(&card_of(world, 3)->steps, (uint32_t)i + 1, __ATOMIC_SEQ_CST);
        }
        await_messages(&end, WRONGS + 2);
        CHECK_EQUAL(end.seen.lost, WRONGS);
        __atomic_store_n(&card_of(world, 3)->steps, WRONGS + 1, __ATOMIC_SEQ_CST);
    }
    transport->close(end.net, 1);
}

WORLD_TEST(wrong, 3, .before = on_loopback)

/* ---- sizes ---- */

static const size_t sizes[] = {
    0, 1, 7, 4096, 4097, 65536, 524288, 524289, 3 * 524288 + 1, 8 << 20, 64 << 20};
enum { SIZES = sizeof sizes / sizeof sizes[0], LARGEST = 64 << 20 };

static void fill(unsigned char *bytes, size_t count, uint64_t seed)
{
    for (size_t i = 0; i + 8 <= count; i += 8) {
        uint64_t word = world_random(&seed);
        memcpy(bytes + i, &word, 8);
    }
}

static void await_done(struct end *end, uint64_t token)
{
    while (end->seen.done[token] == 0)
        progress(end);
    CHECK_EQUAL(end->seen.done[token], 1);
    CHECK_EQUAL(end->seen.outcome[token], PROA_OK);
}

static void put_and_get(struct end *end, const struct proa_net_place *there, unsigned char *mine,
                        unsigned char *back)
{
    for (int i = 0; i < SIZES; i++) {
        fill(mine, sizes[i], (uint64_t)i);
        memset(back, 0, sizes[i] + 1);
        while (transport->move(end->net, 1, there, mine, sizes[i], 0) == PROA_NET_AGAIN)
            progress(end); /* until the network is through */
        await_done(end, 0);
        CHECK_OK(transport->move(end->net, 0, there, back, sizes[i], 1));
        await_done(end, 1);
        CHECK(memcmp(mine, back, sizes[i]) == 0);
        CHECK_EQUAL(back[sizes[i]], 0);
        end->seen.done[0] = end->seen.done[1] = 0;
    }
}

static void large_and_small_body(struct world *world)
{
    struct end end;
    struct card *card = card_of(world, 1);
    unsigned char *mine = malloc(LARGEST + 1), *back = malloc(LARGEST + 1);

    CHECK(mine && back);
    end_open(&end);
    if (world->rank == 1) {
        CHECK_OK(transport->expose(end.net, mine, LARGEST, &card->key));
        card->memory = (uint64_t)(uintptr_t)mine;
        show(&end, card);
        while (end.seen.messages == 0) {
            transport->doze(&end.net, 1, 1000000000);
            progress(&end);
        }
    } else {
        struct proa_net_place there = {.peer = reach(&end, card), .key = &card->key};

        there.address = card->memory;
        put_and_get(&end, &there, mine, back);
        tell(&end, there.peer, "done", 4);
        while (end.net->peers[there.peer]->under_way)
            progress(&end);
    }
    world_barrier(world);
    transport->close(end.net, 1);
    free(mine);
    free(back);
}

WORLD_TEST(large_and_small, 2, .before = on_loopback)

/* The same memory exposed twice is there until it is hidden twice. */
static void holders_body(struct world *world)
{
    struct end end;
    struct proa_net_key one, two, part;
    char bytes[100];

    (void)world;
    end_open(&end);
    CHECK_OK(transport->expose(end.net, bytes, 100, &one));
    CHECK_OK(transport->expose(end.net, bytes, 100, &two));
    CHECK_OK(transport->expose(end.net, bytes, 50, &part));
    CHECK(memcmp(&one, &two, sizeof one) == 0);
    CHECK(memcmp(&one, &part, sizeof one) != 0);
    transport->hide(end.net, &one);
    CHECK(end.net->exposures && end.net->exposures->next);
    transport->hide(end.net, &two);
    CHECK(end.net->exposures && !end.net->exposures->next);
    transport->hide(end.net, &part);
    CHECK(!end.net->exposures);
    transport->close(end.net, 1);
}

WORLD_TEST(holders, 1, .before = on_loopback)

/* Handlers of signals are the program's, whatever libraries libfabric loads. */
static void signals_body(struct world *world)
{
    struct end end;
    struct sigaction before[32], after;

    (void)world;
    for (int number = 1; number < 32; number++)
        sigaction(number, NULL, &before[number]);
    end_open(&end);
    for (int number = 1; number < 32; number++) {
        sigaction(number, NULL, &after);
        CHECK(after.sa_handler == before[number].sa_handler);
    }
    transport->close(end.net, 1);
}

WORLD_TEST(signals, 1, .before = on_loopback)

/* ---- a full queue, and an empty one ---- */

static void full_body(struct world *world)
{
    struct end end;
    struct card *card = card_of(world, 1);
    char body[PROA_NET_MESSAGE_MOST] = {0};
    int sent = 0;

    end_open(&end);
    if (world->rank == 1) {
        show(&end, card);
        while (end.seen.messages == 0)
            progress(&end);
        world_await(&card_of(world, 0)->there, 1); /* no progress meanwhile */
        await_messages(&end, (int)card_of(world, 0)->steps);
        progress_for(&end, 50);
        CHECK_EQUAL(end.seen.messages, (int)card_of(world, 0)->steps);
        world_barrier(world);
    } else {
        uint32_t peer = reach(&end, card);

        tell(&end, peer, body, sizeof body);
        for (int idle = 0; idle < 1000; idle++) {
            int outcome = transport->send(end.net, peer, body, sizeof body);
            if (outcome == PROA_OK) {
                sent++;
                idle = 0;
            } else {
                CHECK_EQUAL(outcome, PROA_NET_AGAIN);
                progress(&end);
            }
        }
        CHECK(sent > 0);
        card_of(world, 0)->steps = (uint32_t)sent + 1;
        __atomic_store_n(&card_of(world, 0)->there, 1, __ATOMIC_SEQ_CST);
        while (end.net->peers[peer]->under_way)
            progress(&end);
        world_barrier(world);
    }
    transport->close(end.net, 1);
}

WORLD_TEST(full, 2, .before = on_loopback)

static double processor_ms(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return 1e3 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Three processes that know each other and have nothing to do use no processor: in two seconds
 * less than 15 ms each, with the signs of life that they ask of each other. */
static void idle_body(struct world *world)
{
    struct end end;
    double before;

    end_open(&end);
    show(&end, card_of(world, world->rank));
    for (int i = 0; i < world->size; i++)
        if (i != world->rank)
            tell(&end, reach(&end, card_of(world, i)), "hello", 5);
    await_messages(&end, world->size - 1);
    world_barrier(world);
    progress_for(&end, 200);
    before = processor_ms();
    for (int naps = 0; naps < 2; naps++) {
        struct timespec t;
        long end_ns;

        clock_gettime(CLOCK_MONOTONIC, &t);
        end_ns = t.tv_sec * 1000000000L + t.tv_nsec + 1000000000L;
        do {
            transport->doze(&end.net, 1, 1000000000);
            progress(&end);
            clock_gettime(CLOCK_MONOTONIC, &t);
        } while (t.tv_sec * 1000000000L + t.tv_nsec < end_ns);
    }
    before = processor_ms() - before;
    if (before > 15)
        world_failed(__FILE__, __LINE__, "idle for 2 s took %.1f ms of a processor", before);
    world_barrier(world);
    transport->close(end.net, 1);
}

WORLD_TEST(idle, 3, .before = on_loopback)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed),  cmocka_unit_test(stopped), cmocka_unit_test(comes_back),
        cmocka_unit_test(paused),  cmocka_unit_test(nobody),  cmocka_unit_test(leaves),
        cmocka_unit_test(strange), cmocka_unit_test(wrong),   cmocka_unit_test(large_and_small),
        cmocka_unit_test(holders), cmocka_unit_test(signals), cmocka_unit_test(full),
        cmocka_unit_test(idle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
