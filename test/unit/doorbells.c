/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that makes an awaited condition true also rings (base/wait.h). The time-out of a sleep
 * hides a bell that is not rung from every other test. Here one process waits; another sees it
 * asleep, which stays announced over all time-outs until it is rung for, makes the condition true,
 * and looks whether it has rung.
 */
#include "move.h"

#include "sync/rwlock.h"
#include "sync/counters.h"
#include "rma/guard.h"

#include <linux/futex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

/* ---- sleepers ---- */

/* A sleeper that looks by itself, at a time-out, just between the caller's store and its ring needs
 * none. Under ThreadSanitizer and an emulator that takes long enough to happen, while sleeps are
 * short: they last a part of the wait so far (base/wait.c). */
#if defined(__SANITIZE_THREAD__)
enum { IS_SLOW = 1 };
#else
enum { IS_SLOW = 0 };
#endif

/* Returns the bell's count of rings before any that is due to the caller. */
static uint32_t await_sleeper(const struct proa_doorbell *bell)
{
    while (__atomic_load_n(&bell->sleeper, __ATOMIC_SEQ_CST) == 0)
        world_sleep_us(100);
    if (IS_SLOW || world_is_emulated())
        world_sleep_us(160000);
    return __atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST);
}

static int has_rung_since(const struct proa_doorbell *bell, uint32_t rings)
{
    return __atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST) != rings;
}

static struct proa_doorbell *process_bell(const struct proa_win *win)
{
    return &win->targets[0].peer->ctl->bell;
}

static struct proa_doorbell *barrier_doorbell(const struct proa_win *win)
{
    return &win->targets[0].ctl->barrier_doorbell;
}

static struct proa_doorbell *lock_doorbell(const struct proa_win *win)
{
    return &win->targets[0].ctl->lock.bell;
}

static struct proa_doorbell *all_bell(const struct proa_win *win)
{
    return &win->targets[0].ctl->all.bell;
}

static struct proa_doorbell *stripe_doorbell(const struct proa_win *win)
{
    return &win->targets[0].peer->ctl->stripe_doorbell;
}

/* Rank 0 waits on a bell, rank 1 ends its wait. */
struct pair {
    struct proa_doorbell *(*bell)(const struct proa_win *win);
    void (*before)(struct proa_win *win); /* rank 1, before rank 0 begins to wait; NULL: nothing */
    void (*wait)(struct proa_win *win);   /* rank 0 */
    void (*ring)(struct proa_win *win);   /* rank 1 */
    void (*after)(struct proa_win *win);  /* both; NULL: nothing */
    int central;                          /* which barrier */
};

static void pair_body(struct world *world)
{
    const struct pair *pair = world->arg;
    struct proa_win *win = window_of_words(world, 1);
    uint32_t rings;

    win->barrier = pair->central ? PROA_BARRIER_CENTRAL : PROA_BARRIER_DISSEMINATION;
    if (world->rank == 1 && pair->before)
        pair->before(win);
    world_barrier(world);
    if (world->rank == 0) {
        pair->wait(win);
    } else {
        rings = await_sleeper(pair->bell(win));
        pair->ring(win);
        CHECK(has_rung_since(pair->bell(win), rings));
    }
    if (pair->after)
        pair->after(win);
    window_free(win);
}

static void run(const struct pair *pair)
{
    world_run(&(struct world_plan){.size = 2, .body = pair_body, .arg = pair});
}

/* ---- post and complete ---- */

static void start_1(struct proa_win *win)
{
    CHECK_OK(proa_win_start(win, &(int){1}, 1, 0));
}

static void start_0(struct proa_win *win)
{
    CHECK_OK(proa_win_start(win, &(int){0}, 1, 0));
}

static void complete(struct proa_win *win)
{
    CHECK_OK(proa_win_complete(win));
}

static void post_0(struct proa_win *win)
{
    CHECK_OK(proa_win_post(win, &(int){0}, 1, 0));
}

static void access_1(struct proa_win *win)
{
    start_1(win);
    CHECK_OK(put_word(win, 1, 0, 1)); /* waits for the post */
    complete(win);
}

static void expose_to_1(struct proa_win *win)
{
    CHECK_OK(proa_win_post(win, &(int){1}, 1, 0));
    CHECK_OK(proa_win_wait(win));
}

static void end_exposure(struct proa_win *win)
{
    if (win->exposed)
        CHECK_OK(proa_win_wait(win));
}

