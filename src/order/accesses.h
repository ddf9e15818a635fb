/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses that are compared with later ones. They are pending accesses of one origin, by target,
 * or accesses of all origins to one target that may still conflict with others (order/crossing.h).
 *
 * Accesses of words are in a hash table of blocks of memory; others are in a tree of byte intervals
 * for each target (order/node.h). The last access gets a node only when another one arrives, as
 * many are complete before that. Accesses are merged if they are of one place in the program, touch
 * each other, and are issued and complete at the same time. All such accesses to the same bytes are
 * merged, too. There are at most PROA_ACCESSES_MOST of them. Beyond that the oldest are dropped,
 * and counted: a dropped access can hide a conflict, but never causes a false one. The caller
 * excludes other threads.
 */
#ifndef PROA_ORDER_ACCESSES_H
#define PROA_ORDER_ACCESSES_H

#include "base/calls.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PROA_ACCESSES_MOST = 65536 };

/* ATOMIC_READ: with MPI_NO_OP. POLL: a load that waits for a value (check/polls.h). */
enum proa_access_kind {
    PROA_ACCESS_READ,
    PROA_ACCESS_WRITE,
    PROA_ACCESS_ATOMIC,
    PROA_ACCESS_ATOMIC_READ,
    PROA_ACCESS_POLL
};

/* Used instead of a call: a load or a store by the program, of its own memory. TOUCH: either of
 * both. From HOST on: a call of the host (proa_access_host_call). */
enum { PROA_ACCESS_LOAD = PROA_CALL_COUNT, PROA_ACCESS_STORE, PROA_ACCESS_TOUCH, PROA_ACCESS_HOST };

struct proa_access {
    uint64_t low, high;    /* bytes [low, high) of the target's window; if dynamic, addresses */
    const void *caller;    /* return address of the call */
    uint16_t call;         /* enum proa_call, or PROA_ACCESS_LOAD and so on */
    uint8_t kind;          /* enum proa_access_kind */
    uint8_t basic;         /* enum proa_basic */
    uint8_t fetches : 1;   /* complete at the target as soon as its result is here */
    uint8_t requested : 1; /* as fetches, and complete at the latest when its request is */
    uint8_t rest : 6;      /* always 0, as shapes are compared */
    uint8_t epoch;         /* PROA_EPOCH_* at its issue */
    uint8_t op;      /* of accumulates that must not meet other ops (info accumulate_ops), or 0 */
    uint8_t phase;   /* of an accumulate: start of its elements, modulo their size in bytes */
    uint16_t serial; /* number of its fence or start, for usage rules (usage/rules.h); or 0 */
    int16_t origin;  /* process that issued it, and */
    uint32_t place;  /* the number of its place there; for accesses that were handed over */
    const void *window; /* window of this process's own access; else NULL */
    uint64_t number;    /* number of that window in all processes */
    uint64_t stamp;     /* stamp of its completion (order/clock.h); 0 while pending */
    /* Only of accesses that were handed over. The last access before it that read the value of its
     * bytes, by proa_seen and by its arrival; 0 for none. The arrival number, which counts up. And
     * the arrival of the first access that read the value although nothing shows that it came after
     * this one. */
    uint64_t seen, seen_arrival, arrival, unread;
    struct proa_moment *moment;  /* clock of its issue; NULL without clocks */
    struct proa_payload payload; /* payload of the latest call, if several are merged */
};

/* An access by its origin and stamp, in one word; 0 for none. */
enum { PROA_SEEN_BITS = 48 };

static inline uint64_t proa_seen(const struct proa_access *access)
{
    return (uint64_t)(uint16_t)access->origin << PROA_SEEN_BITS | access->stamp;
}

static inline int proa_seen_origin(uint64_t seen)
{
    return (int)(seen >> PROA_SEEN_BITS);
}

static inline uint64_t proa_seen_stamp(uint64_t seen)
{
    return seen & (((uint64_t)1 << PROA_SEEN_BITS) - 1);
}

/* The fields from `call` to `phase`, as one word. */
_Static_assert(offsetof(struct proa_access, serial) == offsetof(struct proa_access, call) + 8, "");

static inline uint64_t proa_access_shape(const struct proa_access *access)
{
    uint64_t shape;

    memcpy(&shape, (const char *)access + offsetof(struct proa_access, call), sizeof shape);
    return shape;
}

static inline void proa_access_set_shape(struct proa_access *access, uint64_t shape)
{
    memcpy((char *)access + offsetof(struct proa_access, call), &shape, sizeof shape);
}

struct proa_access_node;
struct proa_access_target;
struct proa_moment;

/* A hash table of nodes (order/blocks.h). */
struct proa_blocks {
    uint32_t *buckets;                /* the first node of each bucket */
    struct proa_block_entry *entries; /* by node */
    int bits;                         /* there are 2^bits buckets */
    uint32_t count, crossing;         /* number of nodes, and of those with bytes in two blocks */
};

