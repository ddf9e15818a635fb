/* SPDX-License-Identifier: BSD-3-Clause */
/* See local.h. */
#include "check/local.h"
#include "base/atomic.h"
#include "base/load.h"
#include "base/log.h"
#include "base/settings.h"
#include "check/buffers.h"
#include "check/own.h"
#include "check/polls.h"
#include "check/reuse.h"
#include "findings/finding.h"
#include "findings/world.h"
#include "host/handle.h"
#include "host/pmpi.h"
#include "order/clock.h"
#include "translator/translator.h"
#include "usage/rules.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

enum {
    TAKEN_MOST = 1024,   /* accesses per drain */
    PAUSE_US = 2000,     /* pause of a call for other threads, microseconds */
    PAUSES_OF_PLACE = 8, /* pauses per call site */
    PAUSES_MOST = 256,   /* pauses in total */
    PLACES = 256
};

struct window {
    const struct proa_win *win;
    struct proa_ordering *ordering;
    uintptr_t memory;
    uint64_t bytes;
    struct window *next;
};

static struct window *windows;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_on, has_threads;

/* ---- begin ---- */

static int is_asked_for(void)
{
    return proa_settings()->check && proa_settings()->check_conflicts &&
           proa_settings()->check_memory;
}

/* The summary names memory whose accesses other ranks do not see. */
static void tell_unseen(void)
{
    proa_finding_unseen(PROA_UNSEEN_WINDOWS | PROA_UNSEEN_BUFFERS);
    if (proa_world_rank() == 0)
        proa_log(PROA_LOG_WARN,
                 "check: loads and stores are not seen: the program has to be started by "
                 "`proa run --check=memory`, or by `proa exec --check=memory`");
}

static void start(void)
{
    int level = MPI_THREAD_SINGLE;

    if (!proa_translator_is_there()) {
        tell_unseen();
        return;
    }
    proa_load_take_turns();
    proa_buffers_start();
    proa_pmpi()->Query_thread(&level);
    has_threads = level != MPI_THREAD_SINGLE;
    is_on = 1;
}

void proa_local_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (is_asked_for())
        pthread_once(&once, start);
}

int proa_local_is_on(void)
{
    return is_on;
}

/* ---- windows ---- */

static void add(const struct proa_win *win, struct proa_ordering *ordering, const void *memory,
                uint64_t bytes)
{
    struct window *window = calloc(1, sizeof *window);

    if (!window)
        return;
    *window = (struct window){win, ordering, (uintptr_t)memory, bytes, NULL};
    LL_PREPEND(windows, window);
    proa_translator_watch(memory, bytes, PROA_LOADS_AND_STORES);
}

void proa_local_open(const struct proa_win *win, struct proa_ordering *ordering)
{
    if (!is_on)
        return;
    pthread_mutex_lock(&mutex);
    add(win, ordering, win->base, win->targets[win->rank].bytes);
    pthread_mutex_unlock(&mutex);
}

/* Stops taking accesses to the memory. memory: base address, or NULL for all memory of the
 * window. */
static void drop(const struct proa_win *win, const void *memory)
{
    struct window *window, *next;

    pthread_mutex_lock(&mutex);
    LL_FOREACH_SAFE(windows, window, next) {
        if (window->win != win || (memory && window->memory != (uintptr_t)memory))
            continue;
        proa_translator_unwatch((const void *)window->memory, window->bytes, PROA_LOADS_AND_STORES);
        LL_DELETE(windows, window);
        free(window);
    }
    pthread_mutex_unlock(&mutex);
}

void proa_local_close(const struct proa_win *win)
{
    drop(win, NULL);
}

void proa_local_attach(const struct proa_win *win, const void *base, uint64_t bytes)
{
    const struct window *window;

    pthread_mutex_lock(&mutex);
    LL_SEARCH_SCALAR(windows, window, win, win);
    add(win, window ? window->ordering : NULL, base, bytes);
    pthread_mutex_unlock(&mutex);
}

void proa_local_detach(const struct proa_win *win, const void *base)
{
    drop(win, base);
}

/* ---- accesses ---- */

/* Position of the call that takes accesses. BESIDE: the accesses are neither before nor after the
 * call. */
enum taken { BEFORE_CALL, BEFORE_POLL, BESIDE };

static int stores(const struct proa_touched *touched)
{
    return (touched->what & PROA_STORES) != 0;
}

