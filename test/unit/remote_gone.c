/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes on other nodes that are gone (sync/peer_failure.c): on the pretended network, which
 * loses them when it is told. */
#include "nodes.h"

#include "base/fail.h"
#include "sync/peer_failure.h"
#include "remote/origin.h"
#include "remote/request.h"
#include "remote/window.h"
#include "remote/wire.h"
#include "trace/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The last process does nothing any more, and the first hears that it is gone. */
static void loses(struct world *world)
{
    if (world->rank == 0) {
        proa_progress_enter();
        net_fake_lose(NULL, (uint32_t)world->size - 1);
        proa_progress_leave();
    }
}

static void lost_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int last = world->size - 1, all[WORLD_MOST];
    int64_t value;

    for (int i = 0; i < last; i++)
        all[i] = i;
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    world_barrier(world);
    loses(world);
    if (world->rank < last) {
        CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "rank 3 is gone"));
        CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
        CHECK_FAILS(proa_barrier_last(win), PROA_ERR_OTHER);
    }
    /* what the others do among themselves goes on */
    if (world->rank < last) {
        CHECK_OK(proa_win_post(win, all, last, 0));
        CHECK_OK(proa_win_start(win, all, last, 0));
        for (int i = 0; i < last; i++)
            CHECK_OK(put_word(win, i, world->rank, 42));
        CHECK_OK(proa_win_complete(win));
        CHECK_OK(proa_win_wait(win));
    }
    if (world->rank == 0) { /* on the other node */
        CHECK_OK(proa_win_lock(win, last, 1, 0));
        CHECK_OK(put_word(win, last, 0, 1));
        CHECK_FAILS(proa_win_flush(win, last), PROA_ERR_OTHER);
        CHECK_FAILS(proa_win_unlock(win, last), PROA_ERR_OTHER);
        CHECK_OK(proa_win_lock(win, 1, 0, 0));
        CHECK_OK(get_word(win, 1, 0, &value));
        CHECK_OK(proa_win_unlock(win, 1));
        CHECK_EQUAL(value, 42);
        CHECK_OK(proa_win_post(win, &last, 1, 0));
        CHECK_FAILS(proa_win_wait(win), PROA_ERR_OTHER);
        CHECK_OK(proa_win_start(win, &last, 1, 0));
        CHECK_FAILS(put_word(win, last, 0, 1), PROA_ERR_OTHER);
    }
    world_barrier(world);
}
WORLD_TEST(lost, 4, .before = on_nodes, .limit_s = 20)

/* A process that ends in order, while others are in the last barrier of a window that it has freed,
 * is not missed. */
static void left_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    if (world->rank == 0) {
        proa_progress_enter();
        net_fake_leave(1);
        proa_progress_step();
        proa_progress_step();
        CHECK(!proa_is_failed(win, 1));
        CHECK_EQUAL(win->lost, 0);
        proa_progress_leave();
    }
    world_barrier(world);
}
WORLD_TEST(left, 2, .before = on_nodes, .limit_s = 20)

/* The only process of another node is gone. One that has heard of it can tell it only to the
 * neighbours, which wait for it as well. */
static void lost_alone_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    CHECK_OK(proa_win_fence(win, 0));
    world_barrier(world);
    if (world->rank == 2) {
        proa_progress_enter();
        net_fake_lose(NULL, 1);
        proa_progress_leave();
    }
    if (world->rank != 1) {
        CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "rank 1 is gone"));
    }
    world_barrier(world);
}
WORLD_TEST(lost_alone, 3, .before = on_nodes, .limit_s = 20)

/* ---- a trace of what is told ---- */

static const char *trace_folder(char *path, const struct world *world)
{
    const char *folder = getenv("TMPDIR");

    sprintf(path, "%.200s/proa-told.%d.%d", folder ? folder : "/tmp", (int)getppid(), world->rank);
    return path;
}

static void begin_trace(const struct world *world, struct proa_win *win)
{
    const struct proa_trace_process process = {world->rank, world->size, 1, 1, "0"};
    char path[300];

    CHECK_OK(proa_trace_open(trace_folder(path, world), &process));
    win->traced = 1;
}

