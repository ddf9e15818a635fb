/* SPDX-License-Identifier: BSD-3-Clause */
/* See crossing.h. */
#include "order/crossing.h"
#include "base/fail.h"
#include "order/clock.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Messages: the clock of issue of the accesses that follow; a place, and an access. */
enum message { CLOCK, PLACE, ACCESS };
enum { ACCESS_WORDS = 6, PLACE_WORDS = 2 + sizeof(struct proa_crossing_place) / 8 };

/* How often an origin yields for a target that has to make room. */
enum { PATIENCE = 200 };

/* How many accesses are kept before some are looked for that may go. */
enum { PRUNED_FROM = 4096 };

/* ---- state ---- */

/* A place of this process. */
struct place {
    const void *caller;
    uint32_t number;
    UT_hash_handle hh;
    uint8_t sent[]; /* to that process */
};

/* What an origin has sent. */
struct origin {
    struct proa_moment *moment;
    struct proa_crossing_place *places;
    uint32_t count;
};

static proa_crossing_tell *tell;
static struct proa_accesses met; /* of this target */
static uint32_t prune_at;
static uint64_t left_out;
static struct place *places;
static struct proa_moment **sent; /* the clock that a process was sent last */
static struct origin *origins;

int proa_crossing_begin(proa_crossing_tell *with)
{
    const size_t size = (size_t)proa_board_size();

    tell = with;
    prune_at = PRUNED_FROM;
    left_out = 0;
    sent = calloc(size, sizeof(*sent));
    origins = calloc(size, sizeof *origins);
    if (sent && origins && proa_accesses_begin(&met, 1) == PROA_OK)
        return PROA_OK;
    free(sent);
    free(origins);
    sent = NULL;
    origins = NULL;
    return proa_fail(PROA_ERR_NO_MEM, "out of memory for check mode");
}

void proa_crossing_end(void)
{
    struct place *place, *next;

    if (!origins)
        return;
    HASH_ITER(hh, places, place, next) {
        HASH_DEL(places, place);
        free(place);
    }
    proa_accesses_end(&met);
    for (int i = 0; i < proa_board_size(); i++) {
        proa_moment_drop(sent[i]);
        proa_moment_drop(origins[i].moment);
        free(origins[i].places);
    }
    free(sent);
    free(origins);
    sent = NULL;
    origins = NULL;
}

/* ---- the origin ---- */

/* A target makes room when it next calls MPI, and so does this process for others meanwhile. */
static int push(int process, const uint64_t *words, uint32_t count)
{
    for (int i = 0; i < PATIENCE; i++) {
        if (proa_board_push(process, words, count))
            return 1;
        proa_crossing_take();
        sched_yield();
    }
    return 0;
}

static struct place *place_of(const void *caller)
{
    struct place *place;

    HASH_FIND_PTR(places, &caller, place);
    if (place)
        return place;
    place = calloc(1, sizeof *place + (size_t)proa_board_size());
    if (!place)
        return NULL;
    place->caller = caller;
    place->number = HASH_COUNT(places);
    HASH_ADD_PTR(places, caller, place);
    return place;
}

/* Sends the place, if that process has not got it yet. 0: it cannot. */
static int send_place(int process, struct place *place)
{
    union {
        struct {
            uint64_t kind, number;
            struct proa_crossing_place place;
        } of;
        uint64_t words[PLACE_WORDS];
    } message = {.of = {PLACE, place->number, {0}}};
    Dl_info info;

    if (place->sent[process])
        return 1;
    if (dladdr(place->caller, &info) && info.dli_fname) {
        message.of.place.offset = (uint64_t)((const char *)place->caller - (char *)info.dli_fbase);
        snprintf(message.of.place.object, sizeof message.of.place.object, "%s", info.dli_fname);
    }
    if (!push(process, message.words, PLACE_WORDS))
        return 0;
    place->sent[process] = 1;
    return 1;
}

static int send_clock(int process, struct proa_moment *moment)
{
    uint64_t words[PROA_BOARD_MESSAGE];
    const uint32_t size = (uint32_t)proa_board_size();

    if (sent[process] == moment)
        return 1;
    words[0] = CLOCK;
    memcpy(&words[1], moment->clock, size * sizeof *words);
    if (!push(process, words, 1 + size))
        return 0;
    proa_moment_drop(sent[process]);
    proa_moment_hold(moment);
    sent[process] = moment;
    return 1;
}

