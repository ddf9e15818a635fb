/* SPDX-License-Identifier: BSD-3-Clause */
/* See announce.h. */
#include "order/announce.h"
#include "base/atomic.h"
#include "base/log.h"
#include "order/place.h"
#include "order/board.h"
#include "order/clock.h"
#include "order/crossing.h"
#include "traps/sanitizer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Marks that are kept of a process; and actors that stand for its pending operations, by target:
 * with too few of either, accesses count as ordered that are not. */
enum { MARKS = 256, PENDING = 32 };

/* Larger accesses that are atomic are left out: each of their words is touched. */
enum { ATOMIC_MOST = 1 << 16 };

/* The accesses of a process until its word of the clock was that stamp. Stamps grow. */
struct history {
    uint64_t stamp[MARKS];
    char mark[MARKS];
    uint64_t count; /* of all so far; number n is at n % MARKS */
};

/* Of this process it has no actor, and the history of its calls. */
struct process {
    void *actor;
    struct history history;
    uint64_t *acquired; /* the clock that the actor has acquired, by process */
};

/* The actor of pending operations, and two marks: `begun`, of all that came before them, and
 * `complete`, of their own accesses. */
struct pending {
    void *actor;
    char begun, complete;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int proa_announce_on;
static int follows;                /* other processes */
static struct process **processes; /* NULL: no operation of it was taken */
static struct pending plain[PENDING], requested[PENDING], updates, fetches;
static void
    *ancestor;      /* an actor without accesses: by it others begin with nothing that is known */
static char polled; /* the mark of all that this process did before it polled */

/* ---- histories ---- */

static void *mark_at(struct history *history, uint64_t number)
{
    return &history->mark[number % MARKS];
}

/* The mark of that stamp, which is the last. */
static void *mark_of(struct history *history, uint64_t stamp)
{
    if (history->count == 0 || history->stamp[(history->count - 1) % MARKS] != stamp)
        history->stamp[history->count++ % MARKS] = stamp;
    return mark_at(history, history->count - 1);
}

/* The last mark up to that stamp; where it is forgotten, the oldest that is known. NULL: there is
 * none. */
static void *mark_by(struct history *history, uint64_t stamp)
{
    const uint64_t oldest = history->count > MARKS ? history->count - MARKS : 0;

    for (uint64_t i = history->count; i > oldest; i--)
        if (history->stamp[(i - 1) % MARKS] <= stamp)
            return mark_at(history, i - 1);
    return oldest ? mark_at(history, oldest) : NULL;
}

/* ---- begin ---- */

/* An actor comes after all that the one has done that makes it. */
static void *actor_of(int number)
{
    char name[64];
    void *before, *actor;

    snprintf(name, sizeof name, "operations of rank %d", number);
    before = proa_sanitizer_enter(ancestor);
    actor = proa_sanitizer_actor(name);
    proa_sanitizer_leave(before);
    return actor;
}

static struct process *process_of(int number)
{
    struct process *process = processes[number];

