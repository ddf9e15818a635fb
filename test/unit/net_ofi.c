/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over libfabric where the contract (net.c) does not look: sizes, processes that go
 * process, and what idleness costs. */
#include "world.h"
#include "net_end.h"

#include "base/fail.h"
#include "base/system.h"
#include "net/ofi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a peer that goes away ---- */

/* Talks to a victim until that has heard it. */
static uint32_t acquaint(struct world *world, struct end *end)
{
    uint32_t peer;

    end_open(end);
    peer = reach(end, card_of(world, 0));
    tell(end, peer, "hello", 5);
    while (__atomic_load_n(&card_of(world, 0)->steps, __ATOMIC_SEQ_CST) == 0)
        progress_slowly(end);
    return peer;
}

static void killed_body(struct world *world)
{
    pid_t pid = victim(world);
    struct end end;
    uint32_t peer = acquaint(world, &end);

    end_of(pid);
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
    int outcome;

    CHECK_OK(transport->expose(end.net, bytes, sizeof bytes, &key)); /* of ours, so: no harm */
    there.address = (uint64_t)(uintptr_t)bytes;
    suspend(pid);
    while ((outcome = transport->move(end.net, 1, &there, bytes, sizeof bytes, 0)) ==
           PROA_NET_AGAIN)
        progress(&end);
    CHECK_OK(outcome);
    await_lost(&end);
    CHECK_EQUAL(end.seen.done[0], 1);
    CHECK_EQUAL(end.seen.outcome[0], PROA_ERR_OTHER);
    CHECK_FAILS(transport->send(end.net, peer, "?", 1), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "PROA_TIMEOUT"));
    CHECK_EQUAL(card->steps, 1);
    end_of(pid);
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
    suspend(pid);
    await_lost(&end);
    CHECK_EQUAL(end.seen.how, PROA_NET_GONE);
    go_on(pid);
    while (__atomic_load_n(&card_of(world, 1)->steps, __ATOMIC_SEQ_CST) == 0)
        progress_slowly(&end);
    CHECK_EQUAL(card_of(world, 1)->steps, 1 + PROA_NET_GAVE_UP);
    CHECK_EQUAL(end.seen.lost, 1);
    end_of(pid);
    transport->close(end.net, 1);
}

WORLD_TEST(comes_back, 1, .before = impatient)

/* Stopped for less than that: nothing is lost, nothing has happened. The peer's host refuses no
 * connection, and the peer goes on after those that end at once. */
static void paused_body(struct world *world)
{
    pid_t pid = victim(world);
    struct end end;
    uint32_t peer = acquaint(world, &end);

    for (int i = 0; i < 9; i++)
        CHECK_EQUAL(proa_ofi_knock(end.net, end.net->peers[peer]), 0);
    suspend(pid);
    progress_for(&end, 500);
    tell(&end, peer, "hello", 5);
    go_on(pid);
    while (__atomic_load_n(&card_of(world, 0)->steps, __ATOMIC_SEQ_CST) < 2)
        progress_slowly(&end);
    progress_for(&end, 1500);
    CHECK_EQUAL(end.seen.lost, 0);
    end_of(pid);
    transport->close(end.net, 1);
}

WORLD_TEST(paused, 1, .before = impatient)

/* Stopped before it was ever reached: lost after PROA_TIMEOUT. */
static void unreached_body(struct world *world)
{
    pid_t pid = victim(world);
    struct end end;
    uint32_t peer;

    end_open(&end);
    peer = reach(&end, card_of(world, 0));
    suspend(pid);
    CHECK_EQUAL(try_to_send(&end, peer, "?", 1), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "PROA_TIMEOUT"));
    progress(&end);
    CHECK_EQUAL(end.seen.lost, 1);
    end_of(pid);
    transport->close(end.net, 1);
}

WORLD_TEST(unreached, 1, .before = impatient)

/* An address without a process: its host refuses the connection, and it is lost long before
 * PROA_TIMEOUT. */
