/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk over several layouts at once. It finds the next stretch of bytes that is regular in all of
 * them.
 *
 * A side is a number of elements of a type. All sides of a walk hold equally many bytes. Each step
 * gives `count` runs of `bytes` bytes. On side i the first run is at offset[i] from its buffer, and
 * each next run is stride[i] further. Irregular types would have a step for each of their runs, so
 * a step may also give a list that the type has made of them (type/type.h). Nothing is packed.
 */
#ifndef PROA_TYPE_WALK_H
#define PROA_TYPE_WALK_H

#include "type/type.h"

enum { PROA_WALK_SIDES = 3, PROA_WALK_DEPTH = 12 };

/* The position of a side in one node of its tree. */
struct proa_walk_level {
    const struct proa_node *node;
    uint32_t item;       /* the current item */
    uint64_t repetition; /* the current repetition of that item */
    int64_t base;        /* offset at which this node is placed */
};

struct proa_walk_side {
    /* The elements of the buffer, as if they were one item. */
    struct proa_item whole;
    uint64_t element;
    /* The current run of bytes, and the repetitions of it that are left, this one included. */
    int64_t at, stride;
    uint64_t bytes, left, done; /* done: bytes of the current run */
    uint32_t depth;             /* levels in use */
    int has_lists;              /* the type has lists */
    struct proa_walk_level *levels;
    struct proa_walk_level few[PROA_WALK_DEPTH];
};

struct proa_walk {
    int sides;
    struct proa_walk_side side[PROA_WALK_SIDES];
};

struct proa_stretch {
    uint64_t bytes, count; /* bytes is 0 if a list gives them */
    int64_t offset[PROA_WALK_SIDES], stride[PROA_WALK_SIDES];
    /* Not NULL if on `side` these are the runs of this list, placed at offset[side], with
     * stride[side] 0. On the other sides they are contiguous. */
    const struct proa_list *list;
    int side;
};

/* Begins a walk over count[i] elements of type[i]. units: 1 to walk over whole elements, for
 * accumulates. Returns PROA_OK or PROA_ERR_NO_MEM (only for types nested deeper than
 * PROA_WALK_DEPTH). */
int proa_walk_begin(struct proa_walk *walk, int sides, const struct proa_type *const type[],
                    const uint64_t count[], int units);
void proa_walk_end(struct proa_walk *walk);

/* Returns whether there is another stretch. */
static inline int proa_walk_goes_on(const struct proa_walk *walk)
{
    return walk->side[0].left > 0;
}

/* Sets the next stretch of a walk that has one. lists: number of sides that may have a list, from
 * the first on; at most two. */
void proa_walk_next(struct proa_walk *walk, int lists, struct proa_stretch *stretch);

#endif
