/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transport over a network that demands its rules and promises no more (test/strict): a sample
 * of messages, puts and gets, for each profile. The provider ends the process at a violation. Its
 * environment says which profile, and which of its rules are changed.
 */
#include "world.h"
#include "net_end.h"

#include "base/fail.h"
#include "base/system.h"
#include "net/ofi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 40, MEMORY = 3 << 20 };

static const size_t sizes[] = {1, 4096, 20000, PROA_OFI_PIECE, PROA_OFI_PIECE + 1, MEMORY};

/* ---- a sample ---- */

/* Messages carry their numbers: they come once each, in order. */
static struct {
    struct seen seen; /* what the other events note */
    uint32_t next;
} heard;

static void on_numbered(void *context, uint32_t peer, const void *body, size_t bytes)
{
    uint32_t number;

    (void)context;
    (void)peer;
    CHECK(bytes >= sizeof number);
    memcpy(&number, body, sizeof number);
    CHECK_EQUAL(number, heard.next);
    heard.next++;
}

static const struct proa_net_events numbered = {on_numbered, on_done, on_lost};

static void step(struct proa_net *net)
{
    CHECK(transport->progress(net) >= 0);
}

static void say(struct proa_net *net, uint32_t peer, uint32_t number, size_t bytes)
{
    static unsigned char body[PROA_NET_MESSAGE_MOST];
    int outcome;

    memcpy(body, &number, sizeof number);
    while ((outcome = transport->send(net, peer, body, bytes)) == PROA_NET_AGAIN)
        step(net);
    CHECK_OK(outcome);
}

static void move(struct proa_net *net, int put, const struct proa_net_place *there, void *here,
                 size_t bytes)
{
    int outcome;

    heard.seen.done[put] = 0;
    while ((outcome = transport->move(net, put, there, here, bytes, (uint64_t)put)) ==
           PROA_NET_AGAIN)
        step(net);
    CHECK_OK(outcome);
    while (!heard.seen.done[put])
        step(net);
    CHECK_OK(heard.seen.outcome[put]);
}

/* What a put says to be there is there: the other process, told by a message, sees its last byte
 * and gets no second look. */
static void check_visible(const unsigned char *memory, uint32_t round)
{
    size_t bytes = sizes[round % (sizeof sizes / sizeof *sizes)];

    CHECK_EQUAL(memory[0], (unsigned char)(round + 1));
    CHECK_EQUAL(memory[bytes - 1], (unsigned char)(round + 1));
}

static void origin(struct proa_net *net, const struct proa_net_place *there, unsigned char *mine)
{
    unsigned char *back = malloc(MEMORY);

    CHECK(back);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        size_t bytes = sizes[round % (sizeof sizes / sizeof *sizes)];

        memset(mine, (int)round + 1, bytes);
        move(net, 1, there, mine, bytes);
        for (uint32_t i = 0; i < 8; i++)
            say(net, there->peer, 8 * round + i, i ? 4 + 100 * i : PROA_NET_MESSAGE_MOST);
        while (heard.next <= round)
            step(net);
        move(net, 0, there, back, bytes);
        CHECK(memcmp(mine, back, bytes) == 0);
    }
    say(net, there->peer, 8 * ROUNDS, 4);
    while (heard.next <= ROUNDS) /* the target gets */
        step(net);
    free(back);
}

/* Memory that was the buffer of puts is still exposed. */
static void look_back(struct proa_net *net, const struct proa_net_place *there)
{
    unsigned char back[4096];

    move(net, 0, there, back, sizeof back);
    CHECK_EQUAL(back[0], ROUNDS);
    CHECK_EQUAL(back[sizeof back - 1], ROUNDS);
}

static void target(struct proa_net *net, const struct proa_net_place *there,
                   const unsigned char *memory)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        while (heard.next < 8 * round + 1)
            step(net);
        check_visible(memory, round);
        while (heard.next < 8 * (round + 1))
            step(net);
        say(net, there->peer, round, 4);
    }
    while (heard.next <= 8 * ROUNDS)
        step(net);
    look_back(net, there);
    say(net, there->peer, ROUNDS, 4);
}

static int open_net(struct proa_net **net, struct card *card)
{
    int outcome = transport->open(&numbered, &heard.seen, NULL, net, &card->address);

    if (outcome)
        fprintf(stderr, "%s\n", proa_failure());
    return outcome;
}