static void nobody_body(struct world *world)
{
    const char *provider = getenv("PROA_PROVIDER");
    struct end gone, end;
    uint32_t peer;

    (void)world;
    if (provider && strcmp(provider, "strict") == 0)
        return; /* Proa takes it for no network of TCP, so there is no connection to refuse */
    end_open(&gone);
    transport->close(gone.net, 1);
    end_open(&end);
    CHECK_OK(transport->reach(end.net, &gone.address, &peer));
    CHECK_EQUAL(try_to_send(&end, peer, "?", 1), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "its host refuses the connection"));
    progress(&end);
    CHECK_EQUAL(end.seen.lost, 1);
    transport->close(end.net, 1);
}

WORLD_TEST(nobody, 1, .before = on_loopback)

/* Both of two ranks know each other. */
static void greet(struct world *world, struct end *end)
{
    end_open(end);
    show(end, card_of(world, world->rank));
    tell(end, reach(end, card_of(world, 1 - world->rank)), "hello", 5);
    await_messages(end, 1);
}

/* A peer that ends is gone at once, whether it closes its end or is at its own end; and tells
 * whether it ends in order. */
struct leaving {
    int parts, in_order;
};

static void leaves_body(struct world *world)
{
    const struct leaving *leaving = world->arg;
    struct end end;

    greet(world, &end);
    world_barrier(world);
    if (world->rank == 0) {
        await_lost(&end);
        CHECK_EQUAL(end.seen.how, leaving->in_order ? PROA_NET_LEFT : PROA_NET_GONE);
    }
    if (world->rank == 1 && leaving->parts) {
        transport->part(end.net, leaving->in_order);
        world_barrier(world);
        _exit(EXIT_SUCCESS); /* nothing is called any more */
    }
    transport->close(end.net, leaving->in_order);
}

static void leaves(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct leaving leaving = {i / 2, i % 2};

        world_run(&(struct world_plan){
            .size = 2, .body = leaves_body, .before = on_loopback, .arg = &leaving});
    }
}

/* ---- sizes ---- */

static const size_t sizes[] = {
    0, 1, 7, 4096, 4097, 65536, 524288, 524289, 3 * 524288 + 1, 8 << 20, 64 << 20};
/* In one go, and more than that: PROA_OFI_PIECES are in flight at once. */
static const size_t goes[] = {PROA_OFI_MOVING, PROA_OFI_MOVING + 8, 5 * PROA_OFI_MOVING / 2 + 8};
enum {
    SIZES = sizeof sizes / sizeof sizes[0],
    GOES = sizeof goes / sizeof goes[0],
    LARGEST = 64 << 20
};

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

/* Until the network has room, and is through. */
static void move(struct end *end, int put, const struct proa_net_place *there, void *here,
                 size_t bytes, uint64_t token)
{
    int outcome;

    while ((outcome = transport->move(end->net, put, there, here, bytes, token)) == PROA_NET_AGAIN)
        progress(end);
    CHECK_OK(outcome);
}

static void put_and_get(struct end *end, const struct proa_net_place *there, unsigned char *mine,
                        unsigned char *back, size_t bytes)
{
    fill(mine, bytes, bytes);
    memset(back, 0, bytes + 1);
    move(end, 1, there, mine, bytes, 0);
    await_done(end, 0);
    move(end, 0, there, back, bytes, 1);
    await_done(end, 1);
    CHECK(memcmp(mine, back, bytes) == 0);
    CHECK_EQUAL(back[bytes], 0);
    end->seen.done[0] = end->seen.done[1] = 0;
}

/* ---- completions that come together ---- */

/* A queue whose reader finds either nothing, or the completions of all that is under way: as a
 * process does that has not looked for long. */
static struct {
    struct fi_ops_cq ops;
    struct fi_ops_cq *real;
    const struct proa_ofi_peer *peer;
    struct fi_cq_msg_entry kept[PROA_OFI_PIECES * 2];
    unsigned count, own; /* own: not messages that have come */
    unsigned most;       /* pieces that have come together */
} together;

static ssize_t hand_out(struct fi_cq_msg_entry *entries, size_t room)
{
    ssize_t count = together.count;

    CHECK(together.count <= room);
    memcpy(entries, together.kept, together.count * sizeof *entries);
    together.most = together.own > together.most ? together.own : together.most;
    together.count = together.own = 0;
    return count;
}

