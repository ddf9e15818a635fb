/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours that die (sync/peer_failure.h, sync/claims.h): each wait for one ends with an error
 * that names its rank, and the locks that it had are for others to have. The last process dies; on
 * one node, and, as `..._apart`, with the first of two processes of each of two nodes. */
#include "nodes.h"

#include "sync/barrier.h"
#include "sync/claims.h"
#include "sync/peer_failure.h"
#include "sync/lock.h"
#include "remote/origin.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The locks that the dead one held, a window for each. */
enum held { HELD_EXCLUSIVE, HELD_SHARED, HELD_ALL, HELD_KINDS };

/* What the processes tell each other, without Proa: behind the words of world->shared that others
 * use. */
struct steps {
    uint32_t begun, dead, done;
    uint64_t counts[HELD_KINDS]; /* of what is done under a lock, for each window */
};

static struct steps *steps_of(struct world *world)
{
    return (struct steps *)(void *)(world->shared + 4096);
}

static int last(const struct world *world)
{
    return world->size - 1;
}

static struct proa_win *window_to_lose(struct world *world)
{
    return getenv("PROA_NODE_ID") ? begin(world, NULL) : window_of_words(world, WORDS);
}

/* All have come so far; and the last one dies. */
static void one_dies(struct world *world)
{
    world_barrier(world);
    if (world->rank == last(world))
        _exit(EXIT_SUCCESS);
}

/* The others end together, without the dead one. */
static void survivors_end(struct world *world)
{
    __atomic_fetch_add(&steps_of(world)->done, 1, __ATOMIC_SEQ_CST);
    world_await(&steps_of(world)->done, (uint32_t)last(world));
    _exit(EXIT_SUCCESS);
}

static void is_told(struct world *world)
{
    char sentence[40];

    snprintf(sentence, sizeof sentence, "rank %d is gone", last(world));
    CHECK(strstr(proa_failure(), sentence));
}

#define CHECK_TOLD(call)                   \
    do {                                   \
        CHECK_FAILS(call, PROA_ERR_OTHER); \
        is_told(world);                    \
    } while (0)

#define ON_A_NODE_AND_APART(name, n)                                             \
    WORLD_TEST(name, n, .limit_s = 30)                                           \
    static void name##_apart(void **state)                                       \
    {                                                                            \
        (void)state;                                                             \
        world_run(&(struct world_plan){                                          \
            .size = 4, .body = name##_body, .before = on_nodes, .limit_s = 30}); \
    }

/* ---- barriers ---- */

static void fence_body(struct world *world)
{
    struct proa_win *win = window_to_lose(world);

    CHECK_OK(proa_win_fence(win, 0));
    one_dies(world);
    CHECK_TOLD(proa_win_fence(win, 0));
    CHECK_TOLD(proa_win_fence(win, 0));
    CHECK_TOLD(proa_barrier_last(win));
    survivors_end(world);
}
ON_A_NODE_AND_APART(fence, 3)

static void free__body(struct world *world)
{
    struct proa_win *win = window_to_lose(world);

    one_dies(world);
    CHECK_TOLD(proa_barrier_last(win));
    survivors_end(world);
}
ON_A_NODE_AND_APART(free_, 3)

static void central_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);

    win->barrier = PROA_BARRIER_CENTRAL;
    CHECK_OK(proa_win_fence(win, 0));
    one_dies(world);
    CHECK_TOLD(proa_win_fence(win, 0));
    survivors_end(world);
}
WORLD_TEST(central, 3, .limit_s = 30)

/* A fence that ends nothing waits for no process, the first operation after it for the target's. */
static void open_fence_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);

    one_dies(world);
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOPRECEDE));
    CHECK_OK(put_word(win, 0, world->rank, 1));
    CHECK_TOLD(put_word(win, last(world), 0, 1));
    survivors_end(world);
}
WORLD_TEST(open_fence, 3, .limit_s = 30)

/* ---- post, start, complete, wait ---- */

static void pscw_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    int dead = last(world), others[WORLD_MOST];

    for (int i = 0; i < dead; i++)
        others[i] = i;
    one_dies(world);
    CHECK_OK(proa_win_start(win, &dead, 1, 0));
    CHECK_TOLD(put_word(win, dead, 0, 1));
    CHECK_OK(proa_win_complete(win));
    CHECK_OK(proa_win_post(win, &dead, 1, 0));
    CHECK_TOLD(proa_win_wait(win));
    /* among themselves they go on */
    CHECK_OK(proa_win_post(win, others, dead, 0));
    CHECK_OK(proa_win_start(win, others, dead, 0));
    CHECK_OK(put_word(win, 0, world->rank, 1));
    CHECK_OK(proa_win_complete(win));
    CHECK_OK(proa_win_wait(win));
    survivors_end(world);
}
WORLD_TEST(pscw, 3, .limit_s = 30)

