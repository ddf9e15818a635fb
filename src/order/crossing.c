/* SPDX-License-Identifier: BSD-3-Clause */
/* See crossing.h. */
#include "order/crossing.h"
#include "base/fail.h"
#include "base/hash.h"
#include "order/clock.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Messages: a place; and an access, with all that has changed in the clock of issue since the one
 * before. A change has the process above the value. The first word of an access is its fields from
 * `call` to `op`, which are never all ones. */
#define PLACE UINT64_MAX
enum { ACCESS_WORDS = 6, PLACE_WORDS = 2 + sizeof(struct proa_crossing_place) / 8 };
enum { VALUE_BITS = 48 };

/* How often an origin yields for a target that has to make room. */
enum { PATIENCE = 200 };

/* How many accesses are kept before some are looked for that may go. */
enum { PRUNED_FROM = 4096 };

/* Places that are found without a search. */
enum { RECENT_BITS = 6 };

/* ---- state ---- */

/* A place of this process. */
struct place {
    const void *caller;
    uint32_t number;
    UT_hash_handle hh;
    uint8_t sent[]; /* to that process */
};

/* The accesses sent to a process. */
struct target {
    struct proa_moment *moment; /* the clock; NULL: none */
    int is_full;                /* its queue had no room last, so it is not waited for again */
};

/* The accesses that an origin has sent. */
struct origin {
    struct proa_moment *moment;
    struct proa_crossing_place *places;
    uint64_t count;  /* of places, with room for more */
    int is_drained;  /* its queue is being taken from */
    uint64_t *space; /* for a message */
};

static proa_crossing_tell *tell;
static proa_crossing_look *look, *arrive;
static struct proa_accesses met; /* of this target */
static uint32_t prune_at;
static uint64_t left_out;
static struct place *places;
static struct place *recent_places[1 << RECENT_BITS];
static struct target *targets;
static struct origin *origins;
static uint64_t *spaces;

/* Of a message of this job. */
static size_t message_words(void)
{
    const size_t access = ACCESS_WORDS + (size_t)proa_board_size();

    return access > PLACE_WORDS ? access : PLACE_WORDS;
}

int proa_crossing_begin(proa_crossing_tell *with, proa_crossing_look *with_each)
{
    const size_t size = (size_t)proa_board_size();

    tell = with;
    arrive = with_each;
    prune_at = PRUNED_FROM;
    left_out = 0;
    targets = calloc(size, sizeof *targets);
    origins = calloc(size, sizeof *origins);
    spaces = calloc(size * message_words(), sizeof *spaces);
    for (size_t i = 0; origins && i < size; i++)
        origins[i].space = &spaces[i * message_words()];
    if (targets && origins && spaces && proa_accesses_begin(&met, 1) == PROA_OK)
        return PROA_OK;
    free(targets);
    free(origins);
    free(spaces);
    targets = NULL;
    origins = NULL;
    return proa_fail(PROA_ERR_NO_MEM, "out of memory for check mode");
}

void proa_crossing_end(void)
{
    struct place *place = places, *next;

    if (!origins)
        return;
    HASH_CLEAR(hh, places);
    for (; place; place = next) {
        next = place->hh.next;
        free(place);
    }
    proa_accesses_end(&met);
    for (int i = 0; i < proa_board_size(); i++) {
        proa_moment_drop(targets[i].moment);
        proa_moment_drop(origins[i].moment);
        free(origins[i].places);
    }
    free(targets);
    free(origins);
    free(spaces);
    targets = NULL;
    origins = NULL;
    memset(recent_places, 0, sizeof recent_places);
}

/* ---- the origin ---- */

/* A target makes room when it next calls MPI, and so does this process for others meanwhile. */
static int push(int process, const uint64_t *words, uint32_t count)
{
    struct target *target = &targets[process];

    for (int i = 0; i < PATIENCE; i++) {
        if (proa_board_push(process, words, count)) {
            target->is_full = 0;
            return 1;
        }
        if (target->is_full)
            return 0;
        proa_crossing_take();
        sched_yield();
    }
    target->is_full = 1;
    return 0;
}

static struct place *place_of(const void *caller)
{
    struct place **recent = &recent_places[proa_hash_number((uintptr_t)caller, RECENT_BITS)];
    struct place *place = *recent;

    if (place && place->caller == caller)
        return place;
    HASH_FIND_PTR(places, &caller, place);
    if (place)
        return *recent = place;
    place = calloc(1, sizeof *place + (size_t)proa_board_size());
    if (!place)
        return NULL;
    place->caller = caller;
    place->number = HASH_COUNT(places);
    HASH_ADD_PTR(places, caller, place);
    return place;
}

/* 0: it cannot. */
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

    if (dladdr(place->caller, &info) && info.dli_fname) {
        message.of.place.offset = (uint64_t)((const char *)place->caller - (char *)info.dli_fbase);
        snprintf(message.of.place.object, sizeof message.of.place.object, "%s", info.dli_fname);
    }
    if (!push(process, message.words, PLACE_WORDS))
        return 0;
    place->sent[process] = 1;
    return 1;
}

/* Writes what the target does not know of the clock. Returns its words. The own word of the process
 * is left out: the stamp tells it. */
