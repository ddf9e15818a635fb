/* SPDX-License-Identifier: BSD-3-Clause */
/* See local.h. */
#include "check/local.h"
#include "base/atomic.h"
#include "base/log.h"
#include "base/settings.h"
#include "check/buffers.h"
#include "check/conflict.h"
#include "check/reuse.h"
#include "host/handle.h"
#include "host/pmpi.h"
#include "order/crossing.h"
#include "usage/rules.h"
#include "traps/protection.h"
#include "traps/sanitizer.h"
#include "traps/syscalls.h"
#include "traps/trap.h"
#include "traps/view.h"
#include "traps/watchpoint.h"
#include "order/clock.h"
#include "window/epoch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

enum {
    HITS_MOST = 256,
    LINGER_US = 2000,     /* a call waits for other threads, */
    LINGERS_OF_PLACE = 8, /* so many times from one place, */
    LINGERS_MOST = 256,   /* and in all */
    PLACES = 256
};

/* A small window over memory that the program brings has no view, and is watched by the processor.
 * Cookies of these watchpoints are addresses, those of buffers are not. */
struct window {
    const struct proa_win *win;
    struct proa_ordering *ordering;
    uintptr_t memory;
    uint64_t bytes;
    int watchpoint[PROA_WATCHPOINTS], watchpoints;
    struct window *next;
};

static struct window *windows;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_on, has_threads;
static int after_sync; /* the last call on a window was MPI_Win_sync */

/* ---- begin ---- */

static void start_traps(void)
{
    int level = MPI_THREAD_SINGLE;
    int protection = proa_protection_start(), watchpoints = proa_watchpoint_start();

    if (protection)
        proa_log(PROA_LOG_WARN, "check: loads and stores to windows are not seen: %s",
                 strerror(protection));
    if (watchpoints)
        proa_log(PROA_LOG_WARN,
                 "check: the place of a store to a buffer, and loads from it, are not seen: %s "
                 "(perf_event_open; see kernel.perf_event_paranoid)",
                 strerror(watchpoints));
    proa_buffers_start();
    proa_syscalls_divert(proa_reuse_touches);
    proa_pmpi()->Query_thread(&level);
    has_threads = level != MPI_THREAD_SINGLE;
    is_on = 1;
}

void proa_local_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (proa_settings()->check && proa_settings()->check_conflicts &&
        proa_settings()->check_memory && !proa_sanitizer_is_there())
        pthread_once(&once, start_traps);
}

static void watch(struct window *window)
{
    uintptr_t next = window->memory;
    const uintptr_t end = next + window->bytes;
    size_t watched = 1;

    if (window->bytes > PROA_WATCHPOINTS * PROA_WATCHPOINT_BYTES)
        return;
    while (next < end && watched && window->watchpoints < PROA_WATCHPOINTS) {
        watched = proa_watchpoint_set((const void *)next, end - next, PROA_WATCHED_ALL, next,
                                      &window->watchpoint[window->watchpoints]);
        window->watchpoints += watched > 0;
        next += watched;
    }
}

void proa_local_open(const struct proa_win *win, struct proa_ordering *ordering)
{
    struct window *window;

    if (!is_on || !(window = calloc(1, sizeof *window)))
        return;
    proa_syscalls_divert(proa_reuse_touches); /* of libraries that were loaded since */
    *window = (struct window){.win = win,
                              .ordering = ordering,
                              .memory = (uintptr_t)win->base,
                              .bytes = win->targets[win->rank].bytes};
    if (win->flavor == PROA_FLAVOR_CREATE)
        watch(window);
    pthread_mutex_lock(&mutex);
    LL_PREPEND(windows, window);
    pthread_mutex_unlock(&mutex);
}

void proa_local_close(const struct proa_win *win)
{
    struct window *window, *next;

    pthread_mutex_lock(&mutex);
    LL_FOREACH_SAFE(windows, window, next) {
        if (window->win == win) {
            while (window->watchpoints > 0)
                proa_watchpoint_clear(window->watchpoint[--window->watchpoints]);
            LL_DELETE(windows, window);
            free(window);
        }
    }
    pthread_mutex_unlock(&mutex);
}

/* ---- accesses ---- */

static const struct window *window_of(uintptr_t address)
{
    const struct window *window;

    LL_FOREACH(windows, window) {
        if (address - window->memory < window->bytes)
            return window;
    }
    return NULL;
}

/* Operations of this process on its own window that are not complete. */
static void compare_with_own(const struct window *window, struct proa_accesses *own, int process,
                             uint64_t base, const struct proa_access *access)
{
    const struct proa_access *found = proa_accesses_conflict(own, process, access);
    struct proa_access first, second = *access;

    if (!found)
        return;
    first = *found;
    first.low -= base, first.high -= base;
    second.low -= base, second.high -= base;
    proa_conflict_tell(window->win, window->win->rank,
                       proa_epoch_towards(window->win, window->win->rank), &first, &second, NULL);
}

