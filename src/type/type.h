/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes as core knows them: a flat form of the types that the user built.
 *
 * A type is a tree of nodes, and a node is a list of items. An item is `count` repetitions,
 * `stride` bytes apart, of a run of bytes or of another node. Regular types are loops, never lists
 * of blocks: a vector of 10^8 blocks is one item. The constructors below build types bottom up
 * (host/datatype.c calls them as it reads a type from the host), and normalize them as they build.
 * A type never changes afterwards.
 *
 * A type has two views. `data` has the bytes that put and get move. `units` has whole elements for
 * accumulates. The two differ only for pair types (MPI_DOUBLE_INT), whose elements have padding
 * that put and get leave alone.
 */
#ifndef PROA_TYPE_TYPE_H
#define PROA_TYPE_TYPE_H

#include "type/basic.h"
#include "type/signature.h"

#include <stddef.h>
#include <stdint.h>

struct proa_node;

struct proa_item {
    int64_t offset; /* of the first repetition, from the address at which the node is placed */
    int64_t stride; /* from one repetition to the next */
    uint64_t count; /* repetitions, at least 1 */
    uint64_t bytes; /* of the run, if there is no child */
    struct proa_node *child; /* NULL for a run of bytes */
};

/* A run of bytes in a list. */
struct proa_run {
    int64_t offset; /* from the address at which the node is placed */
    uint64_t bytes;
};

/* The runs of an irregular node one by one. */
struct proa_list {
    uint64_t count;
    uint64_t bytes;    /* of all */
    uint64_t even;     /* of each, if all have one size; else 0 */
    int ascends;       /* each run lies after the one before */
    int apart;         /* certainly no byte is in two runs */
    int64_t low, high; /* all bytes lie in [low, high), as offsets */
    struct proa_run runs[];
};

struct proa_node {
    int users;      /* reference count: types and items that point here */
    uint32_t depth; /* of the tree from here: 1 if no item has a child */
    uint32_t count; /* items, in the order in which their bytes are moved */
    /* The same bytes run by run, if there are several items, none has a child, and their loops are
     * short; else NULL. */
    struct proa_list *list;
    int has_lists; /* this node or one below it has a list */
    struct proa_item items[];
};

struct proa_type {
    uint64_t size;        /* bytes of data in one element (MPI_Type_size) */
    int64_t extent;       /* from one element to the next */
    int64_t lower, upper; /* offsets of the bytes of one element are in [lower, upper) */
    uint64_t elements;    /* basic elements in one element */
    uint8_t basic;        /* enum proa_basic of all parts, if it is the same; else PROA_MIXED */
    /* any number of elements is one run of data bytes that starts at the buffer's address */
    uint8_t dense;
    uint8_t dense_units; /* the same for units */
    uint8_t predefined;
    /* The type is predefined, and operations may work on its units in a row without regard to their
     * structure. Either the units have no padding, or they are too long for processor atomics,
     * which would include the padding. */
    uint8_t plain_units;
    uint8_t data_pairs;             /* data and units differ */
    struct proa_node *data, *units; /* NULL if there are no bytes */
    /* bytes of an element of a dense type; 0 if it is not dense, or has no byte or more than
     * INT32_MAX */
    uint32_t plain_bytes;
    const char *trouble; /* the reason why operations cannot use this type; NULL if they can */
    struct proa_signature signature; /* of one element */
    uint8_t is_untyped; /* it contains bytes or characters, which stand for data of any type */
    uint8_t has_pairs;  /* it contains a pair type, which the signature has as one basic type */
    uint16_t number;    /* number of a predefined type (host/types.h); 0 for a derived one */
};

/* A part of a derived type: `count` elements of type, each type->extent bytes after the one before.
 * The first is at offset. */
struct proa_part {
    int64_t offset;
    uint64_t count;
    const struct proa_type *type;
};

/* All constructors return PROA_OK with *result filled in, or a negative code with nothing to
 * release. Errors: no memory, or more bytes than an address space has. The caller sets the extent
 * afterwards, as the host reports it. */

/* Builds a predefined type. */
int proa_type_basic(enum proa_basic basic, struct proa_type *result);

/* Builds count copies of one part, stride bytes apart: contiguous, vector, one dimension of an
 * array. */
int proa_type_repeat(const struct proa_part *part, uint64_t count, int64_t stride,
                     struct proa_type *result);

/* Builds several parts one after the other: indexed, struct. Parts of equal shape at equal
 * distances become a loop. */
int proa_type_list(const struct proa_part *parts, size_t count, struct proa_type *result);

/* Sets the distance from element to element. The caller sets it once for each type from repeat and
 * list. */
void proa_type_set_extent(struct proa_type *type, int64_t extent);

/* Builds the same type with another extent. */
int proa_type_resize(const struct proa_type *type, int64_t extent, struct proa_type *result);

/* Releases the memory of the type; nodes that other types use stay. */
void proa_type_release(struct proa_type *type);

/* Computes the bytes, from the buffer's address, that `count` elements touch: [*first, *first +
 * *bytes). Returns PROA_OK, or PROA_ERR_RMA_RANGE if they exceed an address space. */
int proa_type_span(const struct proa_type *type, uint64_t count, int64_t *first, uint64_t *bytes);

#endif
