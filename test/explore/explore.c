/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search and the threads.
 *
 * Threads are coroutines on stacks of their own; one runs at a time. An execution is a row of
 * choices: the thread that runs next, before each operation that others can notice, and the store
 * that a load returns. The search is depth first: the next execution repeats the choices of the one
 * before up to the last that has another way left. Choice 0 goes on with the same thread and the
 * newest value; others are bounded in number.
 *
 * A thread that spins runs again after a store of another thread. Where no thread can run, all
 * stores become visible, then short sleeps time out; where that has been of no use, the threads
 * wait for each other for ever, which is an error.
 */
#include "core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_BYTES = 1 << 18, CHOICES = 20000, STEPS = 4000, LOOKS = 60, IDLE_ROUNDS = 3 };
enum state { DONE, RUNS, SPINS, SLEEPS, WAITS_FOR_MUTEX };
static const char *const state_names[] = {"is done", "runs", "spins", "sleeps",
                                          "waits for a mutex"};

static struct thread {
    jmp_buf context;
    ucontext_t first;
    enum state state;
    const void *awaited;
    int may_time_out;
    int is_new, is_kept; /* its coroutine begins; waits for the next execution */
    char statics[EXPLORE_PRIVATE_BYTES];
    char stack[STACK_BYTES] __attribute__((aligned(64)));
} threads[EXPLORE_THREADS];

static const struct explore_scenario *scenario;
static const struct explore_bounds *bounds;
static int running = -1;
static jmp_buf searcher;
static struct {
    const void *address;
    int held;
} mutexes[16];

static char failure[400];
long explore_executions;
static int has_failed, restarts, preemptions, stale, steps, idle_rounds, times, looks;

int explore_thread(void)
{
    return running;
}

const char *explore_failure(void)
{
    return failure;
}

void explore_restart(void)
{
    restarts = 1;
}

/* ---- choices ---- */

static struct {
    uint16_t taken, options;
} path[CHOICES];
static int path_length, path_at;
static uint64_t chance;

static uint64_t random_below(uint64_t limit)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % limit;
}

int explore_choose(int options)
{
    if (options <= 1)
        return 0;
    if (bounds->random)
        return random_below(4) ? 0 : (int)random_below((uint64_t)options);
    if (path_at == CHOICES)
        explore_fail("too many choices in one execution");
    if (path_at == path_length) {
        path[path_length].taken = 0;
        path[path_length++].options = (uint16_t)options;
    }
    if (path[path_at].options != options)
        explore_fail("an execution cannot be repeated: the code depends on more than shared words");
    return path[path_at++].taken;
}

/* Turns to the next execution. Returns 0 if there is none. */
static int path_next(void)
{
    path_at = 0;
    if (restarts)
        path_length = 0;
    if (restarts || bounds->random)
        return 1;
    while (path_length && path[path_length - 1].taken + 1 == path[path_length - 1].options)
        path_length--;
    if (path_length)
        path[path_length - 1].taken++;
    return path_length > 0;
}

int explore_may_be_stale(void)
{
    return bounds->random || stale < bounds->stale;
}

void explore_stale_taken(void)
{
    stale++;
}

/* ---- threads ---- */

static void leave(int how)
{
    running = -1;
    _longjmp(searcher, how);
}

void explore_fail(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    vsnprintf(failure, sizeof failure, fmt, arguments);
    va_end(arguments);
    has_failed = 1;
    if (running >= 0)
        leave(1);
    _longjmp(searcher, 1);
}

static void resume(int next)
{
    int is_new = threads[next].is_new;

    running = next;
    explore_private_load(threads[next].statics);
    threads[next].is_new = 0;
    if (is_new)
        setcontext(&threads[next].first);
    _longjmp(threads[next].context, 1);
}

static void switch_to(int next)
{
    if (next == running)
        return;
    explore_private_save(threads[running].statics);
    if (_setjmp(threads[running].context) == 0)
        resume(next);
}

/* Threads that may run. The running one first; a sleeper whose time may be over, as it may be when
 * it is not at its turn. */
static int candidates(int *who)
{
    int count = 0, goes_on = threads[running].state == RUNS,
        may_switch = bounds->random || preemptions < bounds->preemptions;

    if (goes_on)
        who[count++] = running;
    for (int i = 0; i < scenario->threads; i++)
        if (i != running && threads[i].state == RUNS && (!goes_on || may_switch))
            who[count++] = i;
    for (int i = 0; count && i < scenario->threads && may_switch; i++)
        if (threads[i].state == SLEEPS && threads[i].may_time_out)
            who[count++] = i;
    return count;
}

static void deadlock(void)
{
    char text[300] = "";

    for (int i = 0; i < scenario->threads; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s thread %d %s", i ? "," : "",
                 i, state_names[threads[i].state]);
    explore_fail("no thread can go on:%s", text);
}

/* Stores become visible, and time passes. */
static void nothing_runs(void)
{
    int woken = 0;

    explore_memory_settle();
    times++;
    if (++idle_rounds > IDLE_ROUNDS)
        deadlock();
    for (int i = 0; i < scenario->threads; i++)
        if (threads[i].state == SPINS || (threads[i].state == SLEEPS && threads[i].may_time_out)) {
            threads[i].state = RUNS;
            woken = 1;
        }
    if (!woken)
        deadlock();
}

static int all_done(void)
{
    int done = 1;

    for (int i = 0; i < scenario->threads; i++)
        done &= threads[i].state == DONE;
    return done;
}

