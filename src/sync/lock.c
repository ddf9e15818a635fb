/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of locks: see lock.h.
 *
 * A lock on one target (MPI-4.1, 13.5.3) is that target's reader-writer lock (sync/rwlock.h): one
 * atomic when free. A lock_all does not take n locks: it counts itself in one word of the window,
 * then checks whether any target has a writer. An exclusive lock takes its target's lock, then
 * reads that word. Both announce themselves before they check, sequentially consistent, so they
 * cannot miss each other (Dekker). A lock_all that finds a writer withdraws its count and, holding
 * no lock, waits for that writer. So it cannot deadlock with a process that locks several targets.
 *
 * Processes that find a lock taken wait in its queue or outside it. sync/bypass.h has the rules and
 * the proof that no process waits forever.
 */
#include "sync/lock.h"
#include "base/atomic.h"

static int is_for_all(const struct proa_lock_request *a)
{
    return a->kind == PROA_LOCK_ALL;
}

/* ---- exclusive locks ---- */

static void write_try(struct proa_lock_request *a)
{
    a->stage = PROA_LOCK_GRANTED;
    if (proa_lock_try_writer(a->all, a->lock))
        return;
    a->number = proa_rwlock_draw(a->lock);
    a->stage = PROA_LOCK_WRITE_QUEUED;
}

static int is_turn(struct proa_lock_request *a)
{
    return proa_rwlock_is_turn(a->lock, a->number);
}

/* A writer announced at the head of the queue excludes later processes, except those that bypass
 * it. No process ever waits for a writer that is inside and itself waits for lock_alls. */
static void write_announce(struct proa_lock_request *a)
{
    proa_rwlock_write_announce(a->lock);
    a->stage = PROA_LOCK_WRITE_HEAD;
}

static int no_lock_all(struct proa_lock_request *a)
{
    return proa_shared_all_none(a->all);
}

static void write_may_enter(struct proa_lock_request *a)
{
    a->stage = PROA_LOCK_WRITE_ENTERS;
}

static int nobody_inside(struct proa_lock_request *a)
{
    return proa_rwlock_nobody_inside(a->lock);
}

static void write_enter(struct proa_lock_request *a)
{
    if (!proa_rwlock_write_enter(a->lock))
        return;
    if (proa_shared_all_none(a->all)) {
        proa_rwlock_leave_queue(a->lock);
        a->stage = PROA_LOCK_GRANTED;
    } else {
        /* a lock_all that has bypassed this writer, or that is about to give way */
        proa_rwlock_write_step_back(a->lock);
        a->stage = PROA_LOCK_WRITE_HEAD;
    }
}

/* ---- outside the queue ---- */

static void outside_begin(struct proa_lock_request *a, enum proa_lock_stage stage)
{
    if (!a->outside)
        proa_shared_outside(a->all, is_for_all(a));
    a->outside = 1;
    proa_rwlock_outside(a->lock, 1); /* the holders read this */
    a->stage = (uint8_t)stage;
}

static void outside_granted(struct proa_lock_request *a)
{
    if (a->outside)
        proa_shared_granted(a->all, is_for_all(a));
    a->outside = 0;
    a->stage = PROA_LOCK_GRANTED;
}

/* ---- lock_all ---- */

static void all_try(struct proa_lock_request *a)
{
    struct proa_win_ctl *writer;

    proa_shared_all_enter(a->all);
    writer = proa_lock_find_writer(a->win, a->bypasses);
    if (!writer) {
        outside_granted(a);
        return;
    }
    proa_shared_all_leave(a->all);
    a->lock = &writer->lock;
    outside_begin(a, PROA_LOCK_ALL_OUTSIDE);
}

static void all_again(struct proa_lock_request *a)
{
    proa_rwlock_outside(a->lock, -1);
    a->stage = PROA_LOCK_ALL_TRIES;
}

/* ---- shared locks ---- */

static void read_try(struct proa_lock_request *a)
{
    a->stage = PROA_LOCK_GRANTED;
    if (proa_rwlock_read_try(a->lock))
        return;
    if (a->requester->holds_any(a)) {
        outside_begin(a, PROA_LOCK_READ_OUTSIDE);
    } else {
        a->number = proa_rwlock_draw(a->lock);
        a->stage = PROA_LOCK_READ_QUEUED;
    }
}