static void sample_body(struct world *world)
{
    struct card *mine = card_of(world, world->rank), *other = card_of(world, 1 - world->rank);
    unsigned char *memory = malloc(MEMORY);
    struct proa_net *net;
    struct proa_net_place there = {.key = &other->key};

    CHECK(memory);
    memset(memory, 0, MEMORY);
    CHECK_OK(open_net(&net, mine));
    CHECK_OK(transport->expose(net, memory, MEMORY, &mine->key));
    mine->memory = (uint64_t)(uintptr_t)memory;
    world_barrier(world);
    CHECK_OK(transport->reach(net, &other->address, &there.peer));
    there.address = other->memory;
    if (world->rank == 0)
        origin(net, &there, memory);
    else
        target(net, &there, memory);
    world_barrier(world);
    if (world->rank == 0) {
        transport->hide(net, &mine->key);
        CHECK(!net->exposures); /* nor are buffers of puts from there held any more */
    }
    while (world->rank == 1 && !heard.seen.lost)
        step(net);
    if (world->rank == 1)
        CHECK_EQUAL(heard.seen.how, PROA_NET_LEFT);
    transport->close(net, 1); /* rank 1: what it exposes ends before the endpoint */
    free(memory);
}

WORLD_TEST(sample, 2, .before = on_loopback)

/* ---- what registration costs ---- */

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* The best of some: memory exposed and hidden again. */
static double cost_of_exposure(struct proa_net *net, void *memory, size_t bytes)
{
    double best = 1e9;

    for (int i = 0; i < 20; i++) {
        struct proa_net_key key;
        double start = now_us();

        CHECK_OK(transport->expose(net, memory, bytes, &key));
        transport->hide(net, &key);
        best = now_us() - start < best ? now_us() - start : best;
    }
    return best;
}

/* The best of some: a put to ourselves. */
static double cost_of_put(struct proa_net *net, const struct proa_net_place *there, void *here,
                          size_t bytes)
{
    double best = 1e9;

    for (int i = 0; i < 50; i++) {
        double start = now_us();

        move(net, 1, there, here, bytes);
        best = now_us() - start < best ? now_us() - start : best;
    }
    return best;
}

static void cost_body(struct world *world)
{
    static const size_t kib[] = {64, 1024, 64 << 10};
    unsigned char *memory = calloc(1, 64 << 20), *other = calloc(1, MEMORY);
    struct proa_net *net;
    struct proa_net_key key;
    struct proa_net_place there = {.key = &key, .address = (uint64_t)(uintptr_t)memory};

    CHECK(memory && other);
    CHECK_OK(open_net(&net, card_of(world, 0)));
    for (size_t i = 0; i < sizeof kib / sizeof *kib; i++)
        printf("exposed and hidden, %6zu KiB: %8.1f us\n", kib[i],
               cost_of_exposure(net, memory, kib[i] << 10));
    CHECK_OK(transport->reach(net, &card_of(world, 0)->address, &there.peer));
    CHECK_OK(transport->expose(net, memory, 64 << 20, &key));
    for (size_t bytes = 64 << 10; bytes <= 1 << 20; bytes <<= 4)
        printf("put of %4zu KiB: %8.1f us from a window, %8.1f us from other memory\n", bytes >> 10,
               cost_of_put(net, &there, memory + (32 << 20), bytes),
               cost_of_put(net, &there, other, bytes));
    fflush(stdout);
    transport->hide(net, &key);
    transport->close(net, 1);
    free(memory);
    free(other);
}

WORLD_TEST(cost, 1, .before = on_loopback)

/* ---- warnings ---- */

/* Between begin_log and end_log, lines on stderr are kept. */
static struct {
    int ends[2], kept;
    char text[2048];
} said;

static void begin_log(void)
{
    said.kept = dup(2);
    CHECK_OK(pipe(said.ends));
    dup2(said.ends[1], 2);
}

static void end_log(void)
{
    dup2(said.kept, 2);
    close(said.ends[1]);
    CHECK(read(said.ends[0], said.text, sizeof said.text - 1) >= 0);
}