/* A loop of tests waits too. */
static void test_body(struct world *world)
{
    struct proa_win *win = window_to_lose(world);
    int dead = last(world), flag = 0, code = PROA_OK;

    one_dies(world);
    CHECK_OK(proa_win_post(win, &dead, 1, 0));
    while (!flag && code == PROA_OK)
        code = proa_win_test(win, &flag);
    CHECK_EQUAL(code, PROA_ERR_OTHER);
    is_told(world);
    survivors_end(world);
}
ON_A_NODE_AND_APART(test, 3)

/* ---- locks of the dead one ---- */

/* It holds its own lock, for which the others wait when it dies. Those of other nodes are told by
 * their unlock, as they have not waited before. */
static void queue_body(struct world *world)
{
    struct proa_win *win = window_to_lose(world);
    int dead = last(world);

    if (world->rank == dead) {
        CHECK_OK(proa_win_lock(win, dead, 1, 0));
        world_barrier(world);
        world_sleep_us(100000); /* mostly they wait by then; and if not, they come later */
        _exit(EXIT_SUCCESS);
    }
    world_barrier(world);
    if (proa_is_remote(&win->targets[dead])) {
        CHECK_OK(proa_win_lock(win, dead, 1, 0));
        CHECK_OK(put_word(win, dead, 0, 1));
        CHECK_TOLD(proa_win_unlock(win, dead));
    } else {
        CHECK_TOLD(proa_win_lock(win, dead, 1, 0));
        CHECK_TOLD(proa_win_lock(win, dead, 0, 0));
    }
    CHECK_OK(proa_win_lock(win, world->rank, 1, 0));
    CHECK_OK(proa_win_unlock(win, world->rank));
    survivors_end(world);
}
ON_A_NODE_AND_APART(queue, 3)

/* ---- locks that the dead one held ---- */

static int hold(struct proa_win *win, int target, enum held held)
{
    return held == HELD_ALL ? proa_win_lock_all(win, 0)
                            : proa_win_lock(win, target, held == HELD_EXCLUSIVE, 0);
}

static int let_go(struct proa_win *win, int target, enum held held)
{
    return held == HELD_ALL ? proa_win_unlock_all(win) : proa_win_unlock(win, target);
}

/* One window for each kind of lock that it dies with. Each kind is asked for; exclusive locks are
 * exclusive: counts under them are exact. */
static void held_body(struct world *world)
{
    struct proa_win *wins[HELD_KINDS];
    struct steps *steps = steps_of(world);

    for (int held = 0; held < HELD_KINDS; held++)
        wins[held] = held ? window_of_words(world, WORDS) : window_to_lose(world);
    for (int held = 0; held < HELD_KINDS && world->rank == last(world); held++) {
        int target = last(world) % NODES; /* a neighbour, on two nodes as well */

        CHECK_OK(hold(wins[held], target, (enum held)held));
        if (held == HELD_EXCLUSIVE)
            CHECK_OK(put_word(wins[held], target, 0, 7));
    }
    one_dies(world);
    for (int held = 0; held < HELD_KINDS; held++)
        for (int wanted = 0; wanted < 3 * HELD_KINDS; wanted++) {
            int target = last(world) % NODES, kind = wanted % HELD_KINDS;

            CHECK_OK(hold(wins[held], target, (enum held)kind));
            if (kind == HELD_EXCLUSIVE) {
                uint64_t count;
                int64_t value;

                CHECK_OK(get_word(wins[held], target, 0, &value));
                CHECK_OK(flushed(proa_win_flush(wins[held], target)));
                count = __atomic_load_n(&steps->counts[held], __ATOMIC_RELAXED);
                CHECK_EQUAL(value, held == HELD_EXCLUSIVE ? 7 : 0);
                world_sleep_us(1000);
                __atomic_store_n(&steps->counts[held], count + 1, __ATOMIC_RELAXED);
            }
            CHECK_OK(let_go(wins[held], target, (enum held)kind));
        }
    __atomic_fetch_add(&steps->dead, 1, __ATOMIC_SEQ_CST);
    world_await(&steps->dead, (uint32_t)last(world));
    for (int held = 0; held < HELD_KINDS; held++)
        CHECK_EQUAL(__atomic_load_n(&steps->counts[held], __ATOMIC_SEQ_CST), 3 * last(world));
    survivors_end(world);
}
ON_A_NODE_AND_APART(held, 4)

/* ---- a lock that the dead one waits for ---- */

static void *ask(void *arg)
{
    proa_win_lock(arg, 0, 1, 0);
    return NULL;
}

