/* SPDX-License-Identifier: BSD-3-Clause */
/* See crossing.h. */
#include "order/crossing.h"
#include "base/fail.h"
#include "order/blocks.h"
#include "order/clock.h"
#include "order/place.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Messages are those of places (order/place.h), or an access, with all changes of the clock of
 * issue since the previous access. A change has the process above the value. The first word of an
 * access is its fields from `call` to `phase`, which are never all ones. */
enum { ACCESS_WORDS = 7 };
enum { VALUE_BITS = 48 };

/* Number of times that an origin yields for a target that has to make room. */
enum { PATIENCE = 200 };

/* Number of kept accesses at which the first pruning starts. */
enum { PRUNED_FROM = 4096 };

/* Largest number of parts that an access after reads of values is divided into. */
enum { PARTS_MOST = 64 };

/* ---- state ---- */

/* The accesses sent to a process. */
struct target {
    struct proa_moment *moment; /* the clock; NULL for none */
    int is_full;                /* its queue was full last time, so it is not waited for again */
};

/* The accesses that an origin has sent. */
struct origin {
    struct proa_moment *moment;
    int is_drained;  /* its queue is being drained */
    uint64_t *space; /* buffer for a message */
};

static proa_crossing_tell *tell;
static proa_crossing_look *arrive;
static struct proa_accesses met; /* accesses to this target */
static uint32_t prune_at;
static uint64_t left_out, ordered_by_values, arrivals;
static struct target *targets;
static struct origin *origins;
static uint64_t *spaces;

/* Returns the longest message of this job, in words. */
static size_t message_words(void)
{
    const size_t access = ACCESS_WORDS + (size_t)proa_board_size();

    return access > PROA_PLACE_WORDS ? access : PROA_PLACE_WORDS;
}

int proa_crossing_begin(proa_crossing_tell *with, proa_crossing_look *with_each)
{
    const size_t size = (size_t)proa_board_size();

    tell = with;
    arrive = with_each;
    prune_at = PRUNED_FROM;
    left_out = ordered_by_values = 0;
    arrivals = 1;
    targets = calloc(size, sizeof *targets);
    origins = calloc(size, sizeof *origins);
    spaces = calloc(size * message_words(), sizeof *spaces);
    for (size_t i = 0; origins && i < size; i++)
        origins[i].space = &spaces[i * message_words()];
    if (targets && origins && spaces && proa_place_begin((int)size) == 0 &&
        proa_accesses_begin(&met, 1) == PROA_OK)
        return PROA_OK;
    proa_place_end();
    free(targets);
    free(origins);
    free(spaces);
    targets = NULL;
    origins = NULL;
    return proa_fail(PROA_ERR_NO_MEM, "out of memory for check mode");
}

void proa_crossing_end(void)
{
    if (!origins)
        return;
    proa_place_end();
    proa_accesses_end(&met);
    for (int i = 0; i < proa_board_size(); i++) {
        proa_moment_drop(targets[i].moment);
        proa_moment_drop(origins[i].moment);
    }
    free(targets);
    free(origins);
    free(spaces);
    targets = NULL;
    origins = NULL;
}

/* ---- the origin ---- */

/* A target makes room when it next calls MPI; this process makes room for others meanwhile. */
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

/* Writes the changes of the clock that the target does not know. The stamp carries the process's
 * own word, so it is left out. Returns the number of words. */
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
    memcpy(&words[6], &access->payload, sizeof words[6]);
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
    struct proa_place *place = proa_place_of(access->caller);

    if (!place || !access->moment || !proa_place_tell(process, place, push) ||
        !send_access(process, access, proa_place_number(place), stamp))
        left_out++;
}

/* ---- the target ---- */

/* Returns true if the kept access was complete before the other was issued. The reverse is
 * impossible: then this access would have been taken before (drain). */
static int knows(const struct proa_access *access, const struct proa_access *kept)
{
    return access->moment->clock[kept->origin] >= kept->stamp;
}

/* Returns true if the kept access was before the other. Accesses of one origin arrive in order. */
static int is_after(const struct proa_access *kept, const struct proa_access *access)
{
    return kept->origin == access->origin || knows(access, kept);
}

/* Records that the access is after the kept one, whose value it observed for some of its bytes. */
static void note_seen(struct proa_meeting *meeting, const struct proa_access *kept)
{
    struct proa_access *access = &meeting->access;

    if (!meeting->is_whole && (kept->low > access->low || kept->high < access->high)) {
        meeting->part = kept;
    } else if (kept->arrival > access->seen_arrival) {
        access->seen = proa_seen(kept);
        access->seen_arrival = kept->arrival;
    }
}

static void note_value(struct proa_meeting *meeting, const struct proa_access *kept)
{
    struct proa_access *access = &meeting->access;

    if (is_after(kept, access))
        note_seen(meeting, kept);
    else if (kept->arrival < access->unread)
        access->unread = kept->arrival;
}

/* Returns true if the update is after the one that the access observed. The clock of a kept update
 * is no longer stored. */