static void untouched_body(struct world *world)
{
    const size_t bytes = (size_t)1 << 30;
    char *memory;
    struct proa_net *net;
    struct proa_net_key key;

    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    CHECK(memory != MAP_FAILED);
    CHECK_OK(open_net(&net, card_of(world, 0)));
    begin_log();
    CHECK_OK(transport->expose(net, memory, bytes, &key));
    end_log();
    CHECK(strstr(said.text, "pins the 1024 MiB of a window, of which 0 percent"));
    transport->hide(net, &key);
    transport->close(net, 1);
    munmap(memory, bytes);
}

WORLD_TEST(untouched, 1, .before = on_loopback)

/* STRICT_MEMLOCK: ulimit -l, in bytes. */
static void limited(struct world *world)
{
    const char *bytes = getenv("STRICT_MEMLOCK");
    rlim_t most = bytes ? strtoul(bytes, NULL, 10) : 0;

    on_loopback(world);
    if (bytes)
        setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){most, most});
}

/* The test runs only with the variable. */
static const char *words_of(const char *variable)
{
    const char *words = getenv(variable);

    CHECK(words);
    return words ? words : "";
}

/* STRICT_SAYS: words of a line at opening, for a promise that the network lacks, and for what is
 * done instead. */
static void told_body(struct world *world)
{
    struct proa_net *net;

    begin_log();
    CHECK_OK(open_net(&net, card_of(world, 0)));
    end_log();
    if (!strstr(said.text, words_of("STRICT_SAYS")))
        fprintf(stderr, "it said: %s", said.text);
    CHECK(strstr(said.text, words_of("STRICT_SAYS")));
    transport->close(net, 1);
}

WORLD_TEST(told, 1, .before = on_loopback)

/* Buffers that are too large for the limit are copied piece by piece. */
static void copied_body(struct world *world)
{
    unsigned char *memory = calloc(1, MEMORY), *from = malloc(MEMORY), *to = calloc(1, MEMORY);
    struct proa_net *net;
    struct proa_net_key key;
    struct proa_net_place there = {.key = &key, .address = (uint64_t)(uintptr_t)memory};

    CHECK(memory && from && to);
    for (size_t i = 0; i < MEMORY; i++)
        from[i] = (unsigned char)(i * 2654435761u >> 16);
    CHECK_OK(open_net(&net, card_of(world, 0)));
    CHECK_OK(transport->reach(net, &card_of(world, 0)->address, &there.peer));
    CHECK_OK(transport->expose(net, memory, MEMORY, &key));
    begin_log();
    move(net, 1, &there, from, MEMORY - 1);
    move(net, 0, &there, to, MEMORY - 1);
    end_log();
    CHECK(memcmp(from, memory, MEMORY - 1) == 0 && memcmp(from, to, MEMORY - 1) == 0);
    CHECK(memory[MEMORY - 1] == 0 && to[MEMORY - 1] == 0);
    CHECK(strstr(said.text, "`ulimit -l` allows 8388608 bytes: a put or get is copied in small"));
    transport->hide(net, &key);
    transport->close(net, 1);
    free(memory);
    free(from);
    free(to);
}

WORLD_TEST(copied, 1, .before = limited)

/* ---- a full queue ---- */

enum { QUEUE = 8 /* of the test's rules */ };

static const struct proa_system *real_system;
static struct proa_system skewed_system;
static long ahead_ns;

static long skewed_now(void)
{
    return real_system->now_ns() + ahead_ns;
}

static void skew_clock(void)
{
    real_system = proa_system;
    skewed_system = *real_system;
    skewed_system.now_ns = skewed_now;
    proa_system = &skewed_system;
}

/* The queue is full of gets from a process that makes no progress. */
static void fill_queue(struct end *end, uint32_t peer, const struct card *card)
{
    static unsigned char back[QUEUE];
    const struct proa_net_place there = {peer, card->memory, &card->key};

    for (uint64_t i = 0; i < QUEUE; i++)
        CHECK_OK(transport->move(end->net, 0, &there, &back[i], 1, i));
}