static void asked_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    struct proa_rwlock *lock = &win->targets[0].ctl->lock;
    pthread_t thread;

    if (world->rank == 0)
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
    world_barrier(world);
    if (world->rank == last(world)) { /* the first in the queue */
        CHECK_EQUAL(pthread_create(&thread, NULL, ask, win), 0);
        world_await(&lock->tickets, 1);
        world_barrier(world);
        _exit(EXIT_SUCCESS);
    }
    world_barrier(world);
    if (world->rank == 0) {
        world_await(&lock->tickets, (uint32_t)last(world));
        CHECK_OK(proa_win_unlock(win, 0));
    } else {
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK_OK(proa_win_unlock(win, 0));
    }
    survivors_end(world);
}
WORLD_TEST(asked, 4, .limit_s = 30)

/* ---- a lock that breaks between its grant and the confirmation ---- */

static void late_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    struct proa_win_ctl *ctl = win->targets[0].ctl;
    struct proa_lock_request request = {.requester = &proa_lock_requester_self,
                                        .win = win,
                                        .target = 0,
                                        .all = &win->leader->all,
                                        .lock = &ctl->lock};

    if (world->rank == 0)
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
    world_barrier(world);
    if (world->rank == 1) {
        proa_lock_request_begin(&request, PROA_LOCK_SHARED);
        CHECK(proa_lock_look(&request));
        proa_lock_go_on(&request);
        CHECK_EQUAL(request.stage, PROA_LOCK_READ_HEAD);
    }
    world_barrier(world);
    if (world->rank == 0)
        CHECK_OK(proa_win_unlock(win, 0));
    world_barrier(world);
    if (world->rank == 1) {
        CHECK(proa_lock_look(&request));
        proa_claims_break(win); /* as another process does that has noticed a death */
        proa_lock_go_on(&request);
        CHECK_EQUAL(request.stage, PROA_LOCK_BROKEN);
        CHECK_EQUAL(win->claims[ctl->slot], PROA_CLAIM_NONE);
    }
    survivors_end(world);
}
WORLD_TEST(late, 2, .limit_s = 30)

/* ---- the turn in which claims are made ---- */

static void turn_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);

    if (world->rank == last(world)) {
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK(proa_claims_take_turn(win));
    }
    one_dies(world);
    CHECK_OK(proa_win_lock(win, 0, 1, 0));
    CHECK_OK(proa_win_unlock(win, 0));
    survivors_end(world);
}
WORLD_TEST(turn, 3, .limit_s = 30)

/* A second one dies in the turn, after the locks are broken: a wait for the turn notices. */
static void second_turn_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    struct steps *steps = steps_of(world);
    const uint32_t survivors = (uint32_t)last(world);

    if (world->rank == last(world))
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
    one_dies(world);
    CHECK_OK(proa_win_lock(win, 0, 1, 0));
    CHECK_OK(proa_win_unlock(win, 0));
    __atomic_fetch_add(&steps->begun, 1, __ATOMIC_SEQ_CST);
    world_await(&steps->begun, survivors);
    if (world->rank == last(world) - 1) {
        CHECK(proa_claims_take_turn(win));
        __atomic_fetch_add(&steps->done, 1, __ATOMIC_SEQ_CST);
        _exit(EXIT_SUCCESS);
    }
    world_await(&steps->done, 1);
    CHECK_OK(proa_win_lock(win, 0, 1, 0));
    CHECK_OK(proa_win_unlock(win, 0));
    survivors_end(world);
}
WORLD_TEST(second_turn, 4, .limit_s = 10)

/* ---- exclusion while one dies ---- */

static void exclude(struct world *world, struct proa_win *win, uint64_t *seed)
{
    struct steps *steps = steps_of(world);
    enum held held = (enum held)world_below(seed, HELD_KINDS);
    int target = 0;

    CHECK_OK(hold(win, target, held));
    if (held == HELD_EXCLUSIVE) {
        uint32_t begun = __atomic_fetch_add(&steps->begun, 1, __ATOMIC_SEQ_CST);

        CHECK_EQUAL(begun, 0);
        if (world_below(seed, 8) == 0)
            world_sleep_us(20);
        __atomic_fetch_sub(&steps->begun, 1, __ATOMIC_SEQ_CST);
    } else {
        CHECK_EQUAL(__atomic_load_n(&steps->begun, __ATOMIC_SEQ_CST), 0);
    }
    CHECK_OK(let_go(win, target, held));
}

/* It dies with a shared lock, in the middle of what the others do. */
static void torture_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    uint64_t seed = (uint64_t)world->rank + 5;
    long rounds = world_rounds(20000);

    world_barrier(world);
    if (world->rank == last(world)) {
        for (int i = 0; i < 500; i++)
            exclude(world, win, &seed);
        CHECK_OK(proa_win_lock(win, 0, 0, 0));
        _exit(EXIT_SUCCESS);
    }
    for (long i = 0; i < rounds; i++)
        exclude(world, win, &seed);
    survivors_end(world);
}
WORLD_TEST(torture, 4, .limit_s = 120)