static uint32_t write_changes(const struct proa_moment *before, const struct proa_moment *moment,
                              uint64_t *words)
{
    uint32_t count = 0;

    for (int i = 0; i < proa_board_size(); i++)
        if (moment->clock[i] != (before ? before->clock[i] : 0) && i != proa_board_rank())
            words[count++] = (uint64_t)i << VALUE_BITS | moment->clock[i];
    return count;
}

static int send_access(int process, const struct proa_access *access, uint32_t place,
                       uint64_t stamp)
{
    struct target *target = &targets[process];
    const int is_new = target->moment != access->moment;
    uint64_t space[PROA_BOARD_MESSAGE],
        *words = proa_board_place(process, (uint32_t)message_words(), space);
    uint32_t count = ACCESS_WORDS;

    words[0] = proa_access_shape(access);
    words[1] = access->low;
    words[2] = access->high;
    words[3] = (uint64_t)access->serial << 32 | place;
    words[4] = stamp;
    words[5] = access->number;
    if (is_new)
        count += write_changes(target->moment, access->moment, &words[ACCESS_WORDS]);
    if (!push(process, words, count))
        return 0;
    if (is_new) {
        proa_moment_drop(target->moment);
        proa_moment_hold(access->moment);
        target->moment = access->moment;
    }
    return 1;
}

void proa_crossing_hand_over(int process, const struct proa_access *access, uint64_t stamp)
{
    struct place *place = place_of(access->caller);

    if (!place || !access->moment || (!place->sent[process] && !send_place(process, place)) ||
        !send_access(process, access, place->number, stamp))
        left_out++;
}

/* ---- the target ---- */

static void take_place(struct origin *from, const uint64_t *words)
{
    struct proa_crossing_place *more;
    const uint64_t number = (uint32_t)words[1], room = 2 * (number + 8);

    if (number >= from->count) {
        more = realloc(from->places, room * sizeof *more);
        if (!more)
            return;
        memset(&more[from->count], 0, (room - from->count) * sizeof *more);
        from->places = more;
        from->count = room;
    }
    memcpy(&from->places[number], &words[2], sizeof *from->places);
}

/* The kept one was not complete before the other was issued. The other way round it cannot be: then
 * this one would have been taken before (drain). */
static int is_crossing(const struct proa_access *kept, const struct proa_access *access)
{
    return kept->origin != access->origin && proa_access_conflicts(kept, access) &&
           access->moment->clock[kept->origin] < kept->stamp;
}

static void take_access(int origin, const uint64_t *words)
{
    struct proa_meeting meeting = {.access = {.low = words[1],
                                              .high = words[2],
                                              .serial = (uint16_t)(words[3] >> 32),
                                              .origin = (int16_t)origin,
                                              .place = (uint32_t)words[3],
                                              .number = words[5],
                                              .stamp = words[4],
                                              .moment = origins[origin].moment},
                                   .has = is_crossing};

    if (!meeting.access.moment)
        return;
    proa_access_set_shape(&meeting.access, words[0]);
    if (look)
        look(&meeting.access);
    if (meeting.access.serial && arrive)
        arrive(&meeting.access);
    proa_accesses_meet(&met, 0, &meeting, tell);
}

void proa_crossing_watch(proa_crossing_look *with)
{
    look = with;
}

static void drain(int origin, uint64_t stamp);

static int process_of(uint64_t change)
{
    return (int)(change >> VALUE_BITS);
}

static uint64_t value_of(uint64_t change)
{
    return change & (((uint64_t)1 << VALUE_BITS) - 1);
}

/* When the access was complete that a message is; 0: it may be taken at any time. */
static uint64_t stamp_of(const uint64_t *words)
{
    return words[0] == PLACE ? 0 : words[4];
}

/* Accesses by others that were complete before this clock was are taken first. The own word of the
 * process is not among the changes, and is not asked for. */
static void take_changes(int origin, const uint64_t *words, uint32_t count)
{
    struct origin *from = &origins[origin];

    if (!from->moment)
        from->moment = proa_moment_empty();
    for (uint32_t i = ACCESS_WORDS; i < count && from->moment; i++) {
        from->moment->clock[process_of(words[i])] = value_of(words[i]);
        drain(process_of(words[i]), value_of(words[i]));
    }
}

static void take(int origin, const uint64_t *words, uint32_t count)
{
    if (words[0] == PLACE) {
        take_place(&origins[origin], words);
        return;
    }
    if (count > ACCESS_WORDS || !origins[origin].moment)
        take_changes(origin, words, count);
    take_access(origin, words);
}

/* Takes what this origin has completed by then. Its stamps only grow. One that is being taken from
 * already has nothing of that kind left: a clock knows only accesses that were handed over before
 * its own were issued. */
static void drain(int origin, uint64_t stamp)
{
    const uint64_t *words;
    uint32_t count;

    if (origins[origin].is_drained)
        return;
    origins[origin].is_drained = 1;
    while ((count = proa_board_look(origin, origins[origin].space, &words)) != 0) {
        if (stamp_of(words) > stamp)
            break;
        take(origin, words, count);
        proa_board_take(origin, count);
    }
    origins[origin].is_drained = 0;
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
    for (int i = 0; i < proa_board_size(); i++)
        drain(i, UINT64_MAX);
    if (!prunes)
        return;
    proa_accesses_drop(&met, 0, 0, is_past, floor);
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