/* Takes the bytes that belong to the window. The caller is inside. */
static void take(const struct window *window, const struct proa_touched *touched,
                 enum proa_access_kind kind)
{
    const uint64_t end = window->memory + window->bytes;
    const struct proa_access access = {
        .low = touched->low > window->memory ? touched->low : window->memory,
        .high = touched->high < end ? touched->high : end,
        .caller = (const void *)(uintptr_t)touched->place,
        .call = stores(touched) ? PROA_ACCESS_STORE : PROA_ACCESS_LOAD,
        .kind = (uint8_t)kind};

    if (window->ordering)
        proa_own_touch(window->win, window->ordering, &access);
}

/* Compares the access with buffers of pending operations. */
static void compare_with_buffers(const struct proa_touched *touched)
{
    static const char *const names[2][2] = {
        {"a load", "a store"}, {"a load by a system call", "a store by a system call"}};

    proa_reuse_access(names[touched->is_of_call][stores(touched)],
                      (const void *)(uintptr_t)touched->place, touched->low,
                      touched->high - touched->low, stores(touched));
}

static void take_of(const struct window *window, const struct proa_touched *touched,
                    enum taken taken)
{
    const void *place = (const void *)(uintptr_t)touched->place;

    if (stores(touched)) {
        if (taken != BESIDE)
            proa_rules_stored(proa_handle_of(window->win)->rules, place);
        take(window, touched, PROA_ACCESS_WRITE);
    } else if (proa_polls_may(touched, taken == BEFORE_POLL)) {
        proa_polls_note(touched->low, place);
        if (proa_ordering_is_on())
            proa_clock_learn_memory(proa_board_rank());
        take(window, touched, PROA_ACCESS_POLL);
    } else {
        take(window, touched, PROA_ACCESS_READ);
    }
}

static void take_one(const struct proa_touched *touched, enum taken taken)
{
    const struct window *window;

    compare_with_buffers(touched);
    LL_FOREACH(windows, window) {
        if (touched->low < window->memory + window->bytes && touched->high > window->memory)
            take_of(window, touched, taken);
    }
}

static void take_all(enum taken taken)
{
    static struct proa_touched touched[TAKEN_MOST];
    size_t count;

    if (!is_on)
        return;
    proa_inside_enter();
    pthread_mutex_lock(&mutex);
    while ((count = proa_translator_take(touched, TAKEN_MOST)) > 0) {
        if (proa_ordering_is_on())
            proa_clock_listen(); /* a notification that the program polled may order them */
        for (size_t i = 0; i < count; i++)
            take_one(&touched[i], taken);
    }
    pthread_mutex_unlock(&mutex);
    proa_inside_leave();
}

void proa_local_take(int polls)
{
    take_all(polls ? BEFORE_POLL : BEFORE_CALL);
}

/* ---- other threads ---- */

/* Returns true for the first calls from a call site. Call sites with the same hash share a
 * count. */
static int is_early(const void *caller)
{
    static uint16_t all, of_place[PLACES];
    uint16_t *count = &of_place[((uintptr_t)caller * 2654435769U >> 16) % PLACES];

    if (proa_atomic_load(count, PROA_RELAXED) >= PAUSES_OF_PLACE ||
        proa_atomic_load(&all, PROA_RELAXED) >= PAUSES_MOST)
        return 0;
    proa_atomic_fetch_add(count, 1, PROA_RELAXED);
    proa_atomic_fetch_add(&all, 1, PROA_RELAXED);
    return 1;
}

void proa_local_await_threads(const void *caller)
{
    if (!is_on || !has_threads || !caller || !is_early(caller))
        return;
    usleep(PAUSE_US);
    take_all(BESIDE);
}

void proa_local_called(enum proa_call call)
{
    if (!is_on)
        return;
    proa_inside_enter();
    proa_polls_called(proa_polls_with(call));
    proa_inside_leave();
}

void proa_local_tell(void)
{
    const uint64_t lost = is_on ? proa_translator_lost() : 0, buffers = proa_buffers_left_out();

    if (lost || buffers)
        proa_log(PROA_LOG_WARN, "check: not seen: %llu access%s, %llu buffer%s (doc/CHECK.md)",
                 (unsigned long long)lost, lost == 1 ? "" : "es", (unsigned long long)buffers,
                 proa_log_plural(buffers));
}
