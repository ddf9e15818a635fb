/* SPDX-License-Identifier: BSD-3-Clause */
/* See walk.h. */
#include "type/walk.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* ---- one side ---- */

/* Makes item, placed at base, the current item, and descends to its first run. */
static void side_enter(struct proa_walk_side *side, const struct proa_item *item, int64_t base)
{
    int64_t at = base + item->offset;

    while (item->child) {
        struct proa_walk_level *level = &side->levels[side->depth++];

        *level = (struct proa_walk_level){.node = item->child, .base = at};
        item = &level->node->items[0];
        at += item->offset;
    }
    side->at = at;
    side->stride = item->stride;
    side->bytes = item->bytes;
    side->left = item->count;
    side->done = 0;
}

/* Advances to the next item, if there is one, as the current one of the innermost level is used up.
 */
static void side_advance(struct proa_walk_side *side)
{
    while (side->depth > 0) {
        struct proa_walk_level *level = &side->levels[side->depth - 1];
        const struct proa_item *item = &level->node->items[level->item];

        if (item->child && ++level->repetition < item->count) {
            side_enter(side, item, level->base + (int64_t)level->repetition * item->stride);
            return;
        }
        level->repetition = 0;
        if (++level->item < level->node->count) {
            side_enter(side, &level->node->items[level->item], level->base);
            return;
        }
        side->depth--;
    }
    if (side->whole.child && ++side->element < side->whole.count)
        side_enter(side, &side->whole, (int64_t)side->element * side->whole.stride);
    else
        side->left = 0;
}

/* Returns the item for all elements. Adjacent elements are one run; elements of one run each are
 * one loop. */
static struct proa_item side_whole(const struct proa_type *type, const struct proa_node *node,
                                   uint64_t count, int dense)
{
    const struct proa_item *only = &node->items[0];

    if (dense)
        return (struct proa_item){.count = 1, .bytes = count * only->bytes};
    if (node->count == 1 && !only->child && only->count == 1)
        return (struct proa_item){
            .offset = only->offset, .stride = type->extent, .count = count, .bytes = only->bytes};
    return (struct proa_item){
        .stride = type->extent, .count = count, .child = (struct proa_node *)(uintptr_t)node};
}

static int side_begin(struct proa_walk_side *side, const struct proa_type *type, uint64_t count,
                      int units)
{
    const struct proa_node *node = units ? type->units : type->data;

    side->depth = 0;
    side->element = 0;
    side->left = 0;
    side->has_lists = node && node->has_lists;
    side->levels = side->few;
    if (!node || count == 0)
        return PROA_OK;
    if (node->depth > PROA_WALK_DEPTH) {
        side->levels = malloc(node->depth * sizeof *side->levels);
        if (!side->levels)
            return proa_fail(PROA_ERR_NO_MEM, "out of memory for a datatype nested %u deep",
                             node->depth);
    }
    side->whole = side_whole(type, node, count, units ? type->dense_units : type->dense);
    side_enter(side, &side->whole, 0);
    return PROA_OK;
}

/* ---- all sides ---- */

int proa_walk_begin(struct proa_walk *walk, int sides, const struct proa_type *const type[],
                    const uint64_t count[], int units)
{
    int i = 0, error = PROA_OK;

    for (; i < sides && !error; i++)
        error = side_begin(&walk->side[i], type[i], count[i], units);
    walk->sides = i;
    if (error)
        proa_walk_end(walk);
    return error;
}

void proa_walk_end(struct proa_walk *walk)
{
    for (int i = 0; i < walk->sides; i++)
        if (walk->side[i].levels != walk->side[i].few)
            free(walk->side[i].levels);
}

/* Returns the number of runs of `bytes` bytes that this side gives before it stops being regular.
 * These are repetitions of its own runs if those have that length, else pieces of its current run.
 */
static uint64_t side_runs(const struct proa_walk_side *side, uint64_t bytes)
{
    if (side->done == 0 && side->bytes == bytes)
        return side->left;
    return (side->bytes - side->done) / bytes;
}

static int64_t side_step(const struct proa_walk_side *side, uint64_t bytes)
{
    return side->done == 0 && side->bytes == bytes ? side->stride : (int64_t)bytes;
}

static void side_consume(struct proa_walk_side *side, uint64_t bytes, uint64_t count)
{
    if (side->done != 0 || side->bytes != bytes) {
        side->done += bytes * count;
        if (side->done != side->bytes)
            return;
        side->done = 0;
        count = 1;
    }
    side->left -= count;
    if (side->left == 0)
        side_advance(side);
    /* only here: there may be no address after the last run */
    else
        side->at += (int64_t)count * side->stride;
}

static void next_regular(struct proa_walk *walk, struct proa_stretch *stretch)
{
    uint64_t bytes = UINT64_MAX, count = UINT64_MAX;

    for (int i = 0; i < walk->sides; i++) {
        const struct proa_walk_side *side = &walk->side[i];
        uint64_t rest = side->bytes - side->done;

        bytes = rest < bytes ? rest : bytes;
    }
    for (int i = 0; i < walk->sides; i++) {
        uint64_t runs = side_runs(&walk->side[i], bytes);
        count = runs < count ? runs : count;
    }
    stretch->list = NULL;
    stretch->bytes = bytes;
    stretch->count = count;
    for (int i = 0; i < walk->sides; i++) {
        struct proa_walk_side *side = &walk->side[i];

        stretch->offset[i] = side->at + (int64_t)side->done;
        stretch->stride[i] = side_step(side, bytes);
        side_consume(side, bytes, count);
    }
}

/* Returns the list at whose beginning the side is, or NULL if there is none. */
static const struct proa_list *side_list(const struct proa_walk_side *side)
{
    const struct proa_walk_level *level;

    if (side->depth == 0)
        return NULL;
    level = &side->levels[side->depth - 1];
    return level->node->list && level->item == 0 && !side->done &&
                   side->left == level->node->items[0].count
               ? level->node->list
               : NULL;
}

/* Returns whether the other sides have so many contiguous bytes. */
static int are_in_row(const struct proa_walk *walk, int side, uint64_t bytes)
{
    for (int i = 0; i < walk->sides; i++)
        if (i != side &&
            (walk->side[i].left == 0 || walk->side[i].bytes - walk->side[i].done < bytes))
            return 0;
    return 1;
}

/* Uses a list if one comes next on this side. */
static int next_list(struct proa_walk *walk, int side, struct proa_stretch *stretch)
{
    const struct proa_list *list = side_list(&walk->side[side]);
    struct proa_walk_level *level;

    if (!list || !are_in_row(walk, side, list->bytes))
        return 0;
    for (int i = 0; i < walk->sides; i++) {
        stretch->offset[i] = walk->side[i].at + (int64_t)walk->side[i].done;
        stretch->stride[i] = (int64_t)list->even;
        if (i != side)
            side_consume(&walk->side[i], list->bytes, 1);
    }
    level = &walk->side[side].levels[walk->side[side].depth - 1];
    stretch->offset[side] = level->base;
    stretch->stride[side] = 0;
    stretch->bytes = list->even;
    stretch->count = list->count;
    stretch->list = list;
    stretch->side = side;
    level->item = level->node->count - 1;
    side_advance(&walk->side[side]);
    return 1;
}

void proa_walk_next(struct proa_walk *walk, int lists, struct proa_stretch *stretch)
{
    for (int i = 0; i < lists && (walk->side[0].has_lists | walk->side[1].has_lists); i++)
        if (next_list(walk, i, stretch))
            return;
    next_regular(walk, stretch);
}
