/* SPDX-License-Identifier: BSD-3-Clause */
/* See poll.h. */
#include "base/atomic.h"
#include "base/poll.h"
#include "base/host_progress.h"
#include "base/load.h"
#include "base/system.h"

enum {
    /* calls that a program can poll with; host progress costs as much as some 20 of them, and
     * with many ranks Open MPI gives the processor up in it */
    POLLS_PER_PROGRESS = 4096,
    POLLS_PER_BUSY_PROGRESS = 32, /* while a message moves */
    /* calls between two readings of the clock, if oversubscribed */
    POLLS_PER_TURN = 128,
    POLL_PATIENCE_NS = 20000, /* of polling before other threads get the processor */
    /* Polling before a sleep, if yields let no other thread run although one wants to, and the
     * length of that sleep. A turn that takes longer includes other work of the program. */
    POLL_REST_NS = 50000,
    /* a thread that preempted us within this time may still want the processor */
    CONTENDED_NS = 100000000
};

/* The state of a thread that polls. */
struct poller {
    long begin_ns;     /* start of uninterrupted polling; 0 if the thread does not poll */
    long turn_ns;      /* when it last read the clock */
    long contended_ns; /* when it last detected that it had been preempted */
    long lost;         /* preemptions so far */
    int turns;         /* since the last host progress */
};

static _Thread_local struct poller poller;

/* Returns whether another thread wants this processor. Otherwise a sleep would help no other
 * thread. */
static int is_contended(struct poller *p, long now_ns)
{
    long lost = proa_system->preempted();

    if (lost != p->lost) {
        p->lost = lost;
        p->contended_ns = now_ns;
    }
    return p->contended_ns && now_ns - p->contended_ns < CONTENDED_NS;
}

/* Called when oversubscribed, after polling for some time: the awaited process may lack a
 * processor. */
static void let_others_run(struct poller *p)
{
    int helped = proa_yield();
    long end_ns = proa_system->now_ns();

    if (helped) {
        p->begin_ns = end_ns;
    } else if (end_ns - p->begin_ns > POLL_REST_NS && is_contended(p, end_ns)) {
        proa_system->rest(POLL_REST_NS);
        p->begin_ns = proa_system->now_ns();
    }
    p->turn_ns = p->begin_ns > end_ns ? p->begin_ns : end_ns;
}

static void oversubscribed_turn(struct poller *p, int stored)
{
    long now_ns = proa_system->now_ns();

    if (stored || p->begin_ns == 0 || now_ns - p->turn_ns > POLL_REST_NS)
        p->begin_ns = now_ns;
    p->turn_ns = now_ns;
    if (now_ns - p->begin_ns > POLL_PATIENCE_NS)
        let_others_run(p);
}

void proa_polls_turn(struct proa_polls *polls)
{
    int stored = proa_atomic_load(&polls->stored, PROA_RELAXED),
        oversubscribed = proa_is_oversubscribed();
    uint32_t next = oversubscribed ? POLLS_PER_TURN : POLLS_PER_PROGRESS;

    proa_atomic_store(&polls->stored, 0, PROA_RELAXED);
    poller.turns += oversubscribed ? 1 : POLLS_PER_PROGRESS / POLLS_PER_TURN;
    if (poller.turns >= POLLS_PER_PROGRESS / POLLS_PER_TURN) {
        poller.turns = 0;
        if (proa_host_progress_moves(0)) {
            poller.turns = POLLS_PER_PROGRESS / POLLS_PER_TURN;
            next = POLLS_PER_BUSY_PROGRESS;
        }
    }
    if (oversubscribed)
        oversubscribed_turn(&poller, stored);
    proa_atomic_store(&polls->left, next - 1, PROA_RELAXED);
}
