/* SPDX-License-Identifier: BSD-3-Clause */
/* See walk.h. */
#include "type/walk.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* ---- one side ---- */

/* Makes item, placed at base, the present item, and goes down to its first run. */
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

/* The present item of the innermost level is used up: goes on to the next. 0 at the end of the
 * side. */
static int side_advance(struct proa_walk_side *side)
{
    while (side->depth > 0) {
        struct proa_walk_level *level = &side->levels[side->depth - 1];
        const struct proa_item *item = &level->node->items[level->item];

        if (item->child && ++level->repetition < item->count) {
            side_enter(side, item, level->base + (int64_t)level->repetition * item->stride);
            return 1;
        }
        level->repetition = 0;
        if (++level->item < level->node->count) {
            side_enter(side, &level->node->items[level->item], level->base);
            return 1;
        }
        side->depth--;
    }
    if (side->whole.child && ++side->element < side->whole.count) {
        side_enter(side, &side->whole, (int64_t)side->element * side->whole.stride);
        return 1;
    }
    side->left = 0;
    return 0;
}

/* The item for all elements. Adjacent elements are one run; elements of one run each are one loop.
 */
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
    side->levels = side->few;
    if (!node || count == 0)
        return PROA_OK;
    if (node->depth > PROA_WALK_DEPTH) {
        side->levels = malloc(node->depth * sizeof *side->levels);
        if (!side->levels)
            return proa_fail(PROA_ERR_NO_MEM, "no memory to walk a datatype nested %u deep",
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
    int error = PROA_OK;

    walk->sides = sides;
    for (int i = 0; i < sides; i++) {
        int failed = side_begin(&walk->side[i], type[i], count[i], units);
        error = failed ? failed : error;
    }
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

/* The number of runs of `bytes` bytes that this side gives before it stops being regular. These are
 * repetitions of its own runs if those have that length, else pieces of its present run. */
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
    /* only here: behind the last run there need not be any address */
    else
        side->at += (int64_t)count * side->stride;
}

int proa_walk_next(struct proa_walk *walk, struct proa_stretch *stretch)
{
    uint64_t bytes = UINT64_MAX, count = UINT64_MAX;

    for (int i = 0; i < walk->sides; i++) {
        const struct proa_walk_side *side = &walk->side[i];
        uint64_t rest = side->bytes - side->done;

        if (side->left == 0)
            return 0;
        bytes = rest < bytes ? rest : bytes;
    }
    for (int i = 0; i < walk->sides; i++) {
        uint64_t runs = side_runs(&walk->side[i], bytes);
        count = runs < count ? runs : count;
    }
    stretch->bytes = bytes;
    stretch->count = count;
    for (int i = 0; i < walk->sides; i++) {
        struct proa_walk_side *side = &walk->side[i];

        stretch->offset[i] = side->at + (int64_t)side->done;
        stretch->stride[i] = side_step(side, bytes);
        side_consume(side, bytes, count);
    }
    return 1;
}

/* Is the side at the beginning of a list? */
static const struct proa_node *side_list(const struct proa_walk_side *side)
{
    const struct proa_walk_level *level;

    if (side->depth == 0 || side->done || side->left == 0)
        return NULL;
    level = &side->levels[side->depth - 1];
    return level->node->listed && level->item == 0 && side->left == level->node->items[0].count
               ? level->node
               : NULL;
}

static void list_set(struct proa_list *list, const struct proa_node *node)
{
    list->items = node->runs ? node->runs : node->items;
    list->count = node->runs ? node->run_count : node->count;
    list->even = node->runs ? node->runs->bytes : 0;
    list->ascends = node->ascends;
    list->apart = node->ascends || node->apart;
    list->low = node->low;
    list->high = node->high;
}

int proa_walk_list(struct proa_walk *walk, int side, struct proa_list *list)
{
    struct proa_walk_side *its = &walk->side[side];
    const struct proa_node *node = side_list(its);

    if (!node)
        return 0;
    for (int i = 0; i < walk->sides; i++)
        if (i != side &&
            (walk->side[i].left == 0 || walk->side[i].bytes - walk->side[i].done < node->listed))
            return 0;
    list_set(list, node);
    for (int i = 0; i < walk->sides; i++) {
        if (i == side)
            continue;
        list->offset[i] = walk->side[i].at + (int64_t)walk->side[i].done;
        side_consume(&walk->side[i], node->listed, 1);
    }
    list->offset[side] = its->levels[its->depth - 1].base;
    its->levels[its->depth - 1].item = node->count - 1;
    side_advance(its);
    return 1;
}
