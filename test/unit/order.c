/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls in the wrong order (MPI-4.1, 13.5): in each state of a window, each call either is legal or
 * returns PROA_ERR_RMA_SYNC and changes nothing, neither here nor in what the processes share. It
 * is run with PROA_STRICT=1 too, where what hosts serve is wrong.
 *
 * Rank 0 makes the calls; rank 1 is a target that takes no part except in the collective ones. The
 * table `rules` is the whole truth.
 */
#include "move.h"

#include "base/fail.h"
#include "base/settings.h"
#include "rma/guard.h"
#include "sync/pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ME = 0, OTHER = 1 };

/* ---- the log's last line (linked with --wrap) ---- */

static char said[400];

void __wrap_proa_log(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void __wrap_proa_log(int level, const char *fmt, ...)
{
    va_list args;

    (void)level;
    va_start(args, fmt);
    vsnprintf(said, sizeof said, fmt, args);
    va_end(args);
}

/* ---- states: how to get there, and back ---- */

enum state {
    NOTHING,  /* a fresh window, or after NOSUCCEED */
    FENCED,   /* a fence, and no operation since */
    IN_FENCE, /* a fence and an operation */
    STARTED,  /* an access epoch towards OTHER */
    EXPOSED,  /* to OTHER */
    STARTED_EXPOSED,
    LOCKED_ME,    /* shared */
    LOCKED_OTHER, /* exclusive */
    LOCKED_BOTH,
    LOCKED_NOCHECK, /* OTHER */
    LOCK_ALL,
    LOCK_ALL_NOCHECK,
    STATES
};

static const char *const state_names[STATES] = {
    "nothing",        "fenced",       "in a fence epoch",
    "started",        "exposed",      "started and exposed",
    "locked self",    "locked other", "locked both",
    "locked nocheck", "lock_all",     "lock_all nocheck"};

/* Rank 1 makes its part of a fence in try_call. */
static void enter(struct proa_win *win, enum state state)
{
    int other = OTHER;

    if (state == FENCED || state == IN_FENCE)
        CHECK_OK(proa_win_fence(win, 0));
    if (state == IN_FENCE)
        CHECK_OK(put_word(win, OTHER, 0, 1));
    if (state == EXPOSED || state == STARTED_EXPOSED)
        CHECK_OK(proa_win_post(win, &other, 1, 0));
    if (state == STARTED || state == STARTED_EXPOSED)
        CHECK_OK(proa_win_start(win, &other, 1, PROA_MODE_NOCHECK));
    if (state == LOCKED_ME || state == LOCKED_BOTH)
        CHECK_OK(proa_win_lock(win, ME, 0, 0));
    if (state == LOCKED_OTHER || state == LOCKED_BOTH)
        CHECK_OK(proa_win_lock(win, OTHER, 1, 0));
    if (state == LOCKED_NOCHECK)
        CHECK_OK(proa_win_lock(win, OTHER, 0, PROA_MODE_NOCHECK));
    if (state == LOCK_ALL || state == LOCK_ALL_NOCHECK)
        CHECK_OK(proa_win_lock_all(win, state == LOCK_ALL ? 0 : PROA_MODE_NOCHECK));
}

/* Ends all that is open. rank 1's completion of an exposure is written in its stead. */
static void leave(struct world *world, struct proa_win *win)
{
    for (int i = 0; i < world->size; i++)
        if (win->targets[i].epoch & PROA_EPOCH_LOCK)
            CHECK_OK(proa_win_unlock(win, i));
    if (win->epoch_all & PROA_EPOCH_LOCK)
        CHECK_OK(proa_win_unlock_all(win));
    if (win->started)
        CHECK_OK(proa_win_complete(win));
    if (win->exposed) {
        __atomic_store_n(&win->ctl->from[OTHER].completed, win->pairs[OTHER].waits + 1,
                         __ATOMIC_SEQ_CST);
        CHECK_OK(proa_win_wait(win));
    }
}

/* ---- calls ---- */

enum call {
    FENCE,
    START,
    COMPLETE,
    POST,
    WAIT,
    TEST,
    LOCK_ME,
    LOCK_OTHER,
    LOCK_OTHER_EXCLUSIVE,
    UNLOCK_ME,
    UNLOCK_OTHER,
    LOCKALL,
    UNLOCKALL,
    FLUSH_ME,
    FLUSH_OTHER,
    FLUSH_ALL,
    FLUSH_LOCAL_OTHER,
    FLUSH_LOCAL_ALL,
    PUT_ME,
    PUT_OTHER,
    GET_OTHER,
    ACCUMULATE_OTHER,
    FETCH_OTHER,
    NOTHING_OTHER,
    FREE,
    CALLS
};

static const char *const call_names[CALLS] = {
    "fence",
    "start",
    "complete",
    "post",
    "wait",
    "test",
    "lock self",
    "lock other",
    "lock other exclusive",
    "unlock self",
    "unlock other",
    "lock_all",
    "unlock_all",
    "flush self",
    "flush other",
    "flush_all",
    "flush_local other",
    "flush_local_all",
    "put to self",
    "put to other",
    "get",
    "accumulate",
    "fetch_and_op",
    "put of nothing",
    "free",
};

static int operation(struct proa_win *win, enum call call)
{
    struct proa_there there = {OTHER, 0, 1, basic_type(PROA_I64), PROA_CALL_Put};
    int64_t value = 3, result = 4;

    switch (call) {
    case PUT_ME:
        return put_word(win, ME, 0, value);
    case PUT_OTHER:
        return put_word(win, OTHER, 0, value);
    case GET_OTHER:
        return get_word(win, OTHER, 0, &result);
    case ACCUMULATE_OTHER:
        return accumulate_many(win, OTHER, 0, &value, 1, PROA_I64, PROA_OP_SUM);
    case FETCH_OTHER:
        return proa_fetch_and_op(win, &value, &result, &there, PROA_OP_SUM);
    default:
        return put_many(win, OTHER, 0, NULL, 0, PROA_I64);
    }
}

static int make(struct proa_win *win, enum call call)
{
    int other = OTHER, flag;

    switch (call) {
    case FENCE:
        /* no barrier: rank 1 need not come */
        return proa_win_fence(win, PROA_MODE_NOSUCCEED | PROA_MODE_NOPRECEDE);
    case START:
        return proa_win_start(win, &other, 1, PROA_MODE_NOCHECK);
    case COMPLETE:
        return proa_win_complete(win);
    case POST:
        return proa_win_post(win, &other, 1, 0);
    case WAIT:
        return proa_win_wait(win);
    case TEST:
        return proa_win_test(win, &flag);
    case LOCK_ME:
        return proa_win_lock(win, ME, 0, 0);
    case LOCK_OTHER:
    case LOCK_OTHER_EXCLUSIVE:
        return proa_win_lock(win, OTHER, call == LOCK_OTHER_EXCLUSIVE, 0);
    case UNLOCK_ME:
        return proa_win_unlock(win, ME);
    case UNLOCK_OTHER:
        return proa_win_unlock(win, OTHER);
    case LOCKALL:
        return proa_win_lock_all(win, 0);
    case UNLOCKALL:
        return proa_win_unlock_all(win);
    case FLUSH_ME:
        return proa_win_flush(win, ME);
    case FLUSH_OTHER:
        return proa_win_flush(win, OTHER);
    case FLUSH_ALL:
        return proa_win_flush_all(win);
    case FLUSH_LOCAL_OTHER:
        return proa_win_flush_local(win, OTHER);
    case FLUSH_LOCAL_ALL:
        return proa_win_flush_local_all(win);
    case FREE:
        return proa_win_may_free(win);
    default:
        return operation(win, call);
    }
}

/* ---- what is legal: one letter for each call, in the order of enum call; y: legal, n:
 * PROA_ERR_RMA_SYNC, s: that if strict, else served ---- */

static const char *const rules[STATES] = {
    /* In groups: fence start complete post wait test | lock self, other, other exclusive, unlock
     * self, other, lock_all, unlock_all | flush self, other, all, local other, local all | put
     * self, put other, get, accumulate, fetch, nothing | free */
    [NOTHING] = "yynynn"
                "yyynnyn"
                "nnnnn"
                "nnnnnn"
                "y",
    [FENCED] = "yynynn"
               "yyynnyn"
               "nnnnn"
               "yyyyyy"
               "y",
    [IN_FENCE] = "ynnnnn"
                 "nnnnnnn"
                 "nnnnn"
                 "yyyyyy"
                 "n",
    [STARTED] = "nnyynn"
                "nnnnnnn"
                "nnnnn"
                "nyyyyy"
                "n",
    [EXPOSED] = "nynnyy"
                "syynnsn"
                "nnnnn"
                "nnnnnn"
                "n",
    [STARTED_EXPOSED] = "nnynyy"
                        "nnnnnnn"
                        "nnnnn"
                        "nyyyyy"
                        "n",
    [LOCKED_ME] = "nnnsnn"
                  "nyyynnn"
                  "ynyny"
                  "ynnnnn"
                  "n",
    [LOCKED_OTHER] = "nnnynn"
                     "ynnnynn"
                     "nyyyy"
                     "nyyyyy"
                     "n",
    [LOCKED_BOTH] = "nnnsnn"
                    "nnnyynn"
                    "yyyyy"
                    "yyyyyy"
                    "n",
    [LOCKED_NOCHECK] = "nnnynn"
                       "ynnnynn"
                       "nyyyy"
                       "nyyyyy"
                       "n",
    [LOCK_ALL] = "nnnsnn"
                 "nnnnnny"
                 "yyyyy"
                 "yyyyyy"
                 "n",
    [LOCK_ALL_NOCHECK] = "nnnsnn"
                         "nnnnnny"
                         "yyyyy"
                         "yyyyyy"
                         "n",
};

/* ---- nothing has changed ---- */

struct snapshot {
    struct proa_win win;
    struct proa_target targets[2];
    uint64_t counts[8];
    int ranks[4];
    int64_t words[2];
    unsigned char ctl[2][sizeof(struct proa_win_ctl) + 2 * sizeof(struct proa_from_ctl)];
};

static int rank_in(const struct proa_ranks *group, int i)
{
    return i < group->room ? group->rank[i] : 0;
}

static void snapshot_take(struct snapshot *snapshot, const struct proa_win *win)
{
    memset(snapshot, 0, sizeof *snapshot);
    memcpy(&snapshot->win, win, sizeof *win);
    for (int i = 0; i < 2; i++) {
        snapshot->targets[i] = win->targets[i];
        snapshot->counts[i] = win->pairs[i].posts;
        snapshot->counts[2 + i] = win->pairs[i].starts;
        snapshot->counts[4 + i] = win->pairs[i].completes;
        snapshot->counts[6 + i] = win->pairs[i].waits;
        snapshot->ranks[i] = rank_in(&win->started_group, i);
        snapshot->ranks[2 + i] = rank_in(&win->exposed_group, i);
        memcpy(&snapshot->words[i], win->targets[i].fast, sizeof(int64_t));
        memcpy(snapshot->ctl[i], win->targets[i].ctl, sizeof snapshot->ctl[i]);
    }
}

static void check_unchanged(const struct snapshot *before, const struct proa_win *win)
{
    static struct snapshot now;

    snapshot_take(&now, win);
    CHECK_EQUAL(memcmp(&now.win, &before->win, sizeof now.win), 0);
    CHECK_EQUAL(memcmp(now.targets, before->targets, sizeof now.targets), 0);
    CHECK_EQUAL(memcmp(now.counts, before->counts, sizeof now.counts), 0);
    CHECK_EQUAL(memcmp(now.ranks, before->ranks, sizeof now.ranks), 0);
    CHECK_EQUAL(memcmp(now.words, before->words, sizeof now.words), 0);
    CHECK_EQUAL(memcmp(now.ctl, before->ctl, sizeof now.ctl), 0);
}

/* ---- all states, all calls ---- */

/* WAIT returns only once rank 1 has completed; we complete in its stead. */
static void let_wait_return(struct proa_win *win, enum call call, enum state state)
{
    if (call == WAIT && (state == EXPOSED || state == STARTED_EXPOSED))
        __atomic_store_n(&win->ctl->from[OTHER].completed, win->pairs[OTHER].waits + 1,
                         __ATOMIC_SEQ_CST);
}

static int expected_of(enum state state, enum call call)
{
    char rule = rules[state][call];

    return rule == 'y' || (rule == 's' && !proa_settings()->strict) ? PROA_OK : PROA_ERR_RMA_SYNC;
}

static void try_call(struct world *world, struct proa_win *win, enum state state, enum call call)
{
    static struct snapshot before;
    int expected = expected_of(state, call), code;

    if (world->rank == ME) {
        enter(win, state);
        let_wait_return(win, call, state);
        snapshot_take(&before, win);
        proa_fail(0, "%s", "");
        code = make(win, call);
        if (code != expected)
            world_failed(__FILE__, __LINE__, "%s in the state \"%s\" returned %d, not %d: %s",
                         call_names[call], state_names[state], code, expected, proa_failure());
        if (code != PROA_OK)
            CHECK(proa_failure()[0]);
        if (code != PROA_OK || call == FREE)
            check_unchanged(&before, win);
        leave(world, win);
        world_barrier(world);
        CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
        CHECK_OK(proa_win_may_free(win));
    } else {
        if (state == FENCED || state == IN_FENCE)
            CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
        /* a fence writes into rank 0's words, which that looks at until here */
        world_barrier(world);
        CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
        CHECK_EQUAL(__atomic_load_n(&win->ctl->lock.state, __ATOMIC_SEQ_CST), 0);
        CHECK_EQUAL(__atomic_load_n(&win->targets[0].ctl->lock.state, __ATOMIC_SEQ_CST), 0);
        CHECK_EQUAL(__atomic_load_n(&win->targets[0].ctl->all.active, __ATOMIC_SEQ_CST), 0);
    }
    world_barrier(world);
}

static void orders_body(struct world *world)
{
    for (enum state state = 0; state < STATES; state++) {
        CHECK_EQUAL(strlen(rules[state]), CALLS);
        for (enum call call = 0; call < CALLS; call++) {
            struct proa_win *win = window_of_words(world, 1);
            try_call(world, win, state, call);
            window_free(win);
        }
    }
}

WORLD_TEST(orders, 2)

/* Another process holds a lock on our window: not our mistake, and perhaps none of its own, if it
 * has run ahead of our post. */
static void post_while_locked_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    int other = 1, target = 0;

    for (int exclusive = 0; exclusive <= 1; exclusive++) {
        if (world->rank == 1)
            CHECK_OK(proa_win_lock(win, 0, exclusive, 0));
        world_barrier(world);
        if (world->rank == 0)
            CHECK_OK(proa_win_post(win, &other, 1, 0));
        world_barrier(world);
        if (world->rank == 1) {
            CHECK_OK(proa_win_unlock(win, 0));
            CHECK_OK(proa_win_start(win, &target, 1, 0));
            CHECK_OK(proa_win_complete(win));
        } else
            CHECK_OK(proa_win_wait(win));
        world_barrier(world);
    }
    window_free(win);
}