void proa_crossing_hand_over(int process, const struct proa_access *access, uint64_t stamp)
{
    struct place *place = place_of(access->caller);
    uint64_t words[ACCESS_WORDS] = {
        ACCESS | (uint64_t)access->call << 8 | (uint64_t)access->kind << 24 |
            (uint64_t)access->basic << 32 | (uint64_t)access->epoch << 40,
        access->low,
        access->high,
        place ? place->number : 0,
        stamp,
        access->number};

    if (!place || !access->moment || !send_place(process, place) ||
        !send_clock(process, access->moment) || !push(process, words, ACCESS_WORDS))
        left_out++;
}

/* ---- the target ---- */

static void take_place(struct origin *from, const uint64_t *words)
{
    struct proa_crossing_place *more;
    const uint32_t number = (uint32_t)words[1];

    if (number >= from->count) {
        more = realloc(from->places, 2 * (number + 8) * sizeof *more);
        if (!more)
            return;
        memset(&more[from->count], 0, (2 * (number + 8) - from->count) * sizeof *more);
        from->places = more;
        from->count = 2 * (number + 8);
    }
    memcpy(&from->places[number], &words[2], sizeof *from->places);
}

/* Neither was complete before the other was issued. */
static int is_crossing(const struct proa_access *kept, const struct proa_access *access)
{
    return kept->origin != access->origin && kept->low < access->high && access->low < kept->high &&
           proa_access_conflicts(kept, access) &&
           access->moment->clock[kept->origin] < kept->stamp &&
           kept->moment->clock[access->origin] < access->stamp;
}

static void take_access(int origin, const uint64_t *words)
{
    const struct proa_access *first;
    struct proa_access access = {.call = (uint16_t)(words[0] >> 8),
                                 .kind = (uint8_t)(words[0] >> 24),
                                 .basic = (uint8_t)(words[0] >> 32),
                                 .epoch = (uint8_t)(words[0] >> 40),
                                 .low = words[1],
                                 .high = words[2],
                                 .place = (uint32_t)words[3],
                                 .stamp = words[4],
                                 .number = words[5],
                                 .origin = origin,
                                 .moment = origins[origin].moment};

    if (!access.moment)
        return;
    first = proa_accesses_find(&met, 0, &access, is_crossing);
    if (first)
        tell(first, &access);
    proa_accesses_keep(&met, 0, &access);
}

static void take(int origin, const uint64_t *words, uint32_t count)
{
    struct origin *from = &origins[origin];

    (void)count;
    switch ((enum message)(words[0] & 0xff)) {
    case CLOCK:
        proa_moment_drop(from->moment);
        from->moment = proa_moment_of(&words[1]);
        break;
    case PLACE:
        take_place(from, words);
        break;
    case ACCESS:
        take_access(origin, words);
    }
}

/* Every access that is handed over later is ordered after it. */
static int is_past(const struct proa_access *access, void *floor)
{
    return ((const uint64_t *)floor)[access->origin] >= access->stamp;
}

void proa_crossing_take(void)
{
    uint64_t floor[PROA_BOARD_MOST];
    const int prunes = met.alive >= prune_at;

    if (prunes) { /* before the queues are read, which have all that is below the floors */
        memset(floor, 0xff, sizeof floor);
        for (int i = 0; i < proa_board_size(); i++)
            proa_board_lower(i, PROA_ROW_FLOOR, floor);
    }
    proa_board_take(take);
    if (!prunes)
        return;
    proa_accesses_drop(&met, 0, is_past, floor);
    prune_at = met.alive < PRUNED_FROM / 2 ? PRUNED_FROM : 2 * met.alive;
}

const struct proa_crossing_place *proa_crossing_place(const struct proa_access *access)
{
    const struct origin *from = &origins[access->origin];

    return access->place < from->count ? &from->places[access->place] : NULL;
}

uint64_t proa_crossing_left_out(void)
{
    return left_out + met.dropped;
}