static void post(void **state)
{
    (void)state;
    run(&(struct pair){
        .bell = process_bell, .wait = access_1, .ring = post_0, .after = end_exposure});
}

static void complete_(void **state)
{
    (void)state;
    run(&(struct pair){
        .bell = process_bell, .before = start_0, .wait = expose_to_1, .ring = complete});
}

/* Rank 0 waits for rank 1 first: a message of rank 2 meanwhile does not wake it, and has come when
 * it wakes. */
static void in_turn_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    uint32_t *step = (uint32_t *)(void *)world->shared;
    uint32_t rings;

    if (world->rank == 0) {
        CHECK_OK(proa_win_post(win, (int[]){1, 2}, 2, 0));
        CHECK_OK(proa_win_wait(win));
    } else {
        start_0(win);
    }
    if (world->rank == 2) {
        rings = await_sleeper(process_bell(win));
        complete(win);
        CHECK(!has_rung_since(process_bell(win), rings));
        __atomic_store_n(step, 1, __ATOMIC_SEQ_CST);
    } else if (world->rank == 1) {
        world_await(step, 1);
        rings = await_sleeper(process_bell(win));
        complete(win);
        CHECK(has_rung_since(process_bell(win), rings));
    }
    world_barrier(world);
    window_free(win);
}

WORLD_TEST(in_turn, 3)

/* ---- barriers and fences ---- */

static void barrier(struct proa_win *win)
{
    CHECK_OK(proa_barrier(win));
}

static void barriers(void **state)
{
    (void)state;
    run(&(struct pair){.bell = process_bell, .wait = barrier, .ring = barrier});
    run(&(struct pair){.bell = barrier_doorbell, .wait = barrier, .ring = barrier, .central = 1});
}

/* A fence that ends nothing does not wait: rank 1's first operation waits for rank 0's fence. More
 * than two, or it is a barrier. */
static void open_fence_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    uint32_t rings = 0;

    if (world->rank == 0)
        rings = await_sleeper(barrier_doorbell(win));
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOPRECEDE));
    if (world->rank == 0)
        CHECK(has_rung_since(barrier_doorbell(win), rings));
    if (world->rank == 1)
        CHECK_OK(put_word(win, 0, 0, 1));
    world_barrier(world); /* no process sleeps on this bell for the next fence */
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    window_free(win);
}

WORLD_TEST(open_fence, 3)

/* ---- locks on a window ---- */

static void lock_exclusive(struct proa_win *win)
{
    CHECK_OK(proa_win_lock(win, 0, 1, 0));
}

static void lock_shared(struct proa_win *win)
{
    CHECK_OK(proa_win_lock(win, 0, 0, 0));
}

static void lock_all(struct proa_win *win)
{
    CHECK_OK(proa_win_lock_all(win, 0));
}

static void unlock(struct proa_win *win)
{
    CHECK_OK(proa_win_unlock(win, 0));
}

static void unlock_all(struct proa_win *win)
{
    CHECK_OK(proa_win_unlock_all(win));
}

static void lock_exclusive_unlock(struct proa_win *win)
{
    lock_exclusive(win);
    unlock(win);
}

static void lock_shared_unlock(struct proa_win *win)
{
    lock_shared(win);
    unlock(win);
}

static void lock_all_unlock(struct proa_win *win)
{
    lock_all(win);
    unlock_all(win);
}

static void unlocks(void **state)
{
    (void)state;
    run(&(struct pair){.bell = lock_doorbell,
                       .before = lock_exclusive,
                       .wait = lock_exclusive_unlock,
                       .ring = unlock});
    run(&(struct pair){.bell = lock_doorbell,
                       .before = lock_exclusive,
                       .wait = lock_shared_unlock,
                       .ring = unlock});
    run(&(struct pair){
        .bell = lock_doorbell, .before = lock_exclusive, .wait = lock_all_unlock, .ring = unlock});
    run(&(struct pair){.bell = lock_doorbell,
                       .before = lock_shared,
                       .wait = lock_exclusive_unlock,
                       .ring = unlock});
    run(&(struct pair){
        .bell = all_bell, .before = lock_all, .wait = lock_exclusive_unlock, .ring = unlock_all});
}

/* Rank 0 gives way to a lock_all of rank 1's that waits for rank 2's lock to end: the lock_all,
 * once granted, rings. */
