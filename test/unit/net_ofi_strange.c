/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over libfabric: strangers at its port, and peers that send nonsense. */
#include "world.h"
#include "net_end.h"

#include "base/fail.h"
#include "net/ofi.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- strangers and nonsense ---- */

/* Sends the bytes as they are, by the other's endpoint. */
static void send_raw(struct end *end, uint32_t peer, const void *bytes, size_t count)
{
    static char kept[2 * PROA_FRAME_MOST];
    static struct fid_mr *known; /* where the network has to know it */
    static struct proa_ofi_frame *frame;
    struct proa_ofi_peer *to = end->net->peers[peer];

    CHECK(count <= sizeof kept);
    memcpy(kept, bytes, count);
    if (end->net->memory_mode & FI_MR_LOCAL)
        CHECK_OK(proa_ofi_memory_know(end->net, kept, sizeof kept, &known));
    frame = proa_ofi_frame_take(end->net);
    CHECK(frame);
    frame->peer = to;
    while (fi_send(end->net->ep, kept, count, known ? fi_mr_desc(known) : NULL, to->at, frame) ==
           -FI_EAGAIN)
        progress(end);
    proa_ofi_peer_begun(end->net, to);
    while (to->under_way && to->state == PROA_OFI_THERE)
        progress(end);
    while (to->under_way) /* the peer is lost: the buffer is not ours until then */
        progress(end);
    if (known)
        fi_close(&known->fid);
    known = NULL;
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

/* Messages of all lengths by a process that does not know the secret: the victim, which is of rank
 * 0, hears none, and goes on talking to rank 1. */
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
    for (int i = 0; i < 10; i++) {
        proa_frame_write(&head, i % 2 ? PROA_FRAME_MESSAGE : PROA_FRAME_GREETING,
                         end.net->peers[peer]->secret, end.net->own.id, i % 2, 0);
        send_raw(&end, peer, &head, sizeof head);
    }
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

/* Mistakes of a process of the job: each ends it for the other, which loses no other peer. */
static void repeated(struct end *end, uint32_t peer)
{
    end->net->peers[peer]->sent--;
    tell(end, peer, "again", 5);
}

/* Without an order of messages it would wait for its turn. */
static void wrong_number(struct end *end, uint32_t peer)
{
    if (!end->net->is_ordered) {
        repeated(end, peer);
        return;
    }
    end->net->peers[peer]->sent++;
    tell(end, peer, "too early", 9);
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

static void greets_in_order(struct end *end, uint32_t peer)
{
    as_it_is(end, peer, PROA_FRAME_VERSION, PROA_FRAME_GREETING, 2, PROA_NET_ADDRESS_MOST,
             PROA_NET_ADDRESS_MOST);
}

static void out_of_order(struct end *end, uint32_t peer)
{
    as_it_is(end, peer, PROA_FRAME_VERSION, PROA_FRAME_MESSAGE, 0, 10, 10);
}

typedef void nonsense(struct end *end, uint32_t peer);

static nonsense *const all_wrong[] = {wrong_number,  repeated, cut_short,       too_long,
                                      other_version, no_kind,  greets_in_order, out_of_order};
enum { WRONGS = sizeof all_wrong / sizeof all_wrong[0] };

/* Until rank 0 has come so far. */
static void await_step(struct world *world, struct end *end, uint32_t step)
{
    while (__atomic_load_n(&card_of(world, 3)->steps, __ATOMIC_SEQ_CST) < step)
        progress(end);
}

/* Until rank 0 has heard so many messages: nonsense may overtake those before it. */
static void await_heard(struct world *world, struct end *end, uint32_t messages)
{
    while (__atomic_load_n(&card_of(world, 0)->steps, __ATOMIC_SEQ_CST) < messages)
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
        await_heard(world, &end, i + 2); /* and that of rank 2 */
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
            while (end.seen.lost == i) {
                progress(&end);
                __atomic_store_n(&card_of(world, 0)->steps, (uint32_t)end.seen.messages,
                                 __ATOMIC_SEQ_CST);
            }
            __atomic_store_n(&card_of(world, 3)->steps, (uint32_t)i + 1, __ATOMIC_SEQ_CST);
        }
        await_messages(&end, WRONGS + 2);
        CHECK_EQUAL(end.seen.lost, WRONGS);
        __atomic_store_n(&card_of(world, 3)->steps, WRONGS + 1, __ATOMIC_SEQ_CST);
    }
    transport->close(end.net, 1);
}

WORLD_TEST(wrong, 3, .before = on_loopback)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strange),
        cmocka_unit_test(wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
