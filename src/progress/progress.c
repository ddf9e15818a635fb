/* SPDX-License-Identifier: BSD-3-Clause */
/* See progress.h. */
#include "progress/progress.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/host_progress.h"
#include "base/load.h"
#include "base/log.h"
#include "base/system.h"
#include "base/wait.h"
#include "adopt/adopt.h"
#include "shm/threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

enum {
    DOZE_NS = 100000000,     /* with nothing to do */
    DOZE_PENDING_NS = 50000, /* an origin waits for a lock that is released on the node */
    LINGER_NS = 30000,       /* after the last event, before a doze: the next event may be near */
    LINGER_PUT_NS = 10000,   /* the same after a part of a peer's put, which raises no event */
    LEAVE_NS = 900000000,    /* at the end of the process, for the goodbye */
    REST_NS = 300000,   /* while other threads make progress, between checks that they still do */
    TAKE_IN_TURNS = 64, /* most turns in one call that tests */
    STACK_BYTES = 1 << 19
};

const struct proa_progress_work *proa_progress_work;

/* An answer that waits for room. */
struct waiting {
    struct waiting *prev, *next;
    uint32_t peer;
    size_t bytes;
    char body[];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static struct waiting *waiting;
/* Requests to the progress thread: to end; and to say goodbye before that. */
enum { STOPS = 1, LEAVES = 2 };
static int is_running, stopping;
static pid_t owner; /* the process that owns this state; a child of fork does not */

/* Which thread makes progress. drives: number of calls in which waiting threads made progress.
 * in_charge: the progress thread makes progress, as no other thread does. rest_doorbell: the
 * doorbell on which the progress thread rests. */
static uint64_t drives;
static uint32_t in_charge;
static struct proa_doorbell rest_doorbell;
static int dozes;      /* the progress thread may be in its long doze; inside */
static int is_pending; /* the last progress left work that is due soon; inside */
/* Used by the progress thread alone. soon: its last check left a batch unsent. came: something
 * arrived at the end of its last doze. */
static int soon, came;

static uint32_t has_left; /* the progress thread will not enter the transport again */
/* This thread holds the mutex, or is about to take or release it. A signal handler that has
 * interrupted the thread reads this. */
static _Thread_local int inside;

/* The mark is set before the mutex is acquired, and cleared after it is released. */
static void mark_inside(int yes)
{
    proa_atomic_store(&inside, yes, PROA_RELAXED);
    proa_atomic_compiler_fence();
}

void proa_progress_enter(void)
{
    mark_inside(1);
    pthread_mutex_lock(&mutex);
}

void proa_progress_leave(void)
{
    pthread_mutex_unlock(&mutex);
    proa_atomic_compiler_fence();
    mark_inside(0);
}

static int try_enter(void)
{
    mark_inside(1);
    if (pthread_mutex_trylock(&mutex) == 0)
        return 1;
    mark_inside(0);
    return 0;
}

/* ---- sending, for callers that may not wait ---- */

/* Messages to one peer keep their order. A peer that accepts no messages, such as one that has
 * ended, blocks only its own messages, and those of peers whose number has the same remainder. */
static void waiting_send(void)
{
    enum { REMAINDERS = 4096 };
    uint8_t is_full[REMAINDERS];
    struct waiting *w, *next;

    if (!waiting)
        return;
    memset(is_full, 0, sizeof is_full);
    DL_FOREACH_SAFE(waiting, w, next) {
        uint8_t *full = &is_full[w->peer % REMAINDERS];

        *full = *full || proa_progress_send(w->peer, w->body, w->bytes) == PROA_NET_AGAIN;
        if (*full)
            continue;
        DL_DELETE(waiting, w);
        free(w);
    }
}

void proa_progress_answer(uint32_t peer, const void *body, size_t bytes)
{
    struct waiting *w;

    if (!waiting && proa_progress_send(peer, body, bytes) != PROA_NET_AGAIN)
        return;
    w = malloc(sizeof *w + bytes);
    if (!w) {
        proa_log(PROA_LOG_WARN,
                 "out of memory for an answer to another node, whose operation may hang");
        return;
    }
    w->peer = peer;
    w->bytes = bytes;
    memcpy(w->body, body, bytes);
    DL_APPEND(waiting, w);
}

int proa_progress_step(void)
{
    int moved = proa_endpoints_progress();

    moved |= proa_progress_work->go_on(&is_pending);
    waiting_send();
    return moved;
}

/* Does not wake the thread if oversubscribed: the thread would take a processor from a process. */
void proa_progress_disturb(void)
{
    if (dozes && !proa_is_oversubscribed())
        proa_endpoints_wake();
    dozes = 0;
}

/* ---- which thread makes progress ---- */

/* The caller makes progress now, so the progress thread rests. */
static void take_charge(void)
{
    proa_atomic_store(&drives, proa_atomic_load(&drives, PROA_RELAXED) + 1, PROA_RELAXED);
    if (proa_atomic_load(&in_charge, PROA_RELAXED))
        proa_atomic_store(&in_charge, 0, PROA_RELAXED);
}

void proa_progress_drive(void)
{
    take_charge();
    if (!try_enter())
        return;
    proa_progress_step();
    proa_progress_leave();
}

/* Takes two turns at least. In the first, the completion queue may yield only completions of our
 * own sends, before incoming messages are read. */
void proa_progress_take_in(void)
{
    take_charge();
    proa_progress_enter();
    for (int turn = 0; turn < TAKE_IN_TURNS; turn++)
        if (!proa_progress_step() && turn > 0)
            break;
    proa_progress_leave();
}

/* Called before a waiting thread sleeps. Relaxed: the mutex orders the work, and a missed ring
 * costs one rest. */
static void hand_over(void)
{
    if (proa_atomic_exchange(&in_charge, 1, PROA_RELAXED) == 0)
        proa_doorbell_ring(&rest_doorbell);
}

static int is_in_charge(void)
{
    return proa_atomic_load(&in_charge, PROA_RELAXED) != 0;
}

/* Relaxed: a thread that thread_end wakes sees the flag, by the doorbell or by the kernel. */
static int is_stopping(void)
{
    return proa_atomic_load(&stopping, PROA_RELAXED);
}

/* Returns whether an aggregated batch may have to be sent soon. If another thread is inside, that
 * thread checks instead. */
static int look_for_gathered(void)
{
    int any;

    if (!try_enter())
        return 0;
    any = proa_progress_work->send_due();
    proa_progress_leave();
    return any;
}

/* Other threads make progress: checks from time to time that they still do, and that no batch is
 * left unsent. */
static void rest(void)
{
    uint64_t before = proa_atomic_load(&drives, PROA_RELAXED);
    uint32_t rings;

    proa_doorbell_announce(&rest_doorbell, NULL, &rings);
    if (!is_in_charge() && !is_stopping())
        proa_system->sleep(&rest_doorbell.rings, rings, soon ? DOZE_PENDING_NS : REST_NS);
    proa_doorbell_leave(&rest_doorbell, NULL);
    soon = look_for_gathered();
    if (before == proa_atomic_load(&drives, PROA_RELAXED))
        proa_atomic_store(&in_charge, 1, PROA_RELAXED);
}

/* Makes progress once, then as long as events happen, or have just happened. A peer's put raises no
 * event here, but one part of a put is mostly followed by another. */
static void move_and_doze(void)
{
    long end_ns = came ? proa_system->now_ns() + LINGER_PUT_NS : 0;
    int pending;

    do {
        int moved;

        proa_progress_enter();
        moved = proa_progress_step();
        pending = is_pending;
        dozes = !pending;
        proa_progress_leave();
        if (moved)
            end_ns = proa_system->now_ns() + LINGER_NS;
    } while (end_ns && !proa_is_oversubscribed() && proa_system->now_ns() < end_ns &&
             is_in_charge() && !is_stopping());
    came = proa_endpoints_doze(pending ? DOZE_PENDING_NS : DOZE_NS);
}

static void *work(void *arg)
{
    (void)arg;
    proa_threads_begin();
    proa_host_progress_forbid();
    proa_wait_unwatched(); /* this thread executes no call of the program */
    while (!is_stopping()) {
        if (is_in_charge())
            move_and_doze();
        else
            rest();
    }
    if (is_stopping() & LEAVES) {
        /* Nothing is freed: another thread may still make progress. The mutex stays locked, so that
         * no thread is inside the network's library when the library ends. */
        proa_progress_enter();
        proa_endpoints_part(!proa_progress_work->has_windows());
    }
    proa_threads_end();
    proa_atomic_store(&has_left, 1, PROA_RELEASE); /* partner: at_exit */
    proa_system->wake(&has_left);
    return NULL;
}

/* ---- start and stop ---- */

/* The stack is small, as the address space may be limited. If a small stack cannot hold the
 * thread-local data of the process's libraries, it has the default size. */
static int thread_create(void)
{
    pthread_attr_t small;
    int error = pthread_attr_init(&small);

    if (!error) {
        pthread_attr_setstacksize(&small, STACK_BYTES);
        error = pthread_create(&thread, &small, work, NULL);
        pthread_attr_destroy(&small);
    }
    return error == EINVAL ? pthread_create(&thread, NULL, work, NULL) : error;
}

/* Blocks all signals in the new thread: the program handles its signals in its own threads. */
static int thread_start(void)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    error = thread_create();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0 ? PROA_OK : proa_fail(PROA_ERR_OTHER, "cannot create the progress thread");
}