/* Entered. */
static void take(const struct window *window, uintptr_t address, uint64_t bytes, const void *place,
                 enum proa_trap_access what)
{
    static const uint16_t calls[] = {[PROA_TRAP_LOAD] = PROA_ACCESS_LOAD,
                                     [PROA_TRAP_STORE] = PROA_ACCESS_STORE,
                                     [PROA_TRAP_TOUCH] = PROA_ACCESS_TOUCH};
    const uint64_t left = window->memory + window->bytes - address;
    struct proa_access access = {.low = address,
                                 .high = address + (bytes < left ? bytes : left),
                                 .caller = place,
                                 .call = calls[what],
                                 .kind = what == PROA_TRAP_STORE ? PROA_ACCESS_WRITE
                                                                 : PROA_ACCESS_READ};
    struct proa_accesses *own;
    uint64_t base;
    int process;

    if (!window->ordering)
        return;
    own = proa_ordering_accesses(window->ordering, window->win->rank, &process, &base);
    compare_with_own(window, own, process, base, &access);
    proa_ordering_fill(window->ordering, PROA_CALL_Win_sync, &access);
    proa_crossing_hand_over(process, &access, proa_clock_stamp());
    proa_board_flush();
    proa_clock_complete();
    proa_moment_drop(access.moment);
}

/* Is the same load further on, or before? */
static int is_repeated(const struct proa_trap_hit *hits, int count, int at)
{
    for (int i = 0; i < count; i++)
        if (i != at && hits[i].memory == hits[at].memory && hits[i].cookie == hits[at].cookie &&
            hits[i].instruction == hits[at].instruction)
            return 1;
    return 0;
}

/* Buffers of pending operations that a system call, or a trap, has touched. */
static void compare_with_buffers(const struct proa_trap_hit *hit, const void *place,
                                 uintptr_t address)
{
    static const char *const names[2][2] = {
        {"a load", "a store"}, {"a load by a system call", "a store by a system call"}};
    const int stores = hit->access == PROA_TRAP_STORE;

    proa_reuse_access(names[hit->bytes > 0][stores], place, address, hit->bytes ? hit->bytes : 1,
                      stores);
}

/* is_beside: it was beside a call, neither before nor after it. */
static void take_one(const struct proa_trap_hit *hits, int count, int at, int is_beside)
{
    const struct proa_trap_hit *hit = &hits[at];
    const uintptr_t address =
        hit->cookie ? (uintptr_t)hit->cookie : (uintptr_t)proa_view_behind(hit->memory);
    const struct window *window = window_of(address);
    const void *place = proa_trap_place(hit);

    if (place && !hit->cookie)
        compare_with_buffers(hit, place, address);
    if (!window || !place)
        return;
    if (hit->access != PROA_TRAP_STORE && (after_sync || is_repeated(hits, count, at))) {
        if (proa_ordering_is_on())
            proa_clock_learn_memory(proa_board_rank());
    } else {
        if (hit->access == PROA_TRAP_STORE && !is_beside)
            proa_rules_stored(proa_handle_of(window->win)->rules, place);
        take(window, address, hit->bytes ? hit->bytes : 1, place, hit->access);
    }
}

static void take_all(int is_beside)
{
    static struct proa_trap_hit hits[HITS_MOST];
    int count = 0;

    if (!is_on)
        return;
    proa_inside_enter();
    pthread_mutex_lock(&mutex);
    while (count < HITS_MOST && proa_trap_next(&hits[count]))
        count++;
    for (int i = 0; i < count; i++)
        if (!proa_buffers_hit(&hits[i]))
            take_one(hits, count, i, is_beside);
    pthread_mutex_unlock(&mutex);
    proa_inside_leave();
}

void proa_local_take(void)
{
    take_all(0);
}

/* ---- other threads ---- */

/* Is it one of the first calls from there? Places with the same number share a count. */
static int is_early(const void *caller)
{
    static uint16_t all, of_place[PLACES];
    uint16_t *count = &of_place[((uintptr_t)caller * 2654435769U >> 16) % PLACES];

    if (proa_atomic_load(count, PROA_RELAXED) >= LINGERS_OF_PLACE ||
        proa_atomic_load(&all, PROA_RELAXED) >= LINGERS_MOST)
        return 0;
    proa_atomic_fetch_add(count, 1, PROA_RELAXED);
    proa_atomic_fetch_add(&all, 1, PROA_RELAXED);
    return 1;
}

void proa_local_linger(const void *caller)
{
    if (!is_on || !has_threads || !caller || !is_early(caller))
        return;
    usleep(LINGER_US);
    take_all(1);
}

void proa_local_called(enum proa_call call)
{
    if (!is_on)
        return;
    after_sync = call == PROA_CALL_Win_sync;
    if (!after_sync)
        proa_protection_renew();
}

void proa_local_tell(void)
{
    const uint64_t open = proa_protection_left_open(), lost = proa_trap_lost(),
                   buffers = proa_buffers_left_out();

    if (open || lost || buffers)
        proa_log(PROA_LOG_WARN,
                 "check: not seen: pages left open %llu times as they trapped often, %llu accesses "
                 "at once, %llu buffers (doc/CHECK.md)",
                 (unsigned long long)open, (unsigned long long)lost, (unsigned long long)buffers);
}