WORLD_TEST(post_while_locked, 2)

/* A window that is locked and exposed at once: neither its own process nor the origin is told that
 * it is alone with it. */
static void check_nobody_alone(struct proa_win *win)
{
    CHECK(!proa_guard_is_alone(win, ME));
    CHECK_EQUAL(__atomic_load_n(&win->targets[OTHER].ctl->from[ME].posted, __ATOMIC_SEQ_CST) % 2,
                0);
}

static void locked_and_exposed_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    const int other = OTHER;

    for (int order = 0; order < 3 && world->rank == ME; order++) {
        if (order != 1)
            CHECK_OK(proa_win_lock(win, ME, 1, 0));
        CHECK_EQUAL(proa_guard_is_alone(win, ME), order != 1);
        CHECK_OK(proa_win_post(win, &other, 1, 0));
        if (order == 1)
            CHECK_OK(proa_win_lock(win, ME, 1, 0));
        check_nobody_alone(win);
        CHECK_OK(proa_win_unlock(win, ME));
        CHECK_EQUAL(__atomic_load_n(&win->ctl->lock.state, __ATOMIC_SEQ_CST), 0);
        leave(world, win);
    }
    world_barrier(world);
    window_free(win);
}

static void locked_and_exposed(void **state)
{
    (void)state;
    if (!proa_settings()->strict)
        world_run(&(struct world_plan){.size = 2, .body = locked_and_exposed_body});
}