/* ---- creation ---- */

static int die_in_it(struct proa_win *win, void *user)
{
    const struct world *world = user;

    (void)win;
    if (world->rank == last(world))
        _exit(EXIT_SUCCESS);
    return PROA_OK;
}

static void creation_body(struct world *world)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE,
                                    .bytes = 64,
                                    .disp_unit = 1,
                                    .finish = die_in_it,
                                    .user = world};
    struct proa_win *win = NULL;

    world_barrier(world);
    CHECK_TOLD(proa_win_create(&args, &world->group, &win));
    survivors_end(world);
}
WORLD_TEST(creation, 3, .limit_s = 30)

/* ---- exits that are no loss ---- */

/* It has freed its window and ended, while others are in the last barrier. */
static void left_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    const struct proa_peer *peer = win->targets[last(world)].peer;

    world_barrier(world);
    if (world->rank == last(world)) {
        proa_win_release(win);
        _exit(EXIT_SUCCESS);
    }
    while (!proa_peer_has_ended(peer))
        world_sleep_us(1000);
    proa_progress_enter();
    for (int i = 0; i < world->size; i++)
        proa_failed_look(win);
    proa_progress_leave();
    CHECK(!proa_is_failed(win, last(world)));
    survivors_end(world);
}
WORLD_TEST(left, 3, .limit_s = 30)

/* The last process frees its windows and ends just while it is looked at. */
static int ends;

int __real_proa_peer_has_ended(const struct proa_peer *peer);
int __wrap_proa_peer_has_ended(const struct proa_peer *peer);
int __wrap_proa_peer_has_ended(const struct proa_peer *peer)
{
    if (ends)
        __atomic_store_n(&peer->ctl->windows, 0, __ATOMIC_SEQ_CST);
    return ends || __real_proa_peer_has_ended(peer);
}

static void leaves_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    struct proa_proc_ctl *ctl = win->targets[last(world)].peer->ctl;
    const uint32_t before = __atomic_load_n(&ctl->windows, __ATOMIC_SEQ_CST);

    if (world->rank == 0) {
        ends = 1;
        proa_progress_enter();
        proa_failed_look(win);
        proa_progress_leave();
        ends = 0;
        CHECK(!proa_is_failed(win, last(world)));
        __atomic_store_n(&ctl->windows, before, __ATOMIC_SEQ_CST);
    }
    world_barrier(world);
    proa_win_release(win);
}
WORLD_TEST(leaves, 2, .limit_s = 30)

/* ---- a process that was given up ---- */

/* The others have, and it hears so: by one of another node that does not listen any more, or by one
 * that was told. */
static void given_up_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int told = world->arg != NULL;

    CHECK_OK(proa_win_fence(win, 0));
    world_barrier(world);
    if (world->rank == 0 && !told) {
        proa_progress_enter();
        net_fake_gives_up(1);
        proa_progress_leave();
    }
    if (world->rank == 1 && told) {
        proa_progress_enter();
        net_fake_lose(NULL, 0);
        proa_progress_leave();
    }
    while (world->rank == 0 && told && !proa_is_failed(win, 2)) /* of all ranks, once it is told */
        world_sleep_us(100);
    if (world->rank == 0) {
        CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "the other ranks have given this process up"));
        CHECK_FAILS(proa_barrier_last(win), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "the other ranks have given this process up"));
    } else if (told) {
        CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "rank 0 is gone"));
    }
    world_barrier(world);
    _exit(EXIT_SUCCESS);
}

static void given_up(void **state)
{
    (void)state;
    world_run(
        &(struct world_plan){.size = 4, .body = given_up_body, .before = on_nodes, .limit_s = 30});
}

static void given_up_by_word(void **state)
{
    static const struct net_fake_rules best;

    (void)state;
    world_run(&(struct world_plan){
        .size = 4, .body = given_up_body, .before = on_nodes, .arg = &best, .limit_s = 30});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fence),
        cmocka_unit_test(fence_apart),
        cmocka_unit_test(free_),
        cmocka_unit_test(free__apart),
        cmocka_unit_test(central),
        cmocka_unit_test(open_fence),
        cmocka_unit_test(pscw),
        cmocka_unit_test(test),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(queue),
        cmocka_unit_test(queue_apart),
        cmocka_unit_test(held),
        cmocka_unit_test(held_apart),
        cmocka_unit_test(asked),
        cmocka_unit_test(late),
        cmocka_unit_test(turn),
        cmocka_unit_test(second_turn),
        cmocka_unit_test(torture),
        cmocka_unit_test(creation),
        cmocka_unit_test(left),
        cmocka_unit_test(leaves),
        cmocka_unit_test(given_up),
        cmocka_unit_test(given_up_by_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