static void read_enter(struct proa_lock_request *a)
{
    proa_rwlock_read_enter(a->lock);
    a->stage = PROA_LOCK_READ_HEAD;
}

static int no_writer_inside(struct proa_lock_request *a)
{
    return proa_rwlock_no_writer_inside(a->lock);
}

static void read_inside(struct proa_lock_request *a)
{
    proa_rwlock_leave_queue(a->lock);
    a->stage = PROA_LOCK_GRANTED;
}

static void read_outside(struct proa_lock_request *a)
{
    proa_rwlock_outside(a->lock, -1);
    if (a->bypasses) {
        proa_rwlock_read_enter(a->lock);
        a->stage = PROA_LOCK_READ_BYPASSES;
    } else if (proa_rwlock_read_try(a->lock)) {
        outside_granted(a);
    } else {
        outside_begin(a, PROA_LOCK_READ_OUTSIDE);
    }
}

/* ---- after a death ---- */

static enum proa_claim claim_of(const struct proa_lock_request *a)
{
    return a->kind == PROA_LOCK_EXCLUSIVE ? PROA_CLAIM_EXCLUSIVE : PROA_CLAIM_SHARED;
}

static int is_broken(const struct proa_lock_request *a)
{
    return is_for_all(a) ? proa_claims_are_broken(a->win) : proa_rwlock_is_broken(a->lock);
}

/* Returns 0 until this process itself knows which process died. */
static int claims_allow(struct proa_lock_request *a)
{
    return proa_atomic_load(&a->win->lost, PROA_ACQUIRE) &&
           proa_claims_allow(a->win, is_for_all(a) ? -1 : a->target, claim_of(a));
}

/* A wait detects a process that dies while it has the turn. */
static int may_claim(struct proa_lock_request *a)
{
    return proa_claims_turn_is_free(a->win) && claims_allow(a);
}

/* Counts the holder in the lock's own words, so that the lock is released as usual. */
static void count_in(struct proa_lock_request *a)
{
    if (is_for_all(a))
        proa_shared_all_enter(a->all);
    else
        proa_rwlock_count(a->lock, a->kind == PROA_LOCK_EXCLUSIVE);
}

static void count_out(struct proa_lock_request *a)
{
    if (is_for_all(a))
        proa_shared_all_leave(a->all);
    else
        proa_lock_give_back(a->lock, a->kind == PROA_LOCK_EXCLUSIVE);
}

static void claim_try(struct proa_lock_request *a)
{
    if (!proa_claims_take_turn(a->win))
        return;
    if (claims_allow(a)) {
        count_in(a);
        a->requester->claim(a, claim_of(a), 1);
        a->stage = PROA_LOCK_GRANTED;
    }
    proa_claims_give_turn(a->win);
}

/* Confirms a lock granted by the queue. Sequentially consistent: either this process sees that the
 * lock is broken, or the process that broke it sees the claim. */
static void confirm(struct proa_lock_request *a)
{
    a->requester->claim(a, claim_of(a), 1);
    proa_atomic_fence(PROA_SEQ_CST);
    if (!is_broken(a))
        return;
    a->requester->claim(a, claim_of(a), 0);
    count_out(a);
    a->stage = PROA_LOCK_BROKEN;
}

int proa_lock_leave_broken(struct proa_lock_request *a)
{
    if (a->stage == PROA_LOCK_BROKEN || a->stage == PROA_LOCK_GRANTED || !is_broken(a))
        return 0;
    a->stage = PROA_LOCK_BROKEN;
    return 1;
}

/* ---- the steps ---- */

static const struct {
    int (*look)(struct proa_lock_request *); /* NULL if the stage does not wait */
    void (*go_on)(struct proa_lock_request *);
    int rung_by_all; /* 1 if rung by the lock_alls' doorbell, else by the lock's */
} stages[PROA_LOCK_STAGES] = {
    [PROA_LOCK_GIVES_WAY] = {proa_bypass_of_outside, write_try, 1},
    [PROA_LOCK_WRITE_QUEUED] = {is_turn, write_announce, 0},
    [PROA_LOCK_WRITE_HEAD] = {no_lock_all, write_may_enter, 1},
    [PROA_LOCK_WRITE_ENTERS] = {nobody_inside, write_enter, 0},
    [PROA_LOCK_READ_QUEUED] = {is_turn, read_enter, 0},
    [PROA_LOCK_READ_HEAD] = {no_writer_inside, read_inside, 0},
    [PROA_LOCK_READ_OUTSIDE] = {proa_bypass_of_writers, read_outside, 0},
    [PROA_LOCK_READ_BYPASSES] = {no_writer_inside, outside_granted, 0},
    [PROA_LOCK_ALL_TRIES] = {NULL, all_try, 1},
    [PROA_LOCK_ALL_OUTSIDE] = {proa_bypass_of_writers, all_again, 0},
    [PROA_LOCK_BROKEN] = {may_claim, claim_try, 0},
};

