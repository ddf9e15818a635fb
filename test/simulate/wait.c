/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of src/base/wait.c: a wait gives way to the other ranks, and takes no time but the
 * awaited event's. */
#include "base/wait.h"
#include "base/atomic.h"
#include "base/doorbell.h"
#include "simulate.h"

/* As in src/base/wait.c: how long a wait sleeps before it looks again. */
enum { LOOK_FIRST_NS = 50000, LOOK_LAST_NS = 10000000 };

struct wait {
    proa_ready *ready;
    void *arg;
    struct proa_doorbell *bell;
    const uint64_t *word;
    uint64_t least;
    proa_ready *over;
    void *over_arg;
    int is_over;
};

static const struct proa_wait_driver *driver;
static int still;

int proa_wait_looks; /* none: no other rank would run meanwhile */

void proa_wait_set_driver(const struct proa_wait_driver *d)
{
    driver = d;
}

void proa_wait_set_watcher(proa_wait_watcher *watcher)
{
    (void)watcher;
}

void proa_wait_unwatched(void)
{
}

void proa_wait_drive(void)
{
    if (driver && !still)
        driver->drive();
}

void proa_wait_idle(void)
{
    if (driver && !still)
        driver->take_in();
}

static int is_ready(struct wait *w)
{
    return w->ready(w->arg);
}

static int look(struct wait *w)
{
    if (driver && !still)
        driver->drive();
    return is_ready(w);
}

static int is_over(struct wait *w)
{
    w->is_over = w->over && w->over(w->over_arg);
    return w->is_over;
}

static void wait(struct wait *w)
{
    uint32_t rings = 0;

    if (is_ready(w))
        return;
    for (long ns = LOOK_FIRST_NS; !look(w); ns = 2 * ns < LOOK_LAST_NS ? 2 * ns : LOOK_LAST_NS) {
        int ready = 0;

        if (is_over(w))
            return;
        if (w->bell)
            proa_doorbell_announce(w->bell, w->word, &rings);
        ready = is_ready(w);
        if (!ready)
            simulate_block(w->bell ? &w->bell->rings : NULL, rings, ns, driver && !still);
        if (w->bell)
            proa_doorbell_leave(w->bell, w->word);
        if (ready)
            return;
    }
}

void proa_wait(proa_ready *ready, void *arg, struct proa_doorbell *bell)
{
    wait(&(struct wait){.ready = ready, .arg = arg, .bell = bell});
}

int proa_wait_unless(proa_ready *ready, void *arg, struct proa_doorbell *bell, proa_ready *over,
                     void *over_arg)
{
    struct wait w = {.ready = ready, .arg = arg, .bell = bell, .over = over, .over_arg = over_arg};

    wait(&w);
    return w.is_over;
}

void proa_wait_still(proa_ready *ready, void *arg, struct proa_doorbell *bell)
{
    int before = still;

    still = 1;
    proa_wait(ready, arg, bell);
    still = before;
}

static int has_come(void *arg)
{
    const struct wait *w = arg;

    return proa_atomic_load(w->word, PROA_ACQUIRE) >= w->least;
}

int proa_wait_count_unless(const uint64_t *word, uint64_t least, struct proa_doorbell *bell,
                           proa_ready *over, void *over_arg)
{
    struct wait w = {.ready = has_come,
                     .arg = &w,
                     .bell = bell,
                     .word = word,
                     .least = least,
                     .over = over,
                     .over_arg = over_arg};

    wait(&w);
    return w.is_over;
}
