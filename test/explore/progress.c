/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress engine (progress/progress.c): threads of a program, and the progress thread, which
 * rests while they drive, dozes, and leaves at the end of the process. */
#include "network.h"
#include "window.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* The progress thread is a thread of the scenario, which begins once it is created. */
static int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                  void *arg);
static int join(pthread_t thread, void **result);
static int mask_none(int how, const sigset_t *set, sigset_t *before);
#define pthread_create create
#define pthread_join join
#define pthread_sigmask mask_none
#define destructor unused /* the end of the process is called by a scenario */
#include "progress/progress.c"

enum { PROGRAM, PROGRESS, OTHER };

static struct shared {
    uint32_t is_created, has_ended;
    uint32_t has_come, is_done; /* an event of the network; and it has been dealt with */
    int is_taken, data;         /* inside */
} * s;

static int create(pthread_t *created, const pthread_attr_t *attributes, void *(*body)(void *),
                  void *arg)
{
    (void)created, (void)attributes, (void)body, (void)arg;
    proa_atomic_store(&s->is_created, 1, PROA_RELEASE);
    return 0;
}

static int join(pthread_t joined, void **result)
{
    (void)joined, (void)result;
    while (!proa_atomic_load(&s->has_ended, PROA_ACQUIRE))
        explore_yield();
    return 0;
}

static int mask_none(int how, const sigset_t *set, sigset_t *before)
{
    (void)how, (void)set, (void)before;
    return 0;
}

static void be_progress_thread(void)
{
    window_enter(0);
    while (!proa_atomic_load(&s->is_created, PROA_ACQUIRE))
        explore_yield();
    work(NULL);
    proa_atomic_store(&s->has_ended, 1, PROA_RELEASE);
}

/* ---- an event ---- */

static void event_take(void)
{
    s->is_taken = 1;
    s->data++;
    proa_atomic_store(&s->is_done, 1, PROA_RELAXED);
    proa_doorbell_ring(&proa_self->ctl->bell);
}

/* Behind the event nothing comes any more, for so long that no thread lingers. */
static int event_look(void)
{
    int is_new = !s->is_taken && proa_atomic_load(&s->has_come, PROA_ACQUIRE);

    if (is_new)
        event_take();
    else if (s->is_taken)
        explore_pass_time();
    return is_new;
}

static void event_comes(void)
{
    proa_atomic_store(&s->has_come, 1, PROA_RELEASE);
    network_arrives();
}

static int event_is_done(void *unused)
{
    (void)unused;
    return (int)proa_atomic_load(&s->is_done, PROA_RELAXED);
}

static void event_check(void)
{
    proa_progress_enter();
    explore_check(s->data == 1);
    proa_progress_leave();
}

/* ---- scenarios ---- */

static void prepare(void)
{
    window_prepare();
    explore_share(&stopping, sizeof stopping);
    explore_share(&is_running, sizeof is_running);
    explore_share(&owner, sizeof owner);
    explore_share(&drives, sizeof drives);
    explore_share(&in_charge, sizeof in_charge);
    explore_share(&rest_doorbell, sizeof rest_doorbell);
    explore_share(&dozes, sizeof dozes);
    explore_share(&is_pending, sizeof is_pending);
    explore_share(&soon, sizeof soon);
    explore_share(&came, sizeof came);
    explore_share(&has_left, sizeof has_left);
}

static const struct network events = {.progress = event_look};

static void setup(void)
{
    window_make(1);
    network_make(&events);
    s = explore_new(sizeof *s, 64);
}

/* It was there before. */
static void setup_running(void)
{
    setup();
    owner = getpid();
    is_running = 1;
    s->is_created = 1;
}

static void begin(void)
{
    window_enter(0);
    explore_check(proa_progress_resume() == PROA_OK);
}

/* Begins and ends. */
static void stopped(int thread)
{
    if (thread == PROGRESS) {
        be_progress_thread();
        return;
    }
    begin();
    proa_progress_pause();
    explore_check(!is_running && !stopping);
    network_library();
}

/* The program drives, and sleeps until an event comes that the progress thread deals with. */
static void handed_over(int thread)
{
    if (thread == PROGRESS) {
        be_progress_thread();
    } else if (thread == OTHER) {
        event_comes();
    } else {
        begin();
        proa_progress_drive();
        proa_wait(event_is_done, NULL, &proa_self->ctl->bell);
        event_check();
        proa_progress_pause();
    }
}

/* The program leaves work behind, and sleeps until the progress thread has done it. */
static void setup_disturbed(void)
{
    setup_running();
    in_charge = 1;
}

static void disturbed(int thread)
{
    if (thread == PROGRESS) {
        be_progress_thread();
        return;
    }
    window_enter(0);
    proa_progress_enter();
    proa_atomic_store(&s->has_come, 1, PROA_RELAXED);
    proa_progress_disturb();
    proa_progress_leave();
    proa_wait_still(event_is_done, NULL, &proa_self->ctl->bell);
    event_check();
    proa_progress_pause();
}

/* A call that tests takes in what has come before, though another thread drives. */
static void setup_taken_in(void)
{
    setup();
    s->has_come = 1;
}

static void taken_in(int thread)
{
    window_enter(0);
    if (thread) {
        proa_progress_drive();
    } else {
        proa_progress_take_in();
        explore_check(event_is_done(NULL) && s->data == 1);
    }
}

/* The process ends while another thread drives: then the library ends, and is used no more. */
static void left(int thread)
{
    if (thread == PROGRESS) {
        be_progress_thread();
    } else if (thread == OTHER) {
        window_enter(0);
        proa_progress_drive();
    } else {
        window_enter(0);
        at_exit();
        explore_check(has_left);
        network_library();
    }
}

const struct explore_scenario explore_progress[] = {
    {.name = "progress.stopped", .threads = 2, .prepare = prepare, .setup = setup, .body = stopped},
    {.name = "progress.handed_over",
     .threads = 3,
     .prepare = prepare,
     .setup = setup,
     .body = handed_over,
     .preemptions = 1,
     .stale = 1},
    {.name = "progress.disturbed",
     .threads = 2,
     .prepare = prepare,
     .setup = setup_disturbed,
     .body = disturbed},
    {.name = "progress.taken_in",
     .threads = 2,
     .prepare = prepare,
     .setup = setup_taken_in,
     .body = taken_in},
    {.name = "progress.left",
     .threads = 3,
     .prepare = prepare,
     .setup = setup_running,
     .body = left,
     .preemptions = 1},
    {0},
};
