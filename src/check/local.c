/* SPDX-License-Identifier: BSD-3-Clause */
/* See local.h. */
#include "check/local.h"
#include "base/atomic.h"
#include "base/log.h"
#include "base/settings.h"
#include "check/buffers.h"
#include "check/own.h"
#include "check/polls.h"
#include "check/reuse.h"
#include "host/handle.h"
#include "host/pmpi.h"
#include "shm/apart.h"
#include "shm/segment.h"
#include "order/crossing.h"
#include "usage/rules.h"
#include "traps/protection.h"
#include "traps/sanitizer.h"
#include "traps/signals.h"
#include "traps/steps.h"
#include "traps/syscalls.h"
#include "traps/trap.h"
#include "traps/view.h"
#include "traps/watchpoint.h"
#include "order/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

enum {
    HITS_MOST = 1024,
    LINGER_US = 2000,     /* a call waits for other threads, */
    LINGERS_OF_PLACE = 8, /* so many times from one place, */
    LINGERS_MOST = 256,   /* and in all */
    PLACES = 256,
    BARE_MOST = 64,
    ELEMENT = sizeof(int) /* bytes, where the window does not tell them */
};

/* Memory that the program brings, and that cannot be protected, is guarded by watchpoints. Their
 * cookies are addresses, those of buffers are not. */
struct window {
    const struct proa_win *win;
    struct proa_ordering *ordering;
    uintptr_t memory;
    uint64_t bytes;
    int is_region; /* of a dynamic window */
    struct window *next;
};

static struct window *windows;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_on, has_threads;

/* Memory that the program brings, of which at most a part can be protected. Handlers of signals
 * read it, and a hit is looked at again by the call that takes it. */
static struct {
    uintptr_t first, end;
} bare[BARE_MOST];
static int bare_count;

static void look(const struct proa_access *access);

/* ---- memory that does not trap ---- */

static void bare_add(uintptr_t first, uint64_t bytes)
{
    if (bare_count == BARE_MOST)
        return;
    bare[bare_count].first = first;
    bare[bare_count].end = first + bytes;
    proa_atomic_store(&bare_count, bare_count + 1, PROA_RELEASE);
}

static void bare_drop(uintptr_t first, uint64_t bytes)
{
    for (int i = bare_count - 1; i >= 0; i--) {
        if (bare[i].first - first >= bytes)
            continue;
        bare[i] = bare[bare_count - 1];
        proa_atomic_store(&bare_count, bare_count - 1, PROA_RELEASE);
    }
}

/* Does an access to that memory matter that does not trap by itself? Safe in handlers of signals.
 */
static int matters(const void *memory, size_t bytes, int stores)
{
    const uintptr_t first = (uintptr_t)memory;
    const int count = proa_atomic_load(&bare_count, PROA_ACQUIRE);

    if (proa_protection_has(memory))
        return 0;
    for (int i = 0; i < count; i++)
        if (first < bare[i].end && first + bytes > bare[i].first)
            return 1;
    return proa_reuse_touches(memory, bytes, stores);
}

/* ---- begin ---- */

/* Of all files that are loaded by now. */
static void divert(void)
{
    proa_syscalls_divert(matters);
    proa_signals_divert();
}

static int is_asked_for(void)
{
    return proa_settings()->check && proa_settings()->check_conflicts &&
           proa_settings()->check_memory && !proa_sanitizer_is_there();
}

/* PSM, which libfabric may load while other threads trap, takes SIGSEGV to tell of crashes, unless
 * this is set. */
void proa_local_begin(void)
{
    if (!is_asked_for())
        return;
    divert();
    setenv("IPATH_NO_BACKTRACE", "1", 0);
}

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
    if (!protection)
        proa_pages_apart = 1;
    proa_buffers_start();
    proa_crossing_watch(look);
    divert();
    proa_signals_unblock();
    proa_pmpi()->Query_thread(&level);
    has_threads = level != MPI_THREAD_SINGLE;
    is_on = 1;
}

void proa_local_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (is_asked_for())
        pthread_once(&once, start_traps);
}

int proa_local_is_on(void)
{
    return is_on;
}

/* Bytes that do not trap are guarded by the processor, as far as that can: the first of them, until
 * operations of other processes come to others. Of each element it is the first byte, as a hit does
 * not tell which of several were touched. */