static void granted_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    uint32_t *step = (uint32_t *)(void *)world->shared;
    const struct proa_all_ctl *all = &win->targets[0].ctl->all;
    uint32_t rings;

    if (world->rank == 0) {
        world_await(&all->asked, 1);
        lock_exclusive_unlock(win);
    } else if (world->rank == 1) {
        world_await(&step[0], 1);
        lock_all(win);
        __atomic_store_n(&step[1], 1, __ATOMIC_SEQ_CST);
        world_await(&step[0], 2);
        unlock_all(win);
    } else {
        lock_exclusive(win);
        __atomic_store_n(&step[0], 1, __ATOMIC_SEQ_CST);
        rings = await_sleeper(all_bell(win));
        unlock(win);
        world_await(&step[1], 1);
        CHECK(has_rung_since(all_bell(win), rings));
        __atomic_store_n(&step[0], 2, __ATOMIC_SEQ_CST);
    }
    window_free(win);
}

WORLD_TEST(granted, 3)

/* ---- the steps of the reader-writer lock, each as its caller takes it: all of them let a waiter
 * on ---- */

struct lone_lock {
    struct proa_rwlock lock;
};

static uint32_t rings_of(struct lone_lock *l)
{
    __atomic_store_n(&l->lock.bell.sleeper, 1, __ATOMIC_SEQ_CST); /* that is us, for anything */
    return __atomic_exchange_n(&l->lock.bell.rings, 0, __ATOMIC_SEQ_CST);
}

static void rwlock_body(struct world *world)
{
    struct lone_lock l = {0};

    (void)world;
    CHECK_EQUAL(rings_of(&l), 0);
    proa_rwlock_write_announce(&l.lock);
    CHECK(proa_rwlock_write_enter(&l.lock));
    CHECK_EQUAL(rings_of(&l), 0);
    proa_rwlock_write_step_back(&l.lock); /* readers that go ahead */
    CHECK_EQUAL(rings_of(&l), 1);
    CHECK(proa_rwlock_write_enter(&l.lock));
    proa_rwlock_leave_queue(&l.lock); /* the next in the queue */
    CHECK_EQUAL(rings_of(&l), 1);
    proa_rwlock_write_unlock(&l.lock);
    CHECK_EQUAL(rings_of(&l), 0); /* no process is at its head yet */
    CHECK(proa_rwlock_write_try(&l.lock));
    proa_rwlock_outside(&l.lock, 1);
    proa_rwlock_write_unlock(&l.lock);
    CHECK_EQUAL(rings_of(&l), 1); /* the one that waits outside */
    proa_rwlock_outside(&l.lock, -1);
    CHECK(proa_rwlock_write_try(&l.lock));
    proa_rwlock_read_enter(&l.lock);
    proa_rwlock_write_unlock(&l.lock);
    CHECK_EQUAL(rings_of(&l), 1); /* a reader at the head */
    proa_rwlock_read_unlock(&l.lock);
    CHECK_EQUAL(rings_of(&l), 0); /* not awaited by any process */
    /* a writer waits for readers to leave: us too, just arrived */
    __atomic_store_n(&l.lock.state, PROA_RW_WANTED, __ATOMIC_SEQ_CST);
    CHECK(!proa_rwlock_read_try(&l.lock));
    CHECK_EQUAL(rings_of(&l), 1); /* that writer */
    proa_rwlock_read_enter(&l.lock);
    proa_rwlock_read_unlock(&l.lock);
    CHECK_EQUAL(rings_of(&l), 1);
    CHECK_EQUAL(__atomic_load_n(&l.lock.state, __ATOMIC_SEQ_CST), PROA_RW_WANTED);
}

WORLD_TEST(rwlock, 1)

/* ---- stripes ---- */

static struct proa_guarded guarded;

static void take_stripes(struct proa_win *win)
{
    proa_guard_stripes(&guarded, win->targets[0].peer, 0, 8);
}

static void take_wide(struct proa_win *win)
{
    proa_guard_stripes(&guarded, win->targets[0].peer, 0, 2 * PROA_STRIPE_BYTES);
}

static void leave_stripes(struct proa_win *win)
{
    (void)win;
    proa_guard_leave(&guarded);
}

static void take_and_leave(struct proa_win *win)
{
    take_stripes(win);
    leave_stripes(win);
}

static void take_wide_and_leave(struct proa_win *win)
{
    take_wide(win);
    leave_stripes(win);
}

