/* SPDX-License-Identifier: BSD-3-Clause */
/* See watchdog.h. */
#include "check/watchdog.h"
#include "base/atomic.h"
#include "base/settings.h"
#include "base/system.h"
#include "check/wait_cause.h"
#include "hang/hang.h"
#include "hang/reports.h"
#include "hang/members.h"
#include "findings/finding.h"
#include "hang/thread_calls.h"
#include "findings/world.h"
#include "shm/threads.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOKS_A_SECOND = 4, LOOK_MS = 1000 / LOOKS_A_SECOND, LATE_MS = 1000 };

static pthread_t thread;
static sem_t over;
static int is_there;

/* ---- this process ---- */

/* Result of one pass over all records. */
struct look {
    int threads, inside; /* inside: threads that were long enough in the same call */
    uint64_t episode;
    int is_late;              /* this process was not scheduled for a while */
    int is_again;             /* second pass of the same check */
    struct proa_stuck *stuck; /* NULL to count only */
};

static int looks_enough(void)
{
    return (int)proa_settings()->check_hang_s * LOOKS_A_SECOND;
}

/* In a call on a window a thread may also work: it copies data, or runs the program's functions. */
static int has_waited(const struct proa_thread_calls *here, uint64_t waits)
{
    return proa_atomic_load(&here->here.awaits, PROA_RELAXED) != PROA_AWAITS_WINDOW ||
           (waits % 2 && waits == here->seen_waits);
}

static void look_at(struct proa_thread_calls *here, void *arg)
{
    struct look *look = arg;
    const uint64_t number = proa_atomic_load(&here->number, PROA_ACQUIRE),
                   waits = proa_atomic_load(&here->waits, PROA_RELAXED);

    if (!look->is_again)
        here->looks =
            number == here->seen && has_waited(here, waits) && !look->is_late ? here->looks + 1 : 0;
    here->seen = number;
    here->seen_waits = waits;
    look->threads++;
    look->episode += number + waits;
    look->inside += number % 2 && here->looks >= looks_enough();
}

/* The objects that the record names stay valid until this pass ends. If the thread continues
 * meanwhile, its number changes and the description is discarded. */
static void describe(struct proa_thread_calls *here, void *arg)
{
    struct proa_stuck *stuck = arg;
    struct proa_stuck_wait *wait = &stuck->wait[stuck->waits];
    struct proa_thread_calls read;

    if (stuck->waits == PROA_STUCK_WAITS || here->seen % 2 == 0 ||
        proa_atomic_load(&here->number, PROA_ACQUIRE) != here->seen)
        return;
    stuck->waits++;
    proa_thread_calls_read(here, &read);
    proa_wait_cause_describe(&read.here, wait);
    wait->seconds = here->looks / LOOKS_A_SECOND;
}

/* Returns true if this process waits, and describes the wait in *stuck. */
static int waits(struct proa_stuck *stuck, int is_late)
{
    struct look look = {.is_late = is_late}, again = {.is_again = 1};

    proa_thread_calls_each(look_at, &look);
    if (look.threads == 0 || look.inside < look.threads)
        return 0;
    memset(stuck, 0, sizeof *stuck);
    stuck->rank = proa_world_rank();
    stuck->episode = look.episode;
    proa_thread_calls_each(describe, stuck);
    proa_wait_cause_locks(stuck);
    proa_wait_cause_requests(stuck);
    stuck->done = proa_members_done(stuck->did, PROA_STUCK_DONE);
    proa_thread_calls_each(look_at, &again);
    return again.episode == look.episode;
}

/* ---- the thread ---- */

static int is_over(int wait_ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += wait_ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    return sem_clockwait(&over, CLOCK_MONOTONIC, &until) == 0;
}

/* Rank 0 takes the reports that arrived. It waits for more until the next pass. */
static void take_letters(struct proa_stuck *stuck)
{
    while (proa_hang_reports_take(stuck, 0) == 0)
        proa_hang_know(stuck);
}

/* Returns true if this process was not scheduled on time since the last pass. */
static int is_late(void)
{
    static long last_ns;
    const long before_ns = last_ns;

    last_ns = proa_system->now_ns();
    return before_ns && last_ns - before_ns > LATE_MS * 1000000L;
}

static void *watch(void *stuck)
{
    proa_threads_begin();
    for (unsigned looks = 0; !is_over(LOOK_MS); looks++) {
        if (waits(stuck, is_late()) && looks % LOOKS_A_SECOND == 0) {
            if (proa_world_rank() == 0)
                proa_hang_know(stuck);
            else
                proa_hang_reports_send(stuck);
        }
        if (proa_world_rank() == 0)
            take_letters(stuck);
    }
    proa_threads_end();
    free(stuck);
    return NULL;
}

/* Blocks signals: the program's signals are for its own threads. */
static int start(struct proa_stuck *stuck)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, NULL, watch, stuck);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void proa_watchdog_begin(MPI_Comm comm)
{
    struct proa_stuck *stuck;

    if (proa_settings()->check_hang_s == 0 || comm == MPI_COMM_NULL ||
        proa_hang_reports_begin(comm))
        return;
    proa_members_begin(comm);
    proa_hang_begin();
    sem_init(&over, 0, 0);
    stuck = calloc(1, sizeof *stuck);
    is_there = stuck && start(stuck) == 0;
    if (!is_there)
        free(stuck);
    proa_thread_calls_on = is_there;
    proa_finding_around = is_there ? proa_thread_calls_pause : NULL;
}

void proa_watchdog_end(void)
{
    if (!is_there)
        return;
    sem_post(&over);
    pthread_join(thread, NULL);
    is_there = 0;
    sem_destroy(&over);
    proa_hang_reports_end();
    proa_hang_end();
}