static ssize_t read_together(struct fid_cq *queue, void *entries, size_t room)
{
    struct fi_cq_msg_entry *entry;
    ssize_t got;

    do {
        CHECK(together.count < sizeof together.kept / sizeof together.kept[0]);
        entry = &together.kept[together.count];
        got = together.real->read(queue, entry, 1);
        if (got != 1)
            break;
        together.count++;
        together.own +=
            ((const struct proa_ofi_context *)entry->op_context)->kind != PROA_OFI_RECEIVE;
    } while (got == 1);
    CHECK_EQUAL(got, -FI_EAGAIN);
    return together.count && together.own == together.peer->under_way ? hand_out(entries, room)
                                                                      : -FI_EAGAIN;
}

static void come_together(struct end *end, uint32_t peer)
{
    struct fid_cq *queue = end->net->cq;

    together.peer = end->net->peers[peer];
    together.real = queue->ops;
    together.ops = *queue->ops;
    together.ops.read = read_together;
    queue->ops = &together.ops;
}

static void put_and_get_together(struct end *end, const struct proa_net_place *there,
                                 unsigned char *mine, unsigned char *back)
{
    come_together(end, there->peer);
    for (int i = 0; i < GOES; i++)
        put_and_get(end, there, mine, back, goes[i]);
    CHECK_EQUAL(together.most, PROA_OFI_PIECES);
    end->net->cq->ops = together.real;
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
        for (int i = 0; i < SIZES; i++)
            put_and_get(&end, &there, mine, back, sizes[i]);
        put_and_get_together(&end, &there, mine, back);
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
    CHECK_OK(transport->expose(end.net, bytes, 100, &two)); /* other memory, for all we know */
    CHECK(memcmp(&one, &two, sizeof one) != 0);
    transport->hide(end.net, &two);
    transport->close(end.net, 1);
}

WORLD_TEST(holders, 1, .before = on_loopback)

/* Handlers of signals are the program's, for all libraries that libfabric loads. */
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

/* ---- the name of a machine whose /proc is hidden (linked with --wrap) ---- */

static char hidden_name[HOST_NAME_MAX + 1]; /* "": nothing is hidden */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode;

    va_start(rest, flags);
    mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (hidden_name[0] && strncmp(path, "/proc/", 6) == 0) {
        errno = EACCES;
        return -1;
    }
    return __real_open(path, flags, mode);
}

int __real_gethostname(char *name, size_t room);
int __wrap_gethostname(char *name, size_t room);
int __wrap_gethostname(char *name, size_t room)
{
    if (!hidden_name[0])
        return __real_gethostname(name, room);
    memcpy(name, hidden_name, room < sizeof hidden_name ? room : sizeof hidden_name);
    return room < sizeof hidden_name ? -1 : 0;
}

/* Names of the most bytes, which differ in the last one. */
static void long_names_body(struct world *world)
{
    struct proa_offers offers;
    struct proa_offer_names names;

    memset(hidden_name, 'n', sizeof hidden_name - 1);
    hidden_name[sizeof hidden_name - 2] = (char)('0' + world->rank);
    CHECK_OK(transport->offers(&offers, &names));
    card_of(world, world->rank)->memory = offers.machine;
    world_barrier(world);
    CHECK(card_of(world, 0)->memory != card_of(world, 1)->memory);
}

WORLD_TEST(long_names, 2, .before = on_loopback)

/* ---- a full queue, and an empty one ---- */

/* A greeting without room for its answer is answered once there is room, without another one. */
static void answers_later_body(struct world *world)
{
    struct end end;
    uint32_t peer;

    end_open(&end);
    __atomic_store_n(&end.net->next_tick, LONG_MAX, __ATOMIC_SEQ_CST); /* no ping */
    show(&end, card_of(world, world->rank));
    peer = reach(&end, card_of(world, 1 - world->rank));
    if (world->rank == 0) {
        while (!end.net->peers[peer]->met) {
            CHECK_EQUAL(transport->try(end.net, peer), PROA_NET_AGAIN);
            progress_slowly(&end);
        }
        for (int i = 0; i < 20000 && !end.net->peers[peer]->answered; i++)
            progress_slowly(&end);
        CHECK_OK(transport->try(end.net, peer));
    } else {
        struct proa_ofi_frame *all = end.net->free_sends;

        end.net->free_sends = NULL;
        while (!end.net->asking)
            progress_slowly(&end);
        end.net->free_sends = all;
        for (int i = 0; i < 20000 && end.net->asking; i++)
            progress_slowly(&end);
        CHECK_EQUAL(end.net->asking, 0);
    }
    world_barrier(world);
    transport->close(end.net, 1);
}

