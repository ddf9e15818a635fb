/* SPDX-License-Identifier: BSD-3-Clause */
/* See watchpoint.h. */
#include "traps/watchpoint.h"
#include "base/atomic.h"
#include "traps/trap.h"
#include "traps/watchpoint_event.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

enum { OURS = 0x50726f61 /* the word of watchpoint 0 in its signals */ };

/* The watched bytes. */
struct watched {
    uintptr_t address;
    size_t length;
    enum proa_watched_access accesses;
    uint64_t cookie; /* 0: nothing */
    uint64_t age;    /* of a guard: which began when; else 0 */
};

/* A watchpoint is one perf event of all threads, moved from memory to memory. */
struct watchpoint {
    struct perf_event_attr attr;
    int fd;
    uint64_t cookie;          /* of `now`, for handlers; 0 while it moves */
    uintptr_t address;        /* likewise */
    struct watched now, lost; /* lost: the guard that it has been taken from */
    uint64_t counted;         /* hits that handlers know of */
    uint32_t hits;            /* of a guard, since the renewal */
    int is_off;               /* it has told of so many that it is disabled */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* not for handlers */
static struct watchpoint watchpoints[PROA_WATCHPOINTS];
static struct sigaction before;
static int started;
static uint64_t unwatched; /* the memory of a watchpoint that has watched none yet */

/* ---- the signal ---- */

/* The kernel's word for this watchpoint in a signal of it; glibc has no name for its place. */
static uint64_t data_of(const siginfo_t *info)
{
    uint64_t data;

    memcpy(&data, (const char *)&info->si_addr + sizeof info->si_addr, sizeof data);
    return data;
}

/* Hits of the event that no handler knows of yet. */
static uint64_t new_hits(struct watchpoint *w)
{
    uint64_t count = 0;

    if (read(w->fd, &count, sizeof count) != sizeof count)
        return 0;
    return count - proa_atomic_exchange(&w->counted, count, PROA_RELAXED);
}

/* An access to a guard hits both of its watchpoints if it stores, and else one. A store to two
 * guards at once leaves the counts of one of them to the next access there. The kernel drops
 * one of two signals, and which one is not said. Other threads may count at the same time. 0: a
 * handler has taken it. */
static int access_of(uint64_t cookie, enum proa_trap_access *access)
{
    uint64_t all = 0, stores = 0, known = 0;

    for (int i = 0; i < PROA_WATCHPOINTS; i++) {
        struct watchpoint *w = &watchpoints[i];

        if (proa_atomic_load(&w->cookie, PROA_RELAXED) != cookie ||
            proa_atomic_load(&w->is_off, PROA_RELAXED))
            continue;
        if (w->now.accesses == PROA_WATCHED_ALL)
            all = new_hits(w), known |= 1;
        else
            stores = new_hits(w), known |= 2;
    }
    if (known == 3 && stores == 0)
        *access = PROA_TRAP_LOAD;
    else if (known == 2 || (known == 3 && stores == all))
        *access = PROA_TRAP_STORE;
    else
        *access = PROA_TRAP_TOUCH;
    return all + stores > 0;
}

static int is_watched(uintptr_t word)
{
    for (int i = 0; i < PROA_WATCHPOINTS; i++) {
        const struct watched *now = &watchpoints[i].now;

        if (now->address < word + sizeof word && now->address + now->length > word)
            return 1;
    }
    return 0;
}

/* What the hit was of. 0: of what the watchpoint was on before another thread moved it. */
static uint64_t cookie_of(const struct watchpoint *w, const siginfo_t *info)
{
    const uint64_t cookie = proa_atomic_load(&w->cookie, PROA_ACQUIRE); /* partner: watch */

    return proa_atomic_load(&w->address, PROA_RELAXED) == (uintptr_t)info->si_addr ? cookie : 0;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    const uint64_t which = data_of(info) - OURS;
    const int error = errno;
    struct proa_trap_hit hit;
    struct watchpoint *w;

    if (info->si_code != TRAP_PERF || which >= PROA_WATCHPOINTS) {
        proa_trap_hand_on(&before, number, info, context);
        return;
    }
    w = &watchpoints[which];
    hit = proa_trap_hit(context);
    hit.cookie = cookie_of(w, info);
    if (hit.cookie && w->now.age) {
        if (access_of(hit.cookie, &hit.access))
            proa_trap_write_down(&hit);
        if (proa_atomic_fetch_add(&w->hits, 1, PROA_RELAXED) + 1 == PROA_WATCHPOINT_HITS) {
            proa_atomic_store(&w->is_off, 1, PROA_RELAXED);
            ioctl(w->fd, PERF_EVENT_IOC_DISABLE, 0);
        }
    } else if (hit.cookie) {
        proa_trap_write_down(&hit);
    }
    errno = error;
}

/* ---- start and stop ---- */

static int watchpoint_open(int which)
{
    struct watchpoint *w = &watchpoints[which];

    w->cookie = 0;
    w->fd = proa_watchpoint_event_open(&w->attr, &unwatched, OURS + (uint64_t)which);
    return w->fd < 0 ? errno : 0;
}

int proa_watchpoint_start(void)
{
    int error = 0, which;

#ifndef __x86_64__
    return ENOSYS; /* not tried: some processors stop before the access, and not behind it */
#endif
    for (which = 0; which < PROA_WATCHPOINTS && error == 0; which++)
        error = watchpoint_open(which);
    proa_trap_spare(is_watched);
    if (error == 0)
        error = proa_trap_take(SIGTRAP, on_trap, &before);
    started = error == 0;
    for (int i = 0; i < which && !started; i++)
        if (watchpoints[i].fd >= 0)
            close(watchpoints[i].fd);
    return error;
}

void proa_watchpoint_stop(void)
{
    if (!started)
        return;
    for (int i = 0; i < PROA_WATCHPOINTS; i++)
        close(watchpoints[i].fd);
    proa_trap_give_back(SIGTRAP, &before);
    started = 0;
}

/* ---- use ---- */

/* The longest watchpoint that begins at that address and does not go beyond the bytes. */
static size_t length_at(uintptr_t address, size_t bytes)
{
    size_t length = PROA_WATCHPOINT_BYTES;

    while (address % length || length > bytes)
        length /= 2;
    return length;
}

/* The processor's registers take the new address in all threads. */
static int move(struct watchpoint *w, const struct watched *to)
{
    w->attr.bp_addr = to->address;
    w->attr.bp_len = to->length;
    w->attr.bp_type = to->accesses == PROA_WATCHED_STORES ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
    w->attr.disabled = 0;
    return ioctl(w->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &w->attr);
}

static void stop(struct watchpoint *w)
{
    ioctl(w->fd, PERF_EVENT_IOC_DISABLE, 0);
    proa_atomic_store(&w->cookie, 0, PROA_RELAXED);
    w->now = (struct watched){0};
}

/* 0: the processor refuses, and nothing is watched. */
static int watch(struct watchpoint *w, const struct watched *to)
{
    proa_atomic_store(&w->cookie, 0, PROA_RELAXED);
    w->now = *to;
    proa_atomic_store(&w->hits, 0, PROA_RELAXED);
    proa_atomic_store(&w->is_off, 0, PROA_RELAXED);
    if (move(w, to) != 0) {
        stop(w);
        return 0;
    }
    new_hits(w);
    proa_atomic_store(&w->address, to->address, PROA_RELAXED);
    proa_atomic_store(&w->cookie, to->cookie, PROA_RELEASE); /* partner: cookie_of */
    return 1;
}

/* One that is free; or, if a buffer wants it, that of the youngest guard. NULL: there is none. */
static struct watchpoint *find_free(int from_guard)
{
    struct watchpoint *found = NULL;