/* How many news of losses it has of that kind (PROA_TRACE_SENT, PROA_TRACE_RECEIVED). */
static long losses_traced(const struct world *world, enum proa_trace_kind kind)
{
    struct proa_trace_record record;
    char path[300];
    FILE *file;
    long count = 0;

    trace_folder(path, world);
    sprintf(path + strlen(path), "/%d.trace", world->rank);
    file = fopen(path, "rb");
    CHECK(file != NULL);
    fseek(file, PROA_TRACE_HEAD_BYTES, SEEK_SET);
    while (fread(&record, sizeof record, 1, file) == 1)
        count += record.kind == kind && record.way == PROA_WIRE_LOST && record.window == 1;
    fclose(file);
    return count;
}

static void end_trace(const struct world *world)
{
    char path[300];

    trace_folder(path, world);
    sprintf(path + strlen(path), "/%d.trace", world->rank);
    unlink(path);
    rmdir(trace_folder(path, world));
}

/* Two processes are lost at once, the leader of a node among them, and only rank 3 notices. All
 * others hear of both, past the lost ones, and none tells more than a few. Traces have these news.
 */
static void told_on_body(struct world *world)
{
    enum { LOST = 0, ALSO = 4, NOTICES = 3, EACH = 2 * 3 };
    struct proa_win *win = begin(world, NULL);
    long sent, traced;

    begin_trace(world, win);

    CHECK_OK(proa_win_fence(win, 0));
    world_barrier(world);
    sent = net_fake_counts().sent;
    if (world->rank == NOTICES) {
        proa_progress_enter();
        net_fake_lose(NULL, LOST);
        net_fake_lose(NULL, ALSO);
        proa_progress_step();
        proa_progress_leave();
    }
    while (world->rank % ALSO && !(proa_is_failed(win, LOST) && proa_is_failed(win, ALSO)))
        world_sleep_us(100);
    CHECK(net_fake_counts().sent - sent <= 2 * EACH);
    world_barrier(world);
    traced = losses_traced(world, PROA_TRACE_SENT);
    CHECK(traced <= 2 * EACH && (traced > 0) >= (world->rank == NOTICES));
    proa_atomic_fetch_add((long *)(void *)world->shared, losses_traced(world, PROA_TRACE_RECEIVED),
                          PROA_RELAXED);
    end_trace(world);
    world_barrier(world);
    CHECK(*(long *)(void *)world->shared >= 2);
}
WORLD_TEST(told_on, 8, .before = on_nodes, .limit_s = 20)

/* A lock that it held is given back, and one that it waits for when it comes to be its own. */
static void lost_holder_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    uint32_t *step = (uint32_t *)(void *)world->shared;

    if (world->rank == 1) {
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK_OK(put_word(win, 0, 0, 7));
        CHECK_OK(flushed(proa_win_flush(win, 0)));
        __atomic_store_n(step, 1, __ATOMIC_RELEASE);
    } else if (world->rank == 0) {
        world_await(step, 1);
        proa_progress_enter();
        net_fake_lose(NULL, 1);
        proa_progress_leave();
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK_EQUAL(window_words(win)[0], 7);
        CHECK_OK(proa_win_unlock(win, 0));
    }
    world_barrier(world);
}
WORLD_TEST(lost_holder, 2, .before = on_nodes, .limit_s = 20)

/* Two processes of the other node have asked for a lock, which they do not have yet: rank 1 for an
 * exclusive one, rank 3 for a shared one. They are lost. A neighbour of the target and another
 * process of the other node have the lock afterwards, and no operation of the lost ones is done. */
static void asker(struct proa_win *win, int exclusive)
{
    static struct proa_request request;
    int64_t got;

    CHECK_OK(proa_win_lock(win, 0, exclusive, 0));
    CHECK_OK(put_word(win, 0, 0, 13));
    proa_request_begin(&request, win);
    CHECK_OK(get_word(win, 0, 0, &got)); /* sends the batch, with the request for the lock */
    CHECK(!proa_request_is_issued(&request));
    proa_request_let_go(&request);
}

static void lost_askers_target(struct world *world, struct proa_win *win, uint32_t *step)
{
    CHECK_OK(proa_win_lock(win, 0, 1, 0));
    world_barrier(world); /* they ask */
    world_await(&win->ctl->lock.tickets, 2);
    proa_progress_enter();
    net_fake_lose(NULL, 1);
    net_fake_lose(NULL, 3);
    proa_progress_leave();
    while (!proa_is_failed(win, 1) || !proa_is_failed(win, 3))
        world_sleep_us(100);
    CHECK_OK(proa_win_unlock(win, 0));
    __atomic_store_n(step, 1, __ATOMIC_RELEASE);
}