struct proa_accesses {
    struct proa_access_node *nodes; /* number 0 is not used */
    struct proa_access_target *of;  /* by target; NULL if there are no accesses */
    struct proa_blocks blocks;
    int targets;
    uint32_t room, used; /* nodes, and those given out so far */
    uint32_t unused;     /* list of freed nodes */
    uint32_t oldest;     /* node to drop next */
    uint32_t fetching;   /* number of nodes of accesses that fetch */
    uint32_t alive;      /* number of nodes, and: */
    int young_of;        /* target, plus 1, of the last access; 0 if it has a node */
    struct proa_access young;
    uint64_t stamp; /* stamp of the access that proa_accesses_meet kept last */
    uint64_t dropped;
};

/* Returns PROA_OK or PROA_ERR_NO_MEM. */
int proa_accesses_begin(struct proa_accesses *accesses, int targets);
void proa_accesses_end(struct proa_accesses *accesses);

/* Returns the number of a call of the host. name: its name, valid forever. The number is valid in
 * this process only. With too many names it is PROA_ACCESS_TOUCH. The caller excludes other
 * threads. */
uint16_t proa_access_host_call(const char *name);

/* Returns "MPI_Put" and so on, or "a load" and "a store". */
const char *proa_access_name(const struct proa_access *access);

/* Returns true if two accesses to the same bytes conflict, unless a call orders them (MPI-4.1, 13.3
 * and 13.7). */
int proa_access_conflicts(const struct proa_access *one, const struct proa_access *other);

/* Returns true if the program receives the value of the bytes, atomically. */
static inline int proa_access_reads_value(const struct proa_access *access)
{
    return access->kind == PROA_ACCESS_POLL ||
           (access->fetches && access->kind != PROA_ACCESS_READ);
}

/* Returns true if the access changes its bytes. */
static inline int proa_access_updates(const struct proa_access *access)
{
    return access->kind == PROA_ACCESS_WRITE || access->kind == PROA_ACCESS_ATOMIC;
}

/* Returns true if the relation holds between a kept access and another one. */
typedef int proa_access_relation(const struct proa_access *kept, const struct proa_access *access);

/* Returns an access kept of this target that overlaps this one, and has this relation to it.
 * Returns NULL if there is none. Valid until the next call. */
const struct proa_access *proa_accesses_find(const struct proa_accesses *accesses, int target,
                                             const struct proa_access *access,
                                             proa_access_relation *has);

/* As proa_accesses_find, for accesses that conflict unless they are ordered. */
const struct proa_access *proa_accesses_conflict_of(const struct proa_accesses *accesses,
                                                    int target, const struct proa_access *access);

static inline const struct proa_access *proa_accesses_conflict(const struct proa_accesses *accesses,
                                                               int target,
                                                               const struct proa_access *access)
{
    return accesses->alive ? proa_accesses_conflict_of(accesses, target, access) : NULL;
}

/* Keeps the access, or drops it without memory. Holds its moment. */
void proa_accesses_keep(struct proa_accesses *accesses, int target,
                        const struct proa_access *access);

/* Keeps an access that is complete. It replaces earlier similar ones, byte by byte: every access
 * not ordered after an earlier one is not ordered after it either. */
void proa_accesses_renew(struct proa_accesses *accesses, int target,
                         const struct proa_access *access);

/* A search of all kept accesses that overlap one. */
struct proa_meeting {
    struct proa_access access; /* the access; first, as its address is the meeting's */
    proa_access_relation *has; /* relation that is searched for */
    /* called for a kept access that reads the value of bytes of the access; may set `part` and the
     * fields on observed values */
    void (*value)(struct proa_meeting *meeting, const struct proa_access *kept);
    /* results, NULL at the start: the first access with the relation; a similar access; a similar
     * one of the same bytes; one that was before it and read a part of its bytes */
    const struct proa_access *first, *like, *part;
    struct proa_access *same;
    int is_whole; /* a part counts as all of its bytes */
};

/* Keeps the access, and reports the first kept one with the relation, in one search. Fills in the
 * value that the access observed; the access is kept without its moment. Returns 0, and does
 * nothing, if it observed the values of a part of its bytes. The caller then divides it there. */
int proa_accesses_meet(struct proa_accesses *accesses, int target, struct proa_meeting *meeting,
                       void (*tell)(const struct proa_access *kept,
                                    const struct proa_access *access));

/* Drops accesses for which `goes` returns true. target: target, or < 0 for all. fetches: true for
 * accesses that fetch only. */
typedef int proa_access_goes(const struct proa_access *access, void *arg);
void proa_accesses_drop(struct proa_accesses *accesses, int target, int fetches,
                        proa_access_goes *goes, void *arg);

#endif
