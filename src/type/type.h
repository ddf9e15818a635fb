/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes as core knows them: a flat form of what the user built.
 *
 * A type is a tree of nodes; a node is a list of items, an item `count` repetitions, `stride` bytes
 * apart, of a run of bytes or of another node. Regular types are loops, never lists of blocks: a
 * vector of 10^8 blocks is one item. Types are built bottom up by the constructors below
 * (host/datatype.c calls them as it reads a type from the host), normalized as they are built, and
 * never changed afterwards.
 *
 * Two views: `data` is the bytes that put and get move. `units` is whole elements for accumulates;
 * it differs from data only for pair types (MPI_DOUBLE_INT), whose elements have padding that put
 * and get leave alone.
 */
#ifndef PROA_TYPE_TYPE_H
#define PROA_TYPE_TYPE_H

#include "type/basic.h"

#include <stddef.h>
#include <stdint.h>

struct proa_node;

struct proa_item {
    int64_t offset;          /* of the first repetition, from where the node is placed */
    int64_t stride;          /* from one repetition to the next */
    uint64_t count;          /* repetitions, at least 1 */
    uint64_t bytes;          /* of the run, if there is no child */
    struct proa_node *child; /* NULL: a run of bytes */
};

struct proa_node {
    int users;      /* types and items that point here */
    uint32_t depth; /* of the tree from here: 1 if no item has a child */
    uint32_t count; /* items, in the order in which their bytes are moved */
    /* All of a list: some items, none with a child. Their bytes; 0: it is not such a list. */
    uint64_t listed;
    int ascends;       /* each run of such a list lies behind the one before */
    int64_t low, high; /* the bytes of such a list lie in [low, high) of where it is placed */
    /* Its runs one by one, in as many items, if all have one size and few of them are a loop; else
     * NULL. */
    struct proa_item *runs;
    uint32_t run_count;
    int apart; /* no byte is in two of these runs, for certain */
    struct proa_item items[];
};

struct proa_type {
    uint64_t size;        /* bytes of data in one element (MPI_Type_size) */
    int64_t extent;       /* from one element to the next */
    int64_t lower, upper; /* the bytes of one element lie in [lower, upper) of its address */
    uint64_t elements;    /* basic elements in one element */
    uint8_t basic;        /* enum proa_basic of every part; PROA_MIXED */
    /* any number of elements is one run of data bytes, starting at the buffer's address */
    uint8_t dense;
    uint8_t dense_units; /* the same for units */
    uint8_t predefined;
    /* predefined, and its units in a row may be worked on without a look at what is inside: there
     * is no padding in them, or they are too long for processor atomics, which would take it in */
    uint8_t plain_units;
    uint8_t data_pairs;             /* data and units differ */
    struct proa_node *data, *units; /* NULL: no bytes at all */
    const char *trouble;            /* not NULL: operations cannot use this type, and why */
};

/* A part of a derived type: `count` elements of type, each type->extent behind the other, the first
 * at offset. */
struct proa_part {
    int64_t offset;
    uint64_t count;
    const struct proa_type *type;
};

/* All constructors return PROA_OK with *result filled in, or a negative code (no memory, or more
 * bytes than an address space has) with nothing to release. The extent is set by the caller, from
 * what the host says. */

/* A predefined type. */
int proa_type_basic(enum proa_basic basic, struct proa_type *result);

/* count copies of one part, stride bytes apart: contiguous, vector, one dimension of an array. */
int proa_type_repeat(const struct proa_part *part, uint64_t count, int64_t stride,
                     struct proa_type *result);

/* Several parts one after the other: indexed, struct. Parts of equal shape at equal distances
 * become a loop. */
int proa_type_list(const struct proa_part *parts, size_t count, struct proa_type *result);

/* Says how far elements are apart; to be called once for each type from repeat and list. */
void proa_type_set_extent(struct proa_type *type, int64_t extent);

/* The same type under another extent. */
int proa_type_resize(const struct proa_type *type, int64_t extent, struct proa_type *result);

/* Gives back what the type holds; nodes that other types use stay. */
void proa_type_release(struct proa_type *type);

/* Which bytes, from the buffer's address, `count` elements touch: [*first, *first + *bytes).
 * PROA_ERR_RMA_RANGE if that is more than an address space has. */
int proa_type_span(const struct proa_type *type, uint64_t count, int64_t *first, uint64_t *bytes);

#endif