/* Each waits for its like, and for the other. */
static void stripes(void **state)
{
    (void)state;
    run(&(struct pair){.bell = stripe_doorbell,
                       .before = take_wide,
                       .wait = take_wide_and_leave,
                       .ring = leave_stripes});
    run(&(struct pair){.bell = stripe_doorbell,
                       .before = take_wide,
                       .wait = take_and_leave,
                       .ring = leave_stripes});
    run(&(struct pair){.bell = stripe_doorbell,
                       .before = take_stripes,
                       .wait = take_wide_and_leave,
                       .ring = leave_stripes});
    run(&(struct pair){.bell = stripe_doorbell,
                       .before = take_stripes,
                       .wait = take_and_leave,
                       .ring = leave_stripes});
}

/* Rank 1 makes the switch, rank 0 comes meanwhile, and rank 2 holds it up until rank 0 sleeps. */
static void switch_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    struct proa_peer *owner = win->targets[0].peer;
    uint32_t *step = (uint32_t *)(void *)world->shared;
    uint32_t rings;

    if (world->rank < 2)
        world_await(step, 1);
    if (world->rank == 1)
        proa_guard_stripes_only(owner->ctl);
    while (world->rank == 0 &&
           __atomic_load_n(&owner->ctl->stripes_only, __ATOMIC_SEQ_CST) != PROA_SWITCHING)
        world_sleep_us(100);
    if (world->rank == 0)
        proa_guard_stripes_only(owner->ctl);
    if (world->rank == 2) {
        CHECK(proa_guard_slot_enter(owner));
        __atomic_store_n(step, 1, __ATOMIC_SEQ_CST);
        rings = await_sleeper(stripe_doorbell(win));
        proa_guard_slot_leave(owner->slot);
        world_barrier(world);
        CHECK(has_rung_since(stripe_doorbell(win), rings));
    } else {
        world_barrier(world);
    }
    window_free(win);
}

static void switch_(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = switch_body});
}

/* ---- the bell itself: that a ring ends a sleep. The kernel says how many it has woken (linked
 * with --wrap=syscall) ---- */

static long woken;

/* As many arguments as any call of the kernel has; those of a variadic function lie where these
 * do. */
long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long result = __real_syscall(number, a, b, c, d, e, f);

    if (number == SYS_futex && (int)b == FUTEX_WAKE && result > 0)
        woken += result;
    return result;
}

struct awaited {
    uint64_t word;
    struct proa_doorbell bell;
    uint32_t passed, stop;
};

/* One whose sleep is announced may be short of it, or at its end, when the bell is rung; hardly a
 * thousand times in a row. */
static void wake_body(struct world *world)
{
    struct awaited *awaited = (struct awaited *)(void *)world->shared;
    uint64_t turn = 1;

    if (world->rank == 0) {
        for (; !__atomic_load_n(&awaited->stop, __ATOMIC_SEQ_CST); turn++) {
            proa_wait_count_unless(&awaited->word, turn, &awaited->bell, NULL, NULL);
            __atomic_store_n(&awaited->passed, (uint32_t)turn, __ATOMIC_SEQ_CST);
        }
        return;
    }
    for (; woken == 0 && turn <= 1000; turn++) {
        await_sleeper(&awaited->bell);
        __atomic_store_n(&awaited->word, turn, __ATOMIC_SEQ_CST);
        proa_doorbell_ring(&awaited->bell);
        world_await(&awaited->passed, (uint32_t)turn);
    }
    __atomic_store_n(&awaited->stop, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&awaited->word, UINT64_MAX, __ATOMIC_SEQ_CST);
    CHECK(woken > 0);
}

WORLD_TEST(wake, 2)

/* ---- notification counters ---- */

static void counter_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    uint32_t rings;

    CHECK_OK(proa_counters_set(win, 1, 1));
    if (world->rank == 0) {
        CHECK_OK(proa_counter_await(win, 0, 1));
    } else {
        rings = await_sleeper(process_bell(win));
        proa_counter_up(win, 0, 0);
        CHECK(has_rung_since(process_bell(win), rings));
    }
    window_free(win);
}

WORLD_TEST(counter, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(post),     cmocka_unit_test(complete_),  cmocka_unit_test(in_turn),
        cmocka_unit_test(barriers), cmocka_unit_test(open_fence), cmocka_unit_test(unlocks),
        cmocka_unit_test(granted),  cmocka_unit_test(rwlock),     cmocka_unit_test(stripes),
        cmocka_unit_test(switch_),  cmocka_unit_test(wake),       cmocka_unit_test(counter),
    };

    setenv("PROA_SPIN_NS", "0", 1); /* a waiter sleeps, wanted or not */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
