/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accesses of one origin to the targets of a window that no call has completed yet.
 *
 * Each target has a balanced tree of byte intervals (a treap, augmented by the highest end below
 * each node). Accesses of one place in the program that touch each other are kept as one. There are
 * at most PROA_ACCESSES_MOST of them in a window. Beyond that the oldest are dropped, and counted:
 * a dropped access can hide a conflict, and never makes one up. The caller excludes other threads.
 */
#ifndef PROA_CHECK_ACCESSES_H
#define PROA_CHECK_ACCESSES_H

#include "base/calls.h"

#include <stdint.h>

enum { PROA_ACCESSES_MOST = 65536 };

/* ATOMIC_READ: with MPI_NO_OP. */
enum proa_access_kind {
    PROA_ACCESS_READ,
    PROA_ACCESS_WRITE,
    PROA_ACCESS_ATOMIC,
    PROA_ACCESS_ATOMIC_READ
};

struct proa_access {
    uint64_t low, high; /* bytes [low, high) of the target's window; if it is dynamic, addresses */
    const void *caller; /* the return address of the call */
    uint16_t call;      /* enum proa_call */
    uint8_t kind;       /* enum proa_access_kind */
    uint8_t basic;      /* enum proa_basic */
    uint8_t fetches;    /* once its result is here it is complete at the target too */
};

struct proa_access_node;

struct proa_accesses {
    struct proa_access_node *nodes; /* number 0 is none */
    uint32_t *roots;                /* by target */
    int targets;
    uint32_t room, used; /* nodes; those given out so far */
    uint32_t unused;     /* a list of nodes that were given back */
    uint32_t oldest;     /* the node that is dropped next */
    uint32_t alive;
    uint64_t dropped;
};

/* PROA_OK, or PROA_ERR_NO_MEM. */
int proa_accesses_begin(struct proa_accesses *accesses, int targets);
void proa_accesses_end(struct proa_accesses *accesses);

/* Do two accesses to the same bytes conflict, if no call orders them (MPI-4.1, 13.3 and 13.7)? */
int proa_access_conflicts(const struct proa_access *one, const struct proa_access *other);

/* An access that is kept of this target and conflicts with this one; NULL: there is none. Valid
 * until the next call. */
const struct proa_access *proa_accesses_conflict(const struct proa_accesses *accesses, int target,
                                                 const struct proa_access *access);

/* Keeps the access, or drops it where there is no memory. */
void proa_accesses_keep(struct proa_accesses *accesses, int target,
                        const struct proa_access *access);

/* A call has completed accesses to this target, or to all for target < 0: all kinds, or those that
 * local completion completes. */
void proa_accesses_complete(struct proa_accesses *accesses, int target, int local);

#endif