/* Another process takes part all the while: its messages are refused, and it is not lost. */
static void full_origin(struct world *world, struct end *end)
{
    uint32_t stuck = reach(end, card_of(world, 1)), other = reach(end, card_of(world, 2));

    tell(end, stuck, "hello", 5);
    tell(end, other, "hello", 5);
    while (end->net->under_way)
        progress(end);
    world_await(&card_of(world, 1)->steps, 1); /* from now on it makes no progress */
    fill_queue(end, stuck, card_of(world, 1));
    skew_clock();
    for (int tenth = 0; tenth < 60; tenth++) {
        CHECK_EQUAL(transport->send(end->net, other, "more", 4), PROA_NET_AGAIN);
        ahead_ns += 100000000;
        for (int turn = 0; turn < 40; turn++)
            progress(end);
    }
    CHECK_EQUAL(end->seen.lost, 0);
    __atomic_store_n(&card_of(world, 0)->steps, 1, __ATOMIC_SEQ_CST);
    tell(end, other, "more", 4);
    tell(end, stuck, "more", 4);
    while (end->net->under_way)
        progress(end);
}

static void full_body(struct world *world)
{
    static unsigned char memory[64];
    struct card *card = card_of(world, world->rank);
    struct end end;

    end_open(&end);
    if (world->rank == 0) {
        full_origin(world, &end);
    } else {
        CHECK_OK(transport->expose(end.net, memory, sizeof memory, &card->key));
        card->memory = (uint64_t)(uintptr_t)memory;
        show(&end, card);
        await_messages(&end, 1);
        if (world->rank == 1) {
            __atomic_store_n(&card->steps, 1, __ATOMIC_SEQ_CST);
            world_await(&card_of(world, 0)->steps, 1);
        }
        await_messages(&end, 2);
    }
    world_barrier(world);
    transport->close(end.net, 1);
}

WORLD_TEST(full, 3, .before = on_loopback)

/* ---- a send that fails ---- */

/* The network reports that a send to rank 1 has failed: that process is lost, and only that one. */
static void failed_body(struct world *world)
{
    struct end end;

    end_open(&end);
    if (world->rank == 0) {
        uint32_t lost = reach(&end, card_of(world, 1)), other = reach(&end, card_of(world, 2));

        for (int i = 0; i < 20000 && !end.seen.lost; i++) {
            (void)try_to_send(&end, lost, "hello", 5);
            progress_slowly(&end);
        }
        CHECK_EQUAL(end.seen.lost, 1);
        CHECK_EQUAL(end.net->peers[lost]->state, PROA_OFI_LOST);
        CHECK(strstr(end.net->peers[lost]->why, "a message to it failed"));
        tell(&end, other, "hello", 5);
        while (end.net->under_way)
            progress(&end);
    } else {
        show(&end, card_of(world, world->rank));
        if (world->rank == 2)
            await_messages(&end, 1);
    }
    world_barrier(world);
    transport->close(end.net, 1);
}

WORLD_TEST(failed, 3, .before = on_loopback)

/* ---- networks that are offered ---- */

/* Each device of the node has room in the list. */
static void on_six(struct world *world)
{
    (void)world;
    setenv("PROA_INTERFACE", "lo,lo.1,lo.2,lo.3,lo.4,lo.5", 1);
}

static void offers_body(struct world *world)
{
    struct proa_offers offers = {0};
    struct proa_offer_names names;

    (void)world;
    CHECK_OK(transport->offers(&offers, &names));
    CHECK_EQUAL(offers.count, 6);
}

WORLD_TEST(offers, 1, .before = on_six)

/* ---- networks that cannot be used ---- */

/* STRICT_EXPECT: words of the sentence with which the network is refused. */
static void refused_body(struct world *world)
{
    struct proa_net *net;

    CHECK(open_net(&net, card_of(world, 0)) < 0);
    CHECK(strstr(proa_failure(), words_of("STRICT_EXPECT")));
}

WORLD_TEST(refused, 1, .before = limited)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sample)};
    const struct {
        const char *variable;
        struct CMUnitTest test;
    } others[] = {{"STRICT_EXPECT", cmocka_unit_test(refused)},
                  {"STRICT_SAYS", cmocka_unit_test(told)},
                  {"STRICT_UNTOUCHED", cmocka_unit_test(untouched)},
                  {"STRICT_COPIED", cmocka_unit_test(copied)},
                  {"STRICT_FULL", cmocka_unit_test(full)},
                  {"STRICT_FAILED", cmocka_unit_test(failed)},
                  {"STRICT_OFFERS", cmocka_unit_test(offers)},
                  {"STRICT_COST", cmocka_unit_test(cost)}}; /* only by hand */

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (getenv(others[i].variable)) {
            const struct CMUnitTest one[] = {others[i].test};

            return cmocka_run_group_tests(one, NULL, NULL);
        }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
