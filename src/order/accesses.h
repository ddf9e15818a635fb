/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses that are compared with later ones: those of one origin that no call has completed yet,
 * by target; or those of all origins to one target that may still meet others (order/crossing.h).
 *
 * Accesses of words are in a hash table of blocks of memory, and others in a tree of byte intervals
 * for each target (order/node.h). The last one gets a node when another one comes, as many are
 * complete before that. Accesses of one place in the program that touch each other, and
 * are issued and complete at the same time, are kept as one. So are those to the same bytes,
 * however many they are. There are at most PROA_ACCESSES_MOST of them. Beyond that the oldest are
 * dropped, and counted: a dropped access can hide a conflict, and never makes one up. The caller
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

/* In place of a call: a load or a store by the program, of its own memory; TOUCH: one of both. From
 * HOST on: a call of the host's (proa_access_host_call). */
enum { PROA_ACCESS_LOAD = PROA_CALL_COUNT, PROA_ACCESS_STORE, PROA_ACCESS_TOUCH, PROA_ACCESS_HOST };

struct proa_access {
    uint64_t low, high;  /* bytes [low, high) of the target's window; if it is dynamic, addresses */
    const void *caller;  /* the return address of the call */
    uint16_t call;       /* enum proa_call, or PROA_ACCESS_LOAD and so on */
    uint8_t kind;        /* enum proa_access_kind */
    uint8_t basic;       /* enum proa_basic */
    uint8_t fetches : 1; /* once its result is here it is complete at the target too */
    uint8_t requested : 1; /* the same, and it is complete at the latest when its request is */
    uint8_t rest : 6;      /* 0, as shapes are compared */
    uint8_t epoch;         /* PROA_EPOCH_*, of its issue */
    uint8_t op;      /* of accumulates that must not meet other ops (info accumulate_ops), or 0 */
    uint8_t phase;   /* of an accumulate: where its elements begin, modulo their bytes */
    uint16_t serial; /* of its fence or start, for usage rules (usage/rules.h); or 0 */
    int16_t origin;  /* its process, and */
    uint32_t place;  /* the number of its place there; of accesses that were handed over */
    const void *window; /* that it went through: of this process's own accesses; else NULL */
    uint64_t number;    /* that window's, for all processes */
    uint64_t stamp;     /* when it was complete; 0: it is not (order/clock.h) */
    /* Of those that were handed over: the last access before it that read the value of its bytes,
     * by proa_seen and by its arrival; 0: none. Arrivals count up; and the first one of an access
     * that read the value, and before which nothing tells that this one was. */
    uint64_t seen, seen_arrival, arrival, unread;
    struct proa_moment *moment;  /* when it was issued; NULL: there are no clocks */
    struct proa_payload payload; /* of the latest call, where several are kept as one */
};

/* An access by its origin and stamp, in one word; 0: none. */
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
    uint32_t *buckets;                /* the first node of each */
    struct proa_block_entry *entries; /* by node */
    int bits;                         /* there are 2^bits buckets */
    uint32_t count, crossing;         /* of nodes; of those with bytes in two blocks */
};

struct proa_accesses {
    struct proa_access_node *nodes; /* number 0 is none */
    struct proa_access_target *of;  /* by target; NULL: there are no accesses */
    struct proa_blocks blocks;
    int targets;
    uint32_t room, used; /* nodes; those given out so far */
    uint32_t unused;     /* a list of nodes that were given back */
    uint32_t oldest;     /* the node that is dropped next */
    uint32_t fetching;   /* nodes of accesses that fetch */
    uint32_t alive;      /* nodes, and: */
    int young_of;        /* the target, plus 1, of the access that came last; 0: it has a node */
    struct proa_access young;
    uint64_t stamp; /* of the access that proa_accesses_meet kept last */
    uint64_t dropped;
};

/* PROA_OK, or PROA_ERR_NO_MEM. */
int proa_accesses_begin(struct proa_accesses *accesses, int targets);
void proa_accesses_end(struct proa_accesses *accesses);

/* The number of a call of the host's, by its name, which stays: valid in this process alone. With
 * too many names it is PROA_ACCESS_TOUCH. The caller excludes other threads. */
uint16_t proa_access_host_call(const char *name);

/* "MPI_Put", or "a load" and "a store". */
const char *proa_access_name(const struct proa_access *access);

/* Do two accesses to the same bytes conflict, if no call orders them (MPI-4.1, 13.3 and 13.7)? */
int proa_access_conflicts(const struct proa_access *one, const struct proa_access *other);

/* Does the program get the value of its bytes, atomically? */
static inline int proa_access_reads_value(const struct proa_access *access)
{
    return access->kind == PROA_ACCESS_POLL ||
           (access->fetches && access->kind != PROA_ACCESS_READ);
}

/* Does it change its bytes? */
static inline int proa_access_updates(const struct proa_access *access)
{
    return access->kind == PROA_ACCESS_WRITE || access->kind == PROA_ACCESS_ATOMIC;
}

/* Is it so, of a kept access and another one? */
typedef int proa_access_relation(const struct proa_access *kept, const struct proa_access *access);

/* An access that is kept of this target, overlaps this one, and has this relation to it; NULL:
 * there is none. Valid until the next call. */
const struct proa_access *proa_accesses_find(const struct proa_accesses *accesses, int target,
                                             const struct proa_access *access,
                                             proa_access_relation *has);

/* The same for those that conflict, if nothing orders the two. */
const struct proa_access *proa_accesses_conflict_of(const struct proa_accesses *accesses,
                                                    int target, const struct proa_access *access);

static inline const struct proa_access *proa_accesses_conflict(const struct proa_accesses *accesses,
                                                               int target,
                                                               const struct proa_access *access)
{
    return accesses->alive ? proa_accesses_conflict_of(accesses, target, access) : NULL;
}

/* Keeps the access, or drops it where there is no memory. Holds its moment. */
void proa_accesses_keep(struct proa_accesses *accesses, int target,
                        const struct proa_access *access);

/* Keeps an access that is complete. It takes the place of earlier ones like it, byte by byte: all
 * that is not ordered after an earlier one is not ordered after it either. */
void proa_accesses_renew(struct proa_accesses *accesses, int target,
                         const struct proa_access *access);

/* A look at all kept accesses that overlap one. */
struct proa_meeting {
    struct proa_access access; /* the one; first, as its address is the meeting's */
    proa_access_relation *has; /* what is looked for */
    /* called of a kept one that reads the value of bytes of the access: may set `part` and what the
     * access has seen */
    void (*value)(struct proa_meeting *meeting, const struct proa_access *kept);
    /* what is found, NULL to begin with: the first that has it; one that is like the one; one that
     * is like it, of the same bytes; one that was before it and read a part of its bytes */
    const struct proa_access *first, *like, *part;
    struct proa_access *same;
    int is_whole; /* a part counts as all of its bytes */
};

/* The same in one look with the relation: tells of the first one that has it. Fills in what the
 * access has seen, and keeps it without its moment. 0: it has seen the values of a part of its
 * bytes, so nothing is done; the caller divides it there. */
int proa_accesses_meet(struct proa_accesses *accesses, int target, struct proa_meeting *meeting,
                       void (*tell)(const struct proa_access *kept,
                                    const struct proa_access *access));

/* Drops those accesses to this target, or to all for target < 0, of which `goes` says so; fetches:
 * only such as fetch. */
typedef int proa_access_goes(const struct proa_access *access, void *arg);
void proa_accesses_drop(struct proa_accesses *accesses, int target, int fetches,
                        proa_access_goes *goes, void *arg);

#endif
