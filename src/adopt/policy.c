/* SPDX-License-Identifier: BSD-3-Clause */
/* See policy.h. */
#include "adopt/policy.h"
#include "base/atomic.h"
#include "base/hash.h"
#include "base/system.h"
#include "shm/cma.h"

#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

/* Memory of which a window was freed soon. It does not move while wasted_ns exceeds accepted_ns. */
struct place {
    uint64_t first, end; /* end 0 if unused */
    long price_ns;       /* of moving it in and back */
    long wasted_ns;      /* by consecutive windows that were freed sooner than that */
    long accepted_ns;    /* doubles each time that moving a window's memory would have been
                          * cheaper */
};

/* A place is found by the hash of its address. Another address with the same hash replaces the
 * entry, and the policy for the first address starts again. */
enum { PLACES_LOG2 = 6, PLACES = 1 << PLACES_LOG2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct place places[PLACES]; /* under the mutex */

static int always;

/* ---- whether memory may stay ---- */

static void try_on_myself(void)
{
    char from = 1, to = 0;
    struct iovec here = {&to, 1}, there = {&from, 1};

    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1 || to != from)
        proa_adopt_policy_always();
}

void proa_adopt_policy_always(void)
{
    proa_atomic_store(&always, 1, PROA_RELAXED);
}

/* A container that refuses CMA refuses it to this process as well. A refusal to a neighbour is
 * known after its first attempt. */
static int may_stay(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, try_on_myself);
    return !proa_atomic_load(&always, PROA_RELAXED) && !proa_cma_is_refused();
}

/* ---- places ---- */

static struct place *room_of(const struct proa_hold *hold)
{
    return &places[proa_hash_number(hold->first, PLACES_LOG2)];
}

static int is_of(const struct place *place, const struct proa_hold *hold)
{
    return place->first == hold->first && place->end == hold->end;
}

static int stays(const struct place *place)
{
    return place->wasted_ns > place->accepted_ns;
}

static int is_to_move(const struct proa_hold *hold)
{
    const struct place *place = room_of(hold);
    int found;

    pthread_mutex_lock(&mutex);
    found = is_of(place, hold) && stays(place);
    pthread_mutex_unlock(&mutex);
    return !found || !may_stay();
}

/* One window is never enough, even if it wasted much: it may be the first of several, or the only
 * one. */
static void freed_soon(struct place *place, const struct proa_hold *hold)
{
    int is_first = !is_of(place, hold);

    if (is_first)
        *place = (struct place){
            .first = hold->first, .end = hold->end, .accepted_ns = PROA_ADOPT_POLICY_WASTE_NS};
    place->price_ns = hold->price_ns;
    place->wasted_ns += hold->price_ns;
    if (is_first && stays(place))
        place->wasted_ns = place->accepted_ns;
}

static void was_worth_it(struct place *place)
{
    if (stays(place))
        place->accepted_ns *= 2;
    place->wasted_ns = 0;
}

/* ---- events of a window ---- */

static int hold_moved(struct proa_hold *hold, const void *base, uint64_t bytes)
{
    long begin_ns = proa_system->now_ns(); /* memory that stays needs no clock reading */
    int error = proa_adopt_hold(hold, base, bytes, PROA_ADOPT_AUTO);

    hold->is_judged = !error && proa_adopt_bytes(hold) > 0;
    hold->moved_ns = proa_system->now_ns();
    hold->price_ns = 2 * (hold->moved_ns - begin_ns); /* moving back takes as long, or longer */
    return error;
}

int proa_adopt_policy_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                           enum proa_adopt adopt)
{
    int error;

    *hold = (struct proa_hold){.first = (uint64_t)(uintptr_t)base,
                               .end = (uint64_t)(uintptr_t)base + bytes};
    if (adopt != PROA_ADOPT_AUTO)
        return proa_adopt_hold(hold, base, bytes, adopt);
    if (is_to_move(hold))
        return hold_moved(hold, base, bytes);
    error = proa_adopt_hold(hold, base, bytes, PROA_ADOPT_NEVER);
    hold->is_judged = 1;
    hold->why = "windows on it are short-lived and hardly used";
    return error;
}

void proa_adopt_policy_freed(const struct proa_hold *hold, uint64_t calls)
{
    struct place *place = room_of(hold);
    long lived_ns;

    if (!hold->is_judged || (!hold->moved_ns && !calls))
        return;
    lived_ns = hold->moved_ns ? proa_system->now_ns() - hold->moved_ns : 0;
    pthread_mutex_lock(&mutex);
    if (hold->moved_ns && lived_ns < hold->price_ns)
        freed_soon(place, hold);
    else if (is_of(place, hold) &&
             (hold->moved_ns || calls > (uint64_t)place->price_ns / PROA_ADOPT_POLICY_CALL_NS))
        was_worth_it(place);
    pthread_mutex_unlock(&mutex);
}
