/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of asking for a lock (sync/lock.h), in one thread: many askers, each left after any
 * step and taken up again in random order, against a model of the askers that may be inside
 * together. No asker wakes another here: one that can go on must find that out by looking.
 */
#include "world.h"

#include "sync/lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ASKERS = 7, WINDOWS = 2, TARGETS = 3, LOCKS = 2 /* at once, for one asker */ };

struct lock_of {
    enum proa_lock_kind kind;
    int window, target;
};

struct actor {
    struct proa_lock_request request; /* the first: an asker finds its actor by it */
    struct lock_of locks[LOCKS];
    int wants, has; /* of locks[] */
    int may_go_on;  /* has looked, and was told yes */
};

/* What the model knows of one window. */
struct inside {
    int exclusive[TARGETS], shared[TARGETS], all;
};

struct stage_play {
    struct proa_win wins[WINDOWS];
    struct proa_target targets[WINDOWS][TARGETS];
    struct proa_win_ctl *ctls[WINDOWS][TARGETS];
    struct inside inside[WINDOWS];
    struct actor actors[ASKERS];
    long waited[PROA_LOCK_STAGES]; /* how often a look said no */
    long granted;
    uint64_t seed;
};

static struct stage_play play;

/* ---- what an asker knows of itself ---- */

static int holds_any(const struct proa_lock_request *request)
{
    return ((const struct actor *)(const void *)request)->has > 0;
}

static int is_wanted(const struct lock_of *l)
{
    struct proa_all_ctl *all = &play.wins[l->window].leader->all;
    int wanted =
        l->kind == PROA_LOCK_EXCLUSIVE && !proa_shared_are_granted(all, proa_shared_asked(all));

    for (int i = 0; i < TARGETS; i++)
        if (l->kind == PROA_LOCK_ALL || i == l->target)
            wanted |= proa_rwlock_is_wanted(&play.ctls[l->window][i]->lock);
    return wanted;
}

static int is_pressed(struct proa_lock_request *request)
{
    const struct actor *actor = (const void *)request;

    for (int i = 0; i < actor->has; i++)
        if (is_wanted(&actor->locks[i]))
            return 1;
    return 0;
}

static void no_claim(struct proa_lock_request *request, enum proa_claim claim, int is_set)
{
    (void)request, (void)claim, (void)is_set;
}

static const struct proa_lock_requester requester = {holds_any, is_pressed, no_claim};

/* ---- the model ---- */

static void enter(const struct lock_of *l, int change)
{
    struct inside *inside = &play.inside[l->window];
    int exclusives = 0;

    if (l->kind == PROA_LOCK_ALL)
        inside->all += change;
    else
        (l->kind == PROA_LOCK_EXCLUSIVE ? inside->exclusive : inside->shared)[l->target] += change;
    for (int i = 0; i < TARGETS; i++) {
        exclusives += inside->exclusive[i];
        CHECK(inside->exclusive[i] <= 1);
        CHECK(!inside->exclusive[i] || !inside->shared[i]);
    }
    CHECK(!exclusives || !inside->all);
}

/* ---- the play ---- */

static void open_play(uint32_t count, uint64_t seed)
{
    memset(&play, 0, sizeof play);
    play.seed = seed;
    for (int w = 0; w < WINDOWS; w++) {
        for (int t = 0; t < TARGETS; t++) {
            struct proa_win_ctl *ctl = play.ctls[w][t] =
                aligned_alloc(PROA_CACHE_LINE, sizeof *ctl);
            CHECK(ctl);
            memset(ctl, 0, sizeof *ctl);
            __atomic_store_n(&ctl->lock.tickets, count, __ATOMIC_SEQ_CST);
            __atomic_store_n(&ctl->lock.serving, count, __ATOMIC_SEQ_CST);
            __atomic_store_n(&ctl->all.asked, count, __ATOMIC_SEQ_CST);
            __atomic_store_n(&ctl->all.granted, count, __ATOMIC_SEQ_CST);
            play.targets[w][t].ctl = ctl;
        }
        play.wins[w] = (struct proa_win){
            .targets = play.targets[w], .size = TARGETS, .leader = play.ctls[w][PROA_LEADER]};
    }
}

static void close_play(void)
{
    for (int w = 0; w < WINDOWS; w++) {
        const struct proa_all_ctl *all = &play.wins[w].leader->all;
        CHECK_EQUAL(__atomic_load_n(&all->active, __ATOMIC_SEQ_CST), 0);
        CHECK_EQUAL(__atomic_load_n(&all->asked, __ATOMIC_SEQ_CST),
                    __atomic_load_n(&all->granted, __ATOMIC_SEQ_CST));
        for (int t = 0; t < TARGETS; t++) {
            const struct proa_rwlock *lock = &play.ctls[w][t]->lock;
            CHECK_EQUAL(__atomic_load_n(&lock->state, __ATOMIC_SEQ_CST), 0);
            CHECK_EQUAL(__atomic_load_n(&lock->tickets, __ATOMIC_SEQ_CST),
                        __atomic_load_n(&lock->serving, __ATOMIC_SEQ_CST));
            CHECK_EQUAL(__atomic_load_n(&lock->outside, __ATOMIC_SEQ_CST), 0);
        }
    }
    for (int w = 0; w < WINDOWS; w++)
        for (int t = 0; t < TARGETS; t++)
            free(play.ctls[w][t]);
}

static int below(int limit)
{
    return (int)world_below(&play.seed, (uint64_t)limit);
}