/* A wrong use that is served is said of the call that makes it. */
static void check_said(struct world *world, enum state state, enum call call, const char *name)
{
    struct proa_win *win = window_of_words(world, 1);

    if (world->rank == ME) {
        enter(win, state);
        said[0] = '\0';
        CHECK_OK(make(win, call));
        CHECK(strncmp(said, name, strlen(name)) == 0 && said[strlen(name)] == ':');
        leave(world, win);
    }
    window_free(win);
}

static void served_is_said_body(struct world *world)
{
    check_said(world, EXPOSED, LOCK_ME, "MPI_Win_lock");
    check_said(world, EXPOSED, LOCKALL, "MPI_Win_lock_all");
    check_said(world, LOCKED_ME, POST, "MPI_Win_post");
}

static void served_is_said(void **state)
{
    (void)state;
    if (!proa_settings()->strict)
        world_run(&(struct world_plan){.size = 2, .body = served_is_said_body});
}

/* The assertions of a fence: what it ends and begins. */
static void fence_modes_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, (uint64_t)world->size);

    CHECK_FAILS(put_word(win, 0, 0, 1), PROA_ERR_RMA_SYNC);
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOPRECEDE | PROA_MODE_NOSTORE | PROA_MODE_NOPUT));
    CHECK_OK(put_word(win, 0, world->rank, 1)); /* no two to one word */
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED | PROA_MODE_NOSTORE));
    CHECK_FAILS(put_word(win, 0, 0, 1), PROA_ERR_RMA_SYNC);
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED | PROA_MODE_NOPRECEDE));
    CHECK_FAILS(put_word(win, 0, 0, 1), PROA_ERR_RMA_SYNC);
    CHECK_OK(proa_win_may_free(win));
    window_free(win);
}

WORLD_TEST(fence_modes, 3)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),
        cmocka_unit_test(post_while_locked),
        cmocka_unit_test(locked_and_exposed),
        cmocka_unit_test(served_is_said),
        cmocka_unit_test(fence_modes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