WORLD_TEST(answers_later, 2, .before = on_loopback)

/* ---- a process that is stopped ---- */

static long stopped_ns; /* for which this process has not run */

static const struct proa_system *real_system;
static struct proa_system stopped_system;

/* The clock of this process from now on. */
static void take_clock(long (*now_ns)(void))
{
    real_system = proa_system;
    stopped_system = *real_system;
    stopped_system.now_ns = now_ns;
    proa_system = &stopped_system;
}

static long resumed_now(void)
{
    return real_system->now_ns() + stopped_ns;
}

/* A refusal before a stop and one after it are no seconds of refusals. */
static void resumed_body(struct world *world)
{
    pid_t pid = victim(world);
    struct end end;
    uint32_t peer = acquaint(world, &end);
    struct proa_ofi_frame *all;

    while (end.net->under_way)
        progress_slowly(&end);
    all = end.net->free_sends;
    end.net->free_sends = NULL; /* so that pings are refused, too */
    end.net->peers[peer]->refused = end.net->now;
    take_clock(resumed_now);
    stopped_ns = 4500000000L;
    for (int turn = 0; turn < 100; turn++)
        progress(&end);
    end.net->free_sends = all;
    end_of(pid);
    CHECK_EQUAL(end.seen.lost, 0);
    transport->close(end.net, 1);
}

WORLD_TEST(resumed, 1, .before = on_loopback)

static struct {
    struct proa_net *net;
    struct proa_ofi_frame *all;
    int looks; /* at the clock, until the network has room */
} crowded;

static long crowded_now(void)
{
    stopped_ns += 1000000000L;
    if (--crowded.looks == 0)
        crowded.net->free_sends = crowded.all;
    return resumed_now();
}

/* One that is stopped while it leaves, before the network has room for its farewell, still says
 * it. */
static void leaves_late_body(struct world *world)
{
    struct end end;

    greet(world, &end);
    while (end.net->under_way)
        progress_slowly(&end);
    world_barrier(world);
    if (world->rank == 0) {
        await_lost(&end);
        CHECK_EQUAL(end.seen.how, PROA_NET_LEFT);
    } else {
        crowded.net = end.net;
        crowded.all = end.net->free_sends;
        crowded.looks = 20;
        end.net->free_sends = NULL;
        take_clock(crowded_now);
    }
    transport->close(end.net, 1);
}

WORLD_TEST(leaves_late, 2, .before = on_loopback)

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
 * less than 15 ms each, with the signs of life that they ask of each other. Without a descriptor to
 * sleep at they look each millisecond. */
static void idle_body(struct world *world)
{
    struct end end;
    double before, most;

    end_open(&end);
    most = end.net->queue_fd < 0 ? 100 : 15;
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
    if (before > most)
        world_failed(__FILE__, __LINE__, "idle for 2 s took %.1f ms of a processor", before);
    world_barrier(world);
    transport->close(end.net, 1);
}

WORLD_TEST(idle, 3, .before = on_loopback)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed),     cmocka_unit_test(stopped),
        cmocka_unit_test(comes_back), cmocka_unit_test(paused),
        cmocka_unit_test(nobody),     cmocka_unit_test(unreached),
        cmocka_unit_test(leaves),     cmocka_unit_test(large_and_small),
        cmocka_unit_test(holders),    cmocka_unit_test(signals),
        cmocka_unit_test(long_names), cmocka_unit_test(full),
        cmocka_unit_test(idle),       cmocka_unit_test(answers_later),
        cmocka_unit_test(resumed),    cmocka_unit_test(leaves_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