    if (process)
        return process;
    process = calloc(1, sizeof *process);
    if (!process)
        return NULL;
    process->acquired = calloc((size_t)proa_board_size(), sizeof *process->acquired);
    if (number != proa_board_rank())
        process->actor = actor_of(number);
    if (!process->acquired || (number != proa_board_rank() && !process->actor)) {
        free(process->acquired);
        free(process);
        return NULL;
    }
    processes[number] = process;
    return process;
}

void proa_announce_begin(void)
{
    if (!proa_sanitizer_is_there())
        return;
    proa_log(PROA_LOG_INFO, "check: operations are announced to ThreadSanitizer");
    proa_atomic_store(&proa_announce_on, 1, PROA_RELEASE);
}

void proa_announce_follow(void)
{
    if (!proa_announce_is_on())
        return;
    processes = calloc((size_t)proa_board_size(), sizeof(struct process *));
    ancestor = proa_sanitizer_actor("operations");
    follows = processes && ancestor && process_of(proa_board_rank());
    if (follows)
        proa_crossing_watch(proa_announce_taken);
}

void proa_announce_end(void)
{
    follows = 0;
}

/* ---- calls of this process ---- */

/* A call may tell others all that this thread has done. */
void proa_announce_before(void)
{
    if (!follows)
        return;
    proa_sanitizer_ignore(0);
    proa_sanitizer_release(mark_of(&processes[proa_board_rank()]->history, proa_clock_stamp()));
    proa_clock_complete();
}

/* All accesses that the clock knows were handed over before: they are taken now. */
void proa_announce_after(void)
{
    const uint64_t *now;
    uint64_t *known;

    if (!follows)
        return;
    now = proa_clock_now();
    known = processes[proa_board_rank()]->acquired;
    for (int i = 0; i < proa_board_size(); i++)
        known[i] = now[i];
    proa_crossing_take();
    for (int i = 0; i < proa_board_size(); i++) {
        void *mark =
            processes[i] && processes[i]->actor ? mark_by(&processes[i]->history, known[i]) : NULL;

        if (mark)
            proa_sanitizer_acquire(mark);
    }
}

void proa_announce_host(int begins)
{
    if (follows)
        proa_sanitizer_ignore(begins);
}

void proa_announce_sync(void)
{
    if (!follows)
        return;
    proa_sanitizer_release(&polled);
    proa_clock_learn_memory(proa_board_rank());
    proa_announce_after();
    proa_sanitizer_ignore(1);
}

/* ---- operations of others ---- */

static int is_flag(const struct proa_access *access)
{
    const uint64_t bytes = access->high - access->low;

    return bytes <= 8 && (bytes & (bytes - 1)) == 0 && access->low % bytes == 0;
}

static void do_access(const struct proa_access *access, const void *caller)
{
    const int is_atomic =
        access->kind == PROA_ACCESS_ATOMIC || access->kind == PROA_ACCESS_ATOMIC_READ;
    const struct proa_sanitized said = {.memory = (const void *)(uintptr_t)access->low,
                                        .bytes = access->high - access->low,
                                        .caller = caller,
                                        .is_store = access->kind == PROA_ACCESS_WRITE ||
                                                    access->kind == PROA_ACCESS_ATOMIC,
                                        .is_atomic = is_atomic || is_flag(access)};

    if (!said.is_atomic || said.bytes <= ATOMIC_MOST)
        proa_sanitizer_access(&said);
}

/* As the actor: what the access comes after. */
static void acquire_moment(struct process *origin, const struct proa_access *access)
{
    for (int i = 0; i < proa_board_size(); i++) {
        const uint64_t knows = access->moment->clock[i];
        void *mark = processes[i] && processes[i] != origin && origin->acquired[i] < knows
                         ? mark_by(&processes[i]->history, knows)
                         : NULL;

        origin->acquired[i] = knows;
        if (mark)
            proa_sanitizer_acquire(mark);
    }
    if (is_flag(access))
        proa_sanitizer_acquire(&polled);
}

void proa_announce_taken(const struct proa_access *access)
{
    const void *caller =
        proa_place_here(access); /* before it acts: it loads memory of this process */
    struct process *origin;
    void *before;

    if (proa_clock_shares() || access->origin == proa_board_rank())
        return;
    origin = process_of(access->origin);
    if (!origin)
        return;
    before = proa_sanitizer_enter(origin->actor);
    acquire_moment(origin, access);
    do_access(access, caller);
    proa_sanitizer_release(mark_of(&origin->history, access->stamp));
    proa_sanitizer_leave(before);
}

/* ---- pending operations of this process ---- */

static struct pending *pending_of(const struct proa_win *win, int rank, int is_requested)
{
    const uintptr_t hash = ((uintptr_t)win >> 6) + (uintptr_t)rank;

    return &(is_requested ? requested : plain)[hash % PENDING];
}

static void pend(struct pending *pending, const struct proa_access *access)
{
    void *before;

    pthread_mutex_lock(&mutex);
    if (!pending->actor)
        pending->actor = proa_sanitizer_actor("pending operations of this rank");
    if (pending->actor) {
        proa_sanitizer_release(&pending->begun);
        before = proa_sanitizer_enter(pending->actor);
        proa_sanitizer_acquire(&pending->begun);
        do_access(access, access->caller);
        proa_sanitizer_release(&pending->complete);
        proa_sanitizer_leave(before);
    }
    pthread_mutex_unlock(&mutex);
}

void proa_announce_buffer(const struct proa_access *access)
{
    if (proa_announce_is_on())
        pend(pending_of(access->window, access->origin, access->requested), access);
}

void proa_announce_own(const struct proa_access *access)
{
    if (proa_announce_is_on() && follows)
        pend(access->fetches || access->kind == PROA_ACCESS_READ ? &fetches : &updates, access);
}

static void complete(struct pending *pending, int count)
{
    for (int i = 0; i < count; i++)
        if (pending[i].actor)
            proa_sanitizer_acquire(&pending[i].complete);
}

void proa_announce_complete(const struct proa_win *win, int rank, int is_requested, int local)
{
    const int all = rank < 0 || !win;

    if (!proa_announce_is_on())
        return;
    pthread_mutex_lock(&mutex);
    complete(all ? requested : pending_of(win, rank, 1), all ? PENDING : 1);
    if (!is_requested)
        complete(all ? plain : pending_of(win, rank, 0), all ? PENDING : 1);
    complete(&fetches, 1);
    if (!local && !is_requested)
        complete(&updates, 1);
    pthread_mutex_unlock(&mutex);
}