static int is_later(const struct proa_access *update, const struct proa_access *access)
{
    const int origin = proa_seen_origin(access->seen);

    if (origin == update->origin)
        return 1;
    return update->moment ? update->moment->clock[origin] >= proa_seen_stamp(access->seen)
                          : access->seen_arrival < update->unread;
}

/* Returns true if the access observed the update. It is after an access that read the value of its
 * bytes. An update not ordered after that read may have written the value, and the access is then
 * after the update as well. */
static int has_seen(const struct proa_access *access, const struct proa_access *update)
{
    return access->seen && proa_access_updates(update) && !is_later(update, access);
}

static int polls(const struct proa_access *one, const struct proa_access *other)
{
    return one->kind == PROA_ACCESS_POLL && proa_access_updates(other);
}

static int by_value; /* the current access is ordered with another one by a value only */

static int is_crossing(const struct proa_access *kept, const struct proa_access *access)
{
    const int is_poll = polls(kept, access) || polls(access, kept);

    if (kept->origin == access->origin || !(is_poll || proa_access_conflicts(kept, access)) ||
        knows(access, kept))
        return 0;
    if (!is_poll && !has_seen(kept, access) && !has_seen(access, kept))
        return 1;
    by_value = 1;
    return 0;
}

/* Compares the first bytes of the access, up to where bytes whose value was read before it end or
 * start. Returns the end of the compared bytes. */
static uint64_t meet_first(const struct proa_access *access, int is_whole)
{
    struct proa_meeting meeting = {
        .access = *access, .has = is_crossing, .value = note_value, .is_whole = is_whole};

    while (!proa_accesses_meet(&met, 0, &meeting, tell)) {
        const struct proa_access *part = meeting.part;

        meeting.access.high = part->low > access->low ? part->low : part->high;
        meeting.access.seen = meeting.access.seen_arrival = 0;
        meeting.access.unread = access->unread;
        meeting.first = meeting.like = meeting.part = NULL;
        meeting.same = NULL;
    }
    return meeting.access.high;
}

static void meet(const struct proa_access *access)
{
    struct proa_access rest = *access;

    for (int i = 1; rest.low < access->high; i++)
        rest.low = meet_first(&rest, i == PARTS_MOST);
}

static void take_access(int origin, const uint64_t *words)
{
    struct proa_access access = {.low = words[1],
                                 .high = words[2],
                                 .serial = (uint16_t)(words[3] >> 32),
                                 .origin = (int16_t)origin,
                                 .place = (uint32_t)words[3],
                                 .number = words[5],
                                 .stamp = words[4],
                                 .arrival = arrivals,
                                 .unread = arrivals,
                                 .moment = origins[origin].moment};

    if (!access.moment)
        return;
    arrivals++;
    proa_access_set_shape(&access, words[0]);
    memcpy(&access.payload, &words[6], sizeof words[6]);
    if (access.serial && arrive)
        arrive(&access);
    by_value = 0;
    meet(&access);
    ordered_by_values += (uint64_t)by_value;
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

/* Returns the stamp of the access in a message; 0 if the message may be taken at any time. */
static uint64_t stamp_of(const uint64_t *words)
{
    return words[0] >= PROA_PLACE_MESSAGES ? 0 : words[4];
}

/* Accesses of others that were complete before this clock are taken first. The process's own word
 * is not among the changes, and is not compared. */
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
    if (words[0] >= PROA_PLACE_MESSAGES) {
        proa_place_take(origin, words);
        return;
    }
    if (count > ACCESS_WORDS || !origins[origin].moment)
        take_changes(origin, words, count);
    take_access(origin, words);
}

/* Takes accesses of this origin that were complete by then. Its stamps only increase. An origin
 * that is being drained already has no such accesses left: a clock covers only accesses that were
 * handed over before its own were issued. At most the accesses present at the start are taken: an
 * origin that polls hands over accesses as fast as they are taken. */
static void drain(int origin, uint64_t stamp)
{
    const uint64_t *words;
    uint32_t count;
    uint64_t taken = 0;

    if (origins[origin].is_drained)
        return;
    origins[origin].is_drained = 1;
    while (taken < PROA_BOARD_QUEUE &&
           (count = proa_board_look(origin, origins[origin].space, &words)) != 0) {
        if (stamp_of(words) > stamp)
            break;
        taken += count;
        take(origin, words, count);
        proa_board_take(origin, count);
    }
    origins[origin].is_drained = 0;
}

/* Returns true if every access that is handed over later is ordered after this one. */
static int is_past(const struct proa_access *access, void *floor)
{
    return ((const uint64_t *)floor)[access->origin] >= access->stamp;
}

void proa_crossing_take(void)
{
    uint64_t floor[PROA_BOARD_MOST];
    const int prunes = met.alive >= prune_at;

    if (prunes) { /* before the queues are read, which have every access below the floors */
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

uint64_t proa_crossing_left_out(void)
{
    return left_out + met.dropped;
}

uint64_t proa_crossing_ordered_by_values(void)
{
    return ordered_by_values;
}
