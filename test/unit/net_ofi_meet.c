/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over libfabric: processes that meet for the first time. */
#include "world.h"
#include "net_end.h"

#include "base/fail.h"
#include "net/ofi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Frames that a connection loses: the receiver ignores them. */
static struct {
    struct fi_ops_msg ops;
    struct fi_ops_msg *real;
    int left; /* so many more are lost */
} losses;

static ssize_t send_lossy(struct fid_ep *ep, const void *bytes, size_t count, void *desc,
                          fi_addr_t to, void *context)
{
    struct proa_ofi_frame *frame = context;
    ssize_t outcome;

    if (losses.left)
        frame->head.secret[0] ^= 1;
    outcome = losses.real->send(ep, bytes, count, desc, to, context);
    losses.left -= losses.left && outcome == 0;
    return outcome;
}

static void lose_frames(struct end *end, int count)
{
    losses.left = count;
    losses.real = end->net->ep->msg;
    losses.ops = *losses.real;
    losses.ops.send = send_lossy;
    end->net->ep->msg = &losses.ops;
}

/* Two processes that meet may lose their first frames, with a connection that goes. */
static void meets_body(struct world *world)
{
    struct end end;
    uint32_t peer;

    setenv("PROA_TIMEOUT", "20", 1);
    end_open(&end);
    lose_frames(&end, 3 - world->rank);
    show(&end, card_of(world, world->rank));
    peer = reach(&end, card_of(world, 1 - world->rank));
    if (world->rank == 0)
        tell(&end, peer, "hello", 5);
    while (end.seen.messages < world->rank && !end.seen.lost)
        progress_slowly(&end);
    CHECK_EQUAL(losses.left, 0);
    CHECK_EQUAL(end.seen.messages, world->rank);
    CHECK_EQUAL(end.seen.lost, 0);
    world_barrier(world);
    transport->close(end.net, 1);
}

WORLD_TEST(meets, 2, .before = on_loopback)

/* Each connects to the other at the same moment: libfabric may close both connections. */
static void cross_body(struct world *world)
{
    enum { MEETINGS = 40 };

    for (int i = 0; i < MEETINGS; i++) {
        struct card *mine = card_of(world, 2 * (i % 2) + world->rank),
                    *its = card_of(world, 2 * (i % 2) + 1 - world->rank);
        struct end end;
        uint32_t peer;

        end_open(&end);
        mine->address = end.address;
        world_barrier(world);
        CHECK_OK(transport->reach(end.net, &its->address, &peer));
        tell(&end, peer, "hello", 5);
        await_messages(&end, 1);
        CHECK_EQUAL(end.seen.lost, 0);
        world_barrier(world);
        transport->close(end.net, 1);
    }
}

WORLD_TEST(cross, 2, .before = on_loopback)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets),
        cmocka_unit_test(cross),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