    for (int i = 0; i < PROA_WATCHPOINTS && started; i++) {
        struct watchpoint *w = &watchpoints[i];

        if (!w->now.cookie)
            return w;
        if (from_guard && w->now.age && (!found || w->now.age > found->now.age))
            found = w;
    }
    return found;
}

/* NULL: there is none for it. */
static struct watchpoint *set(const struct watched *wanted)
{
    struct watchpoint *w = find_free(1);

    if (!w)
        return NULL;
    w->lost = w->now;
    if (watch(w, wanted))
        return w;
    w->lost = (struct watched){0};
    return NULL;
}

size_t proa_watchpoint_set(const void *memory, size_t bytes, enum proa_watched_access accesses,
                           uint64_t cookie, int *watchpoint)
{
    const size_t length = bytes ? length_at((uintptr_t)memory, bytes) : 0;
    const struct watched wanted = {(uintptr_t)memory, length, accesses, cookie, 0};
    const struct watchpoint *w;

    if (!length)
        return 0;
    pthread_mutex_lock(&mutex);
    w = set(&wanted);
    if (w)
        *watchpoint = (int)(w - watchpoints);
    pthread_mutex_unlock(&mutex);
    return w ? length : 0;
}

void proa_watchpoint_clear(int watchpoint)
{
    struct watchpoint *w = &watchpoints[watchpoint];
    struct watched lost;

    pthread_mutex_lock(&mutex);
    lost = w->lost;
    stop(w);
    w->lost = (struct watched){0};
    if (lost.cookie)
        watch(w, &lost);
    pthread_mutex_unlock(&mutex);
}

/* ---- guards ---- */

static int is_guard(const struct watched *watched, uint64_t first, uint64_t end)
{
    return watched->age && watched->cookie >= first && watched->cookie < end;
}

static void unguard(uint64_t first, uint64_t end)
{
    for (int i = 0; i < PROA_WATCHPOINTS && started; i++) {
        struct watchpoint *w = &watchpoints[i];

        if (is_guard(&w->lost, first, end))
            w->lost = (struct watched){0};
        if (is_guard(&w->now, first, end))
            stop(w);
    }
}

void proa_watchpoint_unguard(uint64_t first, uint64_t end)
{
    pthread_mutex_lock(&mutex);
    unguard(first, end);
    pthread_mutex_unlock(&mutex);
}

int proa_watchpoint_guards(uint64_t cookie)
{
    int guards = 0;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < PROA_WATCHPOINTS; i++)
        guards |= is_guard(&watchpoints[i].lost, cookie, cookie + 1) ||
                  is_guard(&watchpoints[i].now, cookie, cookie + 1);
    pthread_mutex_unlock(&mutex);
    return guards;
}