static void guard(const struct proa_win *win, uintptr_t first, uintptr_t end, int steals)
{
    const uintptr_t page = proa_page_bytes();
    const int64_t unit = win->targets[win->rank].disp_unit;

    while (first < end) {
        if (proa_protection_has((const void *)first)) {
            first = (first / page + 1) * page;
            continue;
        }
        if (!proa_watchpoint_guard((const void *)first, 1, first, steals))
            return;
        first += unit > 1 ? (uintptr_t)unit : ELEMENT;
        steals = 0;
    }
}

static void add(struct window *window)
{
    pthread_mutex_lock(&mutex);
    LL_PREPEND(windows, window);
    pthread_mutex_unlock(&mutex);
}

void proa_local_open(const struct proa_win *win, struct proa_ordering *ordering)
{
    struct window *window;

    if (!is_on || !(window = calloc(1, sizeof *window)))
        return;
    divert();
    *window = (struct window){.win = win,
                              .ordering = ordering,
                              .memory = (uintptr_t)win->base,
                              .bytes = win->targets[win->rank].bytes};
    add(window);
}

void proa_local_guard(const struct proa_win *win, const void *memory, uint64_t bytes)
{
    const uintptr_t first = (uintptr_t)memory;

    if (!is_on || bytes == 0)
        return;
    pthread_mutex_lock(&mutex);
    bare_add(first, bytes);
    guard(win, first, first + bytes, 1);
    pthread_mutex_unlock(&mutex);
}

/* Entered. */
static void forget(struct window *window)
{
    bare_drop(window->memory, window->bytes);
    proa_watchpoint_unguard(window->memory, window->memory + window->bytes);
    if (window->is_region) {
        proa_view_unplace((const void *)window->memory);
        proa_view_leave(proa_view_behind((const void *)window->memory));
    }
    LL_DELETE(windows, window);
    free(window);
}

void proa_local_close(const struct proa_win *win)
{
    struct window *window, *next;

    pthread_mutex_lock(&mutex);
    LL_FOREACH_SAFE(windows, window, next) {
        if (window->win == win)
            forget(window);
    }
    pthread_mutex_unlock(&mutex);
}

void proa_local_attach(const struct proa_win *win, const void *base, uint64_t bytes)
{
    struct window *region = calloc(1, sizeof *region);
    const struct window *window;

    if (!region)
        return;
    pthread_mutex_lock(&mutex);
    LL_SEARCH_SCALAR(windows, window, win, win);
    *region = (struct window){.win = win,
                              .ordering = window ? window->ordering : NULL,
                              .memory = (uintptr_t)base,
                              .bytes = bytes,
                              .is_region = 1};
    LL_PREPEND(windows, region);
    pthread_mutex_unlock(&mutex);
}