/* Requests the end of the progress thread. Takes no lock. */
static void thread_end(int how)
{
    proa_atomic_fetch_or(&stopping, how, PROA_RELAXED);
    proa_doorbell_wake(&rest_doorbell, NULL);
    proa_endpoints_wake();
}

void proa_progress_pause(void)
{
    proa_wait_set_driver(NULL);
    if (!is_running || owner != getpid()) /* a child of fork has no such thread */
        return;
    thread_end(STOPS);
    pthread_join(thread, NULL);
    stopping = is_running = 0;
}

int proa_progress_resume(void)
{
    static const struct proa_wait_driver driver = {
        .drive = proa_progress_drive, .take_in = proa_progress_take_in, .rest = hand_over};
    int error;

    proa_atomic_store(&in_charge, 1, PROA_RELAXED);
    owner = getpid();
    has_left = 0;
    error = thread_start();
    is_running = !error;
    if (error)
        return error;
    proa_wait_set_driver(&driver);
    proa_adopt_set_pause(proa_progress_enter, proa_progress_leave);
    return PROA_OK;
}

void proa_progress_stop(void)
{
    struct waiting *w, *next;

    if (!proa_endpoints_any() || owner != getpid())
        return;
    proa_progress_pause();
    proa_adopt_set_pause(NULL, NULL);
    DL_FOREACH_SAFE(waiting, w, next) {
        DL_DELETE(waiting, w);
        free(w);
    }
    proa_endpoints_close(!proa_progress_work->has_windows());
}

void proa_progress_end(void)
{
    int any;

    if (!proa_progress_work)
        return;
    proa_progress_enter();
    any = proa_progress_work->has_windows();
    proa_progress_leave();
    if (!any)
        proa_progress_stop();
}

/* Runs before the destructors of the network's library at the end of the process. A signal handler
 * may have called exit() while this thread was anywhere, even inside. So the function takes no lock
 * and calls nothing of the library. The progress thread says goodbye, and this function waits for
 * it, for LEAVE_NS at most. If a process leaves without a goodbye, its peers detect its end. */
static __attribute__((destructor)) void at_exit(void)
{
    long end_ns;

    if (!is_running || owner != getpid() || proa_atomic_load(&inside, PROA_RELAXED))
        return;
    proa_wait_set_driver(NULL);
    thread_end(LEAVES);
    end_ns = proa_system->now_ns() + LEAVE_NS;
    while (!proa_atomic_load(&has_left, PROA_ACQUIRE) && proa_system->now_ns() < end_ns)
        proa_system->sleep(&has_left, 0, end_ns - proa_system->now_ns());
}