/* One exclusive lock; or an exclusive one of window 0, then a shared one of the other; or locks
 * that are not exclusive, in any order. So no two wait for each other, as far as the user goes. */
static void choose(struct actor *actor)
{
    int what = below(4), first = below(2);

    actor->wants = what == 0 ? 1 : LOCKS;
    actor->has = 0;
    for (int i = 0; i < LOCKS; i++) {
        int shared = what > 1 || i > 0;
        actor->locks[i].window = what == 1 ? i : i ^ first;
        actor->locks[i].target = below(TARGETS);
        actor->locks[i].kind = !shared    ? PROA_LOCK_EXCLUSIVE
                               : below(3) ? PROA_LOCK_SHARED
                                          : PROA_LOCK_ALL;
    }
}

static void take_if_granted(struct actor *actor)
{
    if (actor->request.stage != PROA_LOCK_GRANTED)
        return;
    enter(&actor->locks[actor->has++], 1);
    play.granted++;
}

static int is_free_of_writers(const struct lock_of *l)
{
    for (int i = 0; i < TARGETS; i++)
        if ((l->kind == PROA_LOCK_ALL || i == l->target) && play.inside[l->window].exclusive[i])
            return 0;
    return 1;
}

/* Only a writer inside is in the way; one that waits is not. */
static void try_ahead(struct actor *actor)
{
    const struct lock_of *l = &actor->locks[actor->has];

    CHECK_EQUAL(proa_lock_try_ahead(&actor->request, l->kind), is_free_of_writers(l));
    if (is_free_of_writers(l))
        take_if_granted(actor);
    else
        actor->request.stage = PROA_LOCK_GRANTED; /* it has asked for nothing */
}

static void ask(struct actor *actor)
{
    const struct lock_of *l = &actor->locks[actor->has];
    struct proa_win_ctl *ctl = play.ctls[l->window][l->target];

    actor->may_go_on = 0;
    actor->request = (struct proa_lock_request){.requester = &requester,
                                                .win = &play.wins[l->window],
                                                .all = &play.wins[l->window].leader->all};
    if (l->kind != PROA_LOCK_ALL) {
        actor->request.lock = &ctl->lock;
    }
    if (l->kind != PROA_LOCK_EXCLUSIVE && below(4) == 0) {
        try_ahead(actor);
        return;
    }
    proa_lock_request_begin(&actor->request, l->kind);
    take_if_granted(actor);
}

static void give_back(struct actor *actor)
{
    const struct lock_of *l = &actor->locks[actor->has - 1];
    struct proa_win_ctl *ctl = play.ctls[l->window][l->target];

    enter(l, -1);
    if (l->kind == PROA_LOCK_ALL)
        proa_shared_all_leave(&play.wins[l->window].leader->all);
    else if (l->kind == PROA_LOCK_EXCLUSIVE)
        proa_rwlock_write_unlock(&ctl->lock);
    else
        proa_rwlock_read_unlock(&ctl->lock);
    actor->has--;
    actor->wants = actor->has; /* and nothing more in this turn */
}

/* One thing that this actor does now. more: it may begin a new turn. Has it got on? */
static int act(struct actor *actor, int more)
{
    struct proa_lock_request *request = &actor->request;

    if (request->stage != PROA_LOCK_GRANTED && actor->may_go_on) {
        actor->may_go_on = 0;
        proa_lock_go_on(request);
        take_if_granted(actor);
        return 1;
    }
    if (request->stage != PROA_LOCK_GRANTED) {
        CHECK(proa_lock_bell(request));
        actor->may_go_on = proa_lock_look(request);
        play.waited[request->stage] += !actor->may_go_on;
        return 0;
    }
    if (actor->has < actor->wants)
        ask(actor);
    else if (actor->has > 0)
        give_back(actor);
    else if (more)
        choose(actor);
    return 1;
}

static int all_idle(void)
{
    for (int i = 0; i < ASKERS; i++)
        if (play.actors[i].request.stage != PROA_LOCK_GRANTED || play.actors[i].has ||
            play.actors[i].wants)
            return 0;
    return 1;
}

/* patience: picks of an actor in a row with which none got on, though each was picked many
 * times. */
static void perform(long picks, long *waited)
{
    enum { PATIENCE = 2000 };
    long last = 0;

    for (long i = 0; i < picks || !all_idle(); i++) {
        if (act(&play.actors[below(ASKERS)], i < picks))
            last = i;
        CHECK(i - last < PATIENCE); /* all wait for each other */
        CHECK(i < picks + 100000);  /* or go in circles */
    }
    for (int stage = 0; stage < PROA_LOCK_STAGES; stage++)
        waited[stage] += play.waited[stage];
}

static void steps_body(struct world *world)
{
    static const uint32_t counts[] = {0, UINT32_MAX - 20, INT32_MAX - 20u};
    long waited[PROA_LOCK_STAGES] = {0};

    (void)world;
    for (uint64_t seed = 0; seed < 60; seed++) {
        open_play(counts[seed % 3], seed);
        perform(world_rounds(20000), waited);
        CHECK(play.granted > world_rounds(500));
        close_play();
    }
    for (int stage = PROA_LOCK_GRANTED + 1; stage < PROA_LOCK_STAGES; stage++)
        /* the first waits for nothing, and no process has died */
        if (stage != PROA_LOCK_ALL_TRIES && stage != PROA_LOCK_BROKEN)
            CHECK(waited[stage] > 0); /* it has been left there */
}

static void steps(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 1, .body = steps_body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
