/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress thread dozes at a network whose queue has no descriptor, and other threads wake it
 * (net/ofi_doze.c). An eventfd is a word here, which the kernel changes under a lock. */
#include "explore.h"
#include "net/ofi.h"
#include "base/atomic.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

static struct shared {
    struct proa_net net;
    uint64_t rings; /* of the eventfd */
    int stopping;
} * s;

static ssize_t bell_read(int file, void *rings, size_t bytes)
{
    const uint64_t before = proa_atomic_exchange(&s->rings, 0, PROA_ACQ_REL);

    (void)file;
    *(uint64_t *)rings = before;
    errno = EAGAIN;
    return before ? (ssize_t)bytes : -1;
}

static ssize_t bell_write(int file, const void *rings, size_t bytes)
{
    (void)file;
    proa_atomic_fetch_add(&s->rings, *(const uint64_t *)rings, PROA_ACQ_REL);
    return (ssize_t)bytes;
}

enum { SOON_NS = 1000 };

/* Sleeps until the eventfd is rung; after the threads, when nothing rings any more, not at all. */
static int bell_poll(struct pollfd *at, const struct timespec *time)
{
    explore_check(time->tv_sec == 0 && time->tv_nsec <= SOON_NS);
    while (!proa_atomic_load(&s->rings, PROA_ACQUIRE))
        if (explore_thread() < 0)
            return 0;
        else
            explore_yield();
    at[1].revents = POLLIN;
    return 1;
}

#define read bell_read
#define write bell_write
#define ppoll(at, count, time, mask) ((void)(count), bell_poll(at, time))
#include "net/ofi_doze.c"

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
    s->net = (struct proa_net){.queue_fd = -1, .edge = -1, .bell = 1, .next_tick = LONG_MAX};
}

static void doze(void)
{
    struct proa_net *nets[] = {&s->net};

    proa_ofi_doze(nets, 1, SOON_NS);
}

static void stop(void)
{
    proa_atomic_store(&s->stopping, 1, PROA_RELAXED);
    proa_ofi_wake(&s->net);
}

/* A thread that was told to stop does not sleep on, even if its bell was rung by another thread. */
static void until_stopped(int thread)
{
    if (thread == 1)
        stop();
    else if (thread == 2)
        proa_ofi_wake(&s->net);
    while (thread == 0 && !proa_atomic_load(&s->stopping, PROA_RELAXED))
        doze();
}

/* What is left of earlier rings ends a doze or two, and no later one. */
static void is_silent(void)
{
    doze();
    doze();
    explore_check(!s->rings && !s->net.woken);
}

const struct explore_scenario explore_doze[] = {
    {.name = "doze.stop", .threads = 2, .setup = setup, .body = until_stopped, .finish = is_silent},
    {.name = "doze.two", .threads = 3, .setup = setup, .body = until_stopped, .finish = is_silent},
    {0},
};