void proa_local_detach(const struct proa_win *win, const void *base)
{
    struct window *window, *next;

    pthread_mutex_lock(&mutex);
    LL_FOREACH_SAFE(windows, window, next) {
        if (window->win == win && window->is_region && window->memory == (uintptr_t)base)
            forget(window);
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

/* Is it memory of that window which the program brings, and that does not trap? */
static int is_bare(const struct window *window, uintptr_t address)
{
    return window && (window->is_region || window->win->flavor == PROA_FLAVOR_CREATE) &&
           proa_view_of((void *)address) == (void *)address &&
           !proa_protection_has((const void *)address);
}

/* An operation of another process has come to guarded memory. Further ones, and loads and stores,
 * are likely to come to the same words. */
static void look(const struct proa_access *access)
{
    const struct window *window;

    if (access->call >= PROA_ACCESS_LOAD || pthread_mutex_trylock(&mutex) != 0)
        return;
    window = window_of(access->low);
    if (is_bare(window, access->low) && !proa_watchpoint_guards(access->low))
        guard(window->win, access->low, access->high, 1);
    pthread_mutex_unlock(&mutex);
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

    if (window->ordering)
        proa_own_touch(window->win, window->ordering, &access);
}

/* Buffers of pending operations that a system call, or a trap, has touched. */
static void compare_with_buffers(const struct proa_trap_hit *hit, const void *place,
                                 uintptr_t address)
{
    static const char *const names[2][3] = {
        {"a load", "a store", "a load or a store"},
        {"a load by a system call", "a store by a system call", "a system call"}};

    proa_reuse_access(names[hit->is_of_call][hit->access], place, address,
                      hit->bytes ? hit->bytes : 1, hit->access == PROA_TRAP_STORE);
}

/* Where a call is that takes accesses: BESIDE: neither before nor behind them. */
enum taken { BEFORE_CALL, BEFORE_SYNC, BESIDE };

/* The accesses that a call takes. is_whole: single steps have seen all of this thread's. */
struct taking {
    const struct proa_trap_hit *hits;
    int count, is_whole;
    enum taken taken;
};

/* A load that steps have seen may be repeated behind them. */
static int counts(const struct taking *taking, const struct proa_trap_hit *hit)
{
    return !hit->is_step || hit->access == PROA_TRAP_STORE ||
           (taking->is_whole && proa_polls_is_mine(hit));
}

/* Of one access: a step, and the watchpoint behind it. */
static int are_one(const struct proa_trap_hit *step, const struct proa_trap_hit *watched)
{
    enum { INSTRUCTION_MOST = 15 };

    return step->is_step && watched->cookie && step->thread == watched->thread &&
           (uintptr_t)watched->instruction - (uintptr_t)step->instruction < INSTRUCTION_MOST;
}

/* Is the same access taken by another hit? By that of the step, which knows more, if it counts. */
static int is_elsewhere(const struct taking *taking, const struct proa_trap_hit *hit)
{
    if (!hit->cookie && counts(taking, hit))
        return 0;
    for (int i = 0; i < taking->count; i++) {
        const struct proa_trap_hit *other = &taking->hits[i];

        if (are_one(hit, other) || (are_one(other, hit) && counts(taking, other)))
            return 1;
    }
    return 0;
}

static void take_one(const struct taking *taking, int at)
{
    const struct proa_trap_hit *hit = &taking->hits[at];
    const uintptr_t behind = (uintptr_t)proa_view_behind(hit->memory);
    uintptr_t address = hit->cookie ? (uintptr_t)hit->cookie : behind;
    const struct window *window = window_of(address);
    const void *place = proa_trap_place(hit);

    if (!window && !hit->cookie) { /* a region has the program's addresses */
        address = (uintptr_t)hit->memory;
        window = window_of(address);
    }
    if (place)
        compare_with_buffers(hit, place, hit->cookie ? address : behind);
    if (!window || !place)
        return;
    if (!counts(taking, hit) ||
        (hit->access != PROA_TRAP_STORE &&
         proa_polls_may(taking->hits, taking->count, at, taking->taken == BEFORE_SYNC))) {
        proa_polls_note(address, place);
        if (proa_ordering_is_on())
            proa_clock_learn_memory(proa_board_rank());
    } else {
        if (hit->access == PROA_TRAP_STORE && taking->taken != BESIDE)
            proa_rules_stored(proa_handle_of(window->win)->rules, place);
        take(window, address, hit->bytes ? hit->bytes : 1, place, hit->access);
    }
}

static void take_all(enum taken taken)
{
    static struct proa_trap_hit hits[HITS_MOST];
    struct taking taking = {.hits = hits, .taken = taken};

    if (!is_on)
        return;
    taking.is_whole = proa_steps_end();
    proa_inside_enter();
    pthread_mutex_lock(&mutex);
    while (taking.count < HITS_MOST && proa_trap_next(&hits[taking.count]))
        taking.count++;
    if (taking.count && proa_ordering_is_on())
        proa_clock_listen(); /* a notification that was polled may order them */
    for (int i = 0; i < taking.count; i++)
        if (!is_elsewhere(&taking, &hits[i]) && !proa_buffers_hit(&hits[i]))
            take_one(&taking, i);
    pthread_mutex_unlock(&mutex);
    proa_inside_leave();
}

void proa_local_take(int syncs)
{
    take_all(syncs ? BEFORE_SYNC : BEFORE_CALL);
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
    take_all(BESIDE);
}

void proa_local_called(enum proa_call call)
{
    if (!is_on)
        return;
    proa_inside_enter();
    proa_polls_called(call == PROA_CALL_Win_sync);
    proa_inside_leave();
    if (call != PROA_CALL_Win_sync) {
        proa_protection_renew();
        proa_watchpoint_renew();
    }
}

void proa_local_go_on(const void *caller)
{
    if (is_on && caller && (bare_count > 0 || proa_reuse_any()))
        proa_steps_begin(caller, matters);
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