static void run_next(void)
{
    int who[2 * EXPLORE_THREADS], count, taken;

    if (all_done())
        leave(1);
    count = candidates(who);
    if (count == 0) {
        nothing_runs();
        count = candidates(who);
    }
    taken = explore_choose(count);
    if (threads[who[taken]].state == SLEEPS || (threads[running].state == RUNS && taken))
        preemptions++;
    threads[who[taken]].state = RUNS;
    switch_to(who[taken]);
}

static void wait_in(enum state state, const void *awaited, int may_time_out)
{
    threads[running].state = state;
    threads[running].awaited = awaited;
    threads[running].may_time_out = may_time_out;
    run_next();
}

/* So many looks without a store of any thread are a loop that waits without a yield. */
void explore_point(void)
{
    if (++steps > STEPS)
        explore_fail("%d steps have not ended the execution", STEPS);
    if (++looks < LOOKS) {
        run_next();
        return;
    }
    looks = 0;
    explore_yield();
}

void explore_stored(void)
{
    idle_rounds = looks = 0;
    for (int i = 0; i < scenario->threads; i++)
        if (i != running && threads[i].state == SPINS)
            threads[i].state = RUNS;
}

void explore_yield(void)
{
    if (running >= 0)
        wait_in(SPINS, NULL, 0);
}

void explore_pass_time(void)
{
    times++;
}

int explore_time(void)
{
    return times;
}

void explore_sleep(uint32_t *word, uint32_t expected, int may_time_out)
{
    explore_point();
    explore_note("looks, to sleep at", *word);
    if (*word == expected)
        wait_in(SLEEPS, word, may_time_out || scenario->times_out);
    explore_note("wakes up at", *word);
}

void explore_wake(const uint32_t *word)
{
    explore_point();
    explore_note("wakes all at", *word);
    for (int i = 0; i < scenario->threads; i++)
        if (threads[i].state == SLEEPS && threads[i].awaited == word)
            threads[i].state = RUNS;
}

/* ---- mutexes ---- */

static int *mutex_held(const void *mutex)
{
    for (size_t i = 0; i < sizeof mutexes / sizeof mutexes[0]; i++) {
        if (!mutexes[i].address)
            mutexes[i].address = mutex;
        if (mutexes[i].address == mutex)
            return &mutexes[i].held;
    }
    explore_fail("too many mutexes");
}

static void mutex_take(const void *mutex)
{
    *mutex_held(mutex) = 1;
    explore_mutex_taken(mutex);
    explore_note("locks a mutex", 0);
}

void explore_lock(const void *mutex)
{
    if (running < 0)
        return;
    explore_point();
    while (*mutex_held(mutex))
        wait_in(WAITS_FOR_MUTEX, mutex, 0);
    mutex_take(mutex);
}

int explore_try_lock(const void *mutex)
{
    explore_point();
    if (*mutex_held(mutex))
        return 0;
    mutex_take(mutex);
    return 1;
}

void explore_unlock(const void *mutex)
{
    if (running < 0)
        return;
    explore_note("unlocks a mutex", 0);
    explore_mutex_given(mutex);
    *mutex_held(mutex) = 0;
    idle_rounds = 0;
    for (int i = 0; i < scenario->threads; i++)
        if (threads[i].state == WAITS_FOR_MUTEX && threads[i].awaited == mutex)
            threads[i].state = RUNS;
}

/* ---- an execution ---- */

/* A coroutine serves all executions, one after the other, as long as none is cut short. */
static void coroutine(void)
{
    for (;;) {
        threads[running].is_kept = 0;
        scenario->body(running);
        threads[running].state = DONE;
        threads[running].is_kept = 1;
        if (_setjmp(threads[running].context) == 0)
            run_next();
    }
}

static void thread_start(struct thread *thread)
{
    thread->state = RUNS;
    explore_private_fresh(thread->statics);
    if (thread->is_kept)
        return;
    getcontext(&thread->first);
    thread->first.uc_stack.ss_sp = thread->stack;
    thread->first.uc_stack.ss_size = sizeof thread->stack;
    thread->first.uc_link = NULL;
    makecontext(&thread->first, coroutine, 0);
    thread->is_new = 1;
}

static void threads_run(void)
{
    if (_setjmp(searcher))
        return;
    scenario->setup();
    for (int i = 0; i < scenario->threads; i++)
        thread_start(&threads[i]);
    resume(explore_choose(scenario->threads));
}

static void finish(void)
{
    if (_setjmp(searcher) == 0)
        scenario->finish();
}

static void execute(void)
{
    explore_shared_reset();
    explore_memory_reset(scenario->threads);
    memset(mutexes, 0, sizeof mutexes);
    restarts = preemptions = stale = steps = idle_rounds = times = looks = 0;
    threads_run();
    running = -1;
    if (!has_failed && scenario->finish)
        finish();
}

enum explore_result explore_search(const struct explore_scenario *which,
                                   const struct explore_bounds *within, long *runs)
{
    scenario = which;
    bounds = within;
    chance = bounds->seed * 0x9e3779b97f4a7c15ull + 1;
    has_failed = path_length = path_at = 0;
    for (int i = 0; i < EXPLORE_THREADS; i++)
        threads[i].is_kept = 0;
    for (*runs = 0; *runs < bounds->most;) {
        execute();
        ++*runs;
        explore_executions++;
        if (has_failed)
            return EXPLORE_FOUND;
        if (!path_next())
            return EXPLORE_ALL;
    }
    return EXPLORE_CUT;
}
