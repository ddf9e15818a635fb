/* SPDX-License-Identifier: BSD-3-Clause */
/* See watchpoint.h. */
#include "traps/watchpoint.h"
#include "base/atomic.h"
#include "traps/trap.h"
#include "traps/watchpoint_event.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

enum { OURS = 0x50726f61 /* the word of watchpoint 0 in its signals */ };

/* A watchpoint is one perf event of all threads, moved from memory to memory. */
struct watchpoint {
    struct perf_event_attr attr;
    int fd;
    uint64_t cookie; /* 0: it watches nothing */
};

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

static void on_trap(int number, siginfo_t *info, void *context)
{
    const uint64_t which = data_of(info) - OURS;
    struct proa_trap_hit hit;
    uint64_t cookie;

    if (info->si_code != TRAP_PERF || which >= PROA_WATCHPOINTS) {
        proa_trap_hand_on(&before, number, info, context);
        return;
    }
    cookie = proa_atomic_load(&watchpoints[which].cookie, PROA_RELAXED);
    if (!cookie)
        return;
    hit = proa_trap_hit(context);
    hit.cookie = cookie;
    proa_trap_write_down(&hit);
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
    sigaction(SIGTRAP, &before, NULL);
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
static int move(struct watchpoint *w, uintptr_t address, size_t length,
                enum proa_watched_access accesses)
{
    w->attr.bp_addr = address;
    w->attr.bp_len = length;
    w->attr.bp_type = accesses == PROA_WATCHED_STORES ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
    w->attr.disabled = 0;
    return ioctl(w->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &w->attr);
}

size_t proa_watchpoint_set(const void *memory, size_t bytes, enum proa_watched_access accesses,
                           uint64_t cookie, int *watchpoint)
{
    const size_t length = bytes ? length_at((uintptr_t)memory, bytes) : 0;
    int which = 0;

    while (which < PROA_WATCHPOINTS && watchpoints[which].cookie)
        which++;
    if (!started || length == 0 || which == PROA_WATCHPOINTS)
        return 0;
    proa_atomic_store(&watchpoints[which].cookie, cookie, PROA_RELAXED);
    if (move(&watchpoints[which], (uintptr_t)memory, length, accesses) != 0) {
        proa_atomic_store(&watchpoints[which].cookie, 0, PROA_RELAXED);
        return 0;
    }
    *watchpoint = which;
    return length;
}

void proa_watchpoint_clear(int watchpoint)
{
    struct watchpoint *w = &watchpoints[watchpoint];

    ioctl(w->fd, PERF_EVENT_IOC_DISABLE, 0);
    proa_atomic_store(&w->cookie, 0, PROA_RELAXED);
}
