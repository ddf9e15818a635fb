/* SPDX-License-Identifier: BSD-3-Clause */
/* See worth.h. */
#include "adopt/worth.h"
#include "base/hash.h"
#include "base/system.h"
#include "shm/cma.h"

#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

/* Memory on which a window was freed soon. */
struct place {
    uint64_t first, bytes; /* bytes 0: none */
    long price_ns;         /* of moving it there and back */
    long wasted_ns;        /* by windows in a row that were freed sooner than that */
    long patience_ns;      /* how much may be wasted before it stays */
    int stays;
};

/* A place is found by the hash of its address. Another address with the same hash replaces the
 * entry, and the first one has to be learned anew. */
enum { PLACES_LOG2 = 6, PLACES = 1 << PLACES_LOG2 };

/* So that what is wasted is never that of one window alone. */
static const long patience_most_ns = 1000000000000;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct place places[PLACES]; /* under the mutex */

static int always;

/* ---- may it stay at all? ---- */

static void try_on_myself(void)
{
    char from = 1, to = 0;
    struct iovec here = {&to, 1}, there = {&from, 1};

    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1)
        proa_worth_always();
}

void proa_worth_always(void)
{
    __atomic_store_n(&always, 1, __ATOMIC_RELAXED);
}

/* A container that refuses cma refuses it to this process as well; a refusal to a neighbour is
 * known after the first one. */
static int may_stay(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, try_on_myself);
    return !__atomic_load_n(&always, __ATOMIC_RELAXED) && !proa_cma_is_refused();
}

/* ---- places ---- */

static struct place *room_of(uint64_t first)
{
    return &places[proa_hash_number(first, PLACES_LOG2)];
}

static int is_of(const struct place *place, uint64_t first, uint64_t bytes)
{
    return place->first == first && place->bytes == bytes;
}

static int stays(uint64_t first, uint64_t bytes)
{
    const struct place *place = room_of(first);
    int found;

    pthread_mutex_lock(&mutex);
    found = is_of(place, first, bytes) && place->stays;
    pthread_mutex_unlock(&mutex);
    return found;
}

/* One window never is enough: it may be the first of a row, or the only one. */
static void freed_soon(struct place *place, const struct proa_worth *worth)
{
    int known = is_of(place, worth->first, worth->bytes);

    if (!known)
        *place = (struct place){
            .first = worth->first, .bytes = worth->bytes, .patience_ns = PROA_WORTH_WASTE_NS};
    place->price_ns = worth->price_ns;
    place->wasted_ns += worth->price_ns;
    place->stays = known && place->wasted_ns > place->patience_ns;
}

static void was_worth_it(struct place *place)
{
    place->wasted_ns = 0;
    if (place->stays && place->patience_ns < patience_most_ns)
        place->patience_ns *= 2;
    place->stays = 0;
}

/* ---- events of a window ---- */

int proa_worth_moving(struct proa_worth *worth, const void *base, uint64_t bytes)
{
    uint64_t first = (uint64_t)(uintptr_t)base;

    *worth = (struct proa_worth){
        .first = first, .bytes = bytes, .moved = !stays(first, bytes) || !may_stay(), .known = 1};
    if (worth->moved) /* no other needs a clock */
        worth->held_ns = proa_system->now_ns();
    return worth->moved;
}

void proa_worth_held(struct proa_worth *worth, uint64_t adopted)
{
    long begin_ns = worth->held_ns;

    if (!worth->moved)
        return;
    worth->known = adopted > 0;
    worth->held_ns = proa_system->now_ns();
    worth->price_ns = 2 * (worth->held_ns - begin_ns); /* the way back takes as long, or longer */
}

int proa_worth_hold(struct proa_worth *worth, struct proa_hold *hold, const void *base,
                    uint64_t bytes, enum proa_adopt adopt)
{
    int error, move;

    if (adopt != PROA_ADOPT_AUTO)
        return proa_adopt_hold(hold, base, bytes, adopt);
    move = proa_worth_moving(worth, base, bytes);
    error = proa_adopt_hold(hold, base, bytes, move ? PROA_ADOPT_AUTO : PROA_ADOPT_NEVER);
    if (!move)
        hold->why = "windows on it come and go, and are hardly used";
    proa_worth_held(worth, error ? 0 : proa_adopt_bytes(hold));
    return error;
}

void proa_worth_freed(const struct proa_worth *worth, uint64_t calls)
{
    struct place *place = room_of(worth->first);
    long lived_ns;

    if (!worth->known || (!worth->moved && !calls))
        return;
    lived_ns = worth->moved ? proa_system->now_ns() - worth->held_ns : 0;
    pthread_mutex_lock(&mutex);
    if (worth->moved && lived_ns < worth->price_ns)
        freed_soon(place, worth);
    else if (is_of(place, worth->first, worth->bytes) &&
             (worth->moved || calls > (uint64_t)place->price_ns / PROA_WORTH_CALL_NS))
        was_worth_it(place);
    pthread_mutex_unlock(&mutex);
}