static void end_oldest(void)
{
    const struct watched *oldest = NULL;

    for (int i = 0; i < PROA_WATCHPOINTS; i++) {
        const struct watched *now = &watchpoints[i].now;

        if (now->age && (!oldest || now->age < oldest->age))
            oldest = now;
    }
    if (oldest)
        unguard(oldest->cookie, oldest->cookie + 1);
}

/* By two watchpoints, or one. 0: there is none. */
static int guard(struct watched *wanted, int steals)
{
    static uint64_t age;
    struct watchpoint *w;

    wanted->age = ++age;
    if (steals && !find_free(0))
        end_oldest();
    w = find_free(0);
    if (!w || !watch(w, wanted))
        return 0;
    wanted->accesses = PROA_WATCHED_STORES;
    w = find_free(0);
    if (w)
        watch(w, wanted);
    return 1;
}

size_t proa_watchpoint_guard(const void *memory, size_t bytes, uint64_t cookie, int steals)
{
    struct watched wanted = {.address = (uintptr_t)memory,
                             .length = bytes ? length_at((uintptr_t)memory, bytes) : 0,
                             .accesses = PROA_WATCHED_ALL,
                             .cookie = cookie};
    int is_guarded;

    if (!wanted.length)
        return 0;
    pthread_mutex_lock(&mutex);
    is_guarded = guard(&wanted, steals);
    pthread_mutex_unlock(&mutex);
    return is_guarded ? wanted.length : 0;
}

void proa_watchpoint_renew(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < PROA_WATCHPOINTS && started; i++) {
        struct watchpoint *w = &watchpoints[i];
        const struct watched again = w->now;

        proa_atomic_store(&w->hits, 0, PROA_RELAXED);
        if (proa_atomic_exchange(&w->is_off, 0, PROA_RELAXED) && again.age)
            watch(w, &again);
    }
    pthread_mutex_unlock(&mutex);
}