void proa_lock_request_begin(struct proa_lock_request *a, enum proa_lock_kind kind)
{
    a->kind = (uint8_t)kind;
    if (is_broken(a)) {
        a->stage = PROA_LOCK_BROKEN;
    } else if (kind == PROA_LOCK_EXCLUSIVE) {
        a->number = proa_shared_asked(a->all);
        a->stage = PROA_LOCK_GIVES_WAY;
    } else if (kind == PROA_LOCK_SHARED) {
        read_try(a);
        if (a->stage == PROA_LOCK_GRANTED)
            confirm(a);
    } else {
        a->stage = PROA_LOCK_ALL_TRIES;
    }
}

int proa_lock_look(struct proa_lock_request *a)
{
    return !stages[a->stage].look || stages[a->stage].look(a);
}

struct proa_doorbell *proa_lock_bell(const struct proa_lock_request *a)
{
    return stages[a->stage].rung_by_all || (a->stage == PROA_LOCK_BROKEN && is_for_all(a))
               ? &a->all->bell
               : &a->lock->bell;
}

void proa_lock_go_on(struct proa_lock_request *a)
{
    int by_claims = a->stage == PROA_LOCK_BROKEN;

    stages[a->stage].go_on(a);
    if (a->stage == PROA_LOCK_GRANTED && !by_claims)
        confirm(a);
}

/* ---- one try ---- */

/* Returns whether a writer is inside, for a process that is counted in. */
static int is_writer_inside(const struct proa_lock_request *a)
{
    return is_for_all(a) ? proa_lock_find_writer(a->win, 1) != NULL
                         : !proa_rwlock_no_writer_inside(a->lock);
}

int proa_lock_try_ahead(struct proa_lock_request *a, enum proa_lock_kind kind)
{
    a->kind = (uint8_t)kind;
    a->stage = PROA_LOCK_BROKEN;
    if (is_broken(a)) {
        if (claims_allow(a))
            claim_try(a);
        return a->stage == PROA_LOCK_GRANTED;
    }
    count_in(a);
    if (is_writer_inside(a)) {
        count_out(a);
        return 0;
    }
    a->stage = PROA_LOCK_GRANTED;
    confirm(a);
    return a->stage == PROA_LOCK_GRANTED;
}

/* ---- waiting in a call ---- */

struct waiting {
    struct proa_lock_request request;
    struct proa_vigil vigil;
};

static int look(void *arg)
{
    struct waiting *w = arg;

    return proa_lock_look(&w->request);
}

static int target_is_failed(const struct proa_lock_request *a)
{
    return !is_for_all(a) && proa_is_failed(a->win, a->target);
}

static int is_over(void *arg)
{
    struct waiting *w = arg;

    (void)proa_vigil_looks(&w->vigil);
    return proa_lock_leave_broken(&w->request) || target_is_failed(&w->request);
}

int proa_lock_wait(struct proa_win *win, int target, enum proa_lock_kind kind)
{
    struct waiting w = {.request = {.requester = &proa_lock_requester_self,
                                    .win = win,
                                    .target = target,
                                    .kind = (uint8_t)kind,
                                    .all = &win->leader->all},
                        .vigil = {.win = win, .from = target < 0 ? win->rank : target}};

    if (target >= 0)
        w.request.lock = &win->targets[target].ctl->lock;
    proa_lock_requester_self.claim(&w.request, PROA_CLAIM_NONE, 0);
    proa_lock_request_begin(&w.request, kind);
    while (w.request.stage != PROA_LOCK_GRANTED) {
        if (target_is_failed(&w.request))
            return proa_failed_report(win, target);
        if (proa_lock_look(&w.request) ||
            !proa_wait_unless(look, &w, proa_lock_bell(&w.request), is_over, &w))
            proa_lock_go_on(&w.request);
    }
    return PROA_OK;
}