static void lost_askers_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    uint32_t *step = (uint32_t *)(void *)world->shared;

    if (world->rank == 0) {
        lost_askers_target(world, win, step);
    } else {
        world_barrier(world);
        if (world->rank % 2 && world->rank < 5)
            asker(win, world->rank == 1);
    }
    if (world->rank == 2 || world->rank == 5) {
        world_await(step, 1);
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK_OK(put_word(win, 0, world->rank, 42));
        CHECK_OK(proa_win_unlock(win, 0));
    }
    world_barrier(world);
    if (world->rank == 0) {
        CHECK_EQUAL(window_words(win)[0], 0);
        CHECK_EQUAL(window_words(win)[2], 42);
        CHECK_EQUAL(window_words(win)[5], 42);
    }
    world_barrier(world);
}
WORLD_TEST(lost_askers, 6, .before = on_nodes, .limit_s = 5)

/* Between the transport's giving up a process and its `lost` event, which is held here, the error
 * of each way to the target names the rank, and not an address. */
static void given_up_body(struct world *world)
{
    static int64_t words[WORDS / 2]; /* for the transport's put, and not for a message */
    struct proa_win *win = begin(world, NULL);

    if (world->rank == 0) {
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        CHECK_OK(put_word(win, 1, 0, 7));
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        CHECK_OK(put_word(win, 1, 0, 8));
        proa_progress_enter();
        net_fake_hold(1);
        net_fake_lose(NULL, 1);
        proa_progress_leave();
        CHECK_FAILS(proa_win_flush(win, 1), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "the process of rank 1 is gone"));
        CHECK_FAILS(put_many(win, 1, 0, words, WORDS / 2, PROA_I64), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "the process of rank 1 is gone"));
        net_fake_hold(0);
        CHECK_FAILS(proa_win_unlock(win, 1), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "the process of rank 1 is gone"));
    }
    world_barrier(world);
}
WORLD_TEST(given_up, 2, .before = on_nodes, .limit_s = 20)

/* ---- unlock_all ---- */

/* Has locks of single targets, as the keeper of the rooms is gone (remote/group_lock.h). The lock
 * of rank 2 cannot be released, and the operation on rank 4 is complete all the same. */
static void unlocks(struct world *world, struct proa_win *win, uint32_t *step)
{
    proa_progress_enter();
    net_fake_lose(NULL, 0);
    proa_progress_leave();
    while (!proa_is_failed(win, 0))
        world_sleep_us(50);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int target = 2; target < world->size; target += 2) {
        CHECK_OK(put_word(win, target, 0, 1));
        CHECK_OK(flushed(proa_win_flush(win, target)));
        CHECK_OK(put_word(win, target, 0, 2));
    }
    __atomic_store_n(&step[0], 1, __ATOMIC_RELEASE);
    world_await(&step[1], 1);
    proa_progress_enter();
    net_fake_lose(NULL, 2);
    proa_progress_leave();
    CHECK_FAILS(proa_win_unlock_all(win), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "rank 2 is gone"));
    __atomic_store_n(&step[2], 1, __ATOMIC_RELEASE);
}

static void unlock_all_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    uint32_t *step = (uint32_t *)(void *)world->shared;

    CHECK_OK(proa_barrier(win));
    world_barrier(world);
    if (world->rank == 1) {
        unlocks(world, win, step);
    } else if (world->rank == 4) {
        world_await(&step[0], 1);
        net_fake_hold(1);
        __atomic_store_n(&step[1], 1, __ATOMIC_RELEASE);
        world_sleep_us(20000);
        CHECK_EQUAL(__atomic_load_n(&step[2], __ATOMIC_ACQUIRE), 0);
        net_fake_hold(0);
        world_await(&step[2], 1);
        CHECK_EQUAL(window_words(win)[0], 2);
    }
    world_barrier(world);
}
WORLD_TEST(unlock_all, 5, .before = on_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost),     cmocka_unit_test(left),        cmocka_unit_test(lost_alone),
        cmocka_unit_test(told_on),  cmocka_unit_test(lost_holder), cmocka_unit_test(lost_askers),
        cmocka_unit_test(given_up), cmocka_unit_test(unlock_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
