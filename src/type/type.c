/* SPDX-License-Identifier: BSD-3-Clause */
/* See type.h: building types. Walking them is type/walk.c. */
#include "type/type.h"
#include "base/atomic.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* No byte of a type is farther than this from its buffer, so differences of offsets do not
 * overflow. */
#define FARTHEST (INT64_MAX / 4)

/* ---- nodes ---- */

static void node_release(struct proa_node *node)
{
    if (!node || proa_atomic_fetch_sub(&node->users, 1, PROA_ACQ_REL) > 1)
        return;
    for (uint32_t i = 0; i < node->count; i++)
        node_release(node->items[i].child);
    free(node->list);
    free(node);
}

static struct proa_node *node_use(struct proa_node *node)
{
    if (node)
        proa_atomic_fetch_add(&node->users, 1, PROA_RELAXED);
    return node;
}

static struct proa_node *node_new(size_t items)
{
    struct proa_node *node = calloc(1, sizeof *node + items * sizeof node->items[0]);

    if (node) {
        node->users = 1;
        node->depth = 1;
    }
    return node;
}

static int is_run(const struct proa_item *item)
{
    return !item->child && item->count == 1;
}

/* Returns whether b's repetitions, of the same shape as a's, continue a's. A single repetition fits
 * any stride. */
static int continues(const struct proa_item *a, const struct proa_item *b)
{
    int64_t gap = b->offset - a->offset;

    if (a->child != b->child || a->bytes != b->bytes)
        return 0;
    if (a->count == 1)
        return b->count == 1 || b->stride == gap;
    return gap == (int64_t)a->count * a->stride && (b->count == 1 || b->stride == a->stride);
}

/* Appends an item and merges: runs that touch become one, equal items at equal distances become a
 * loop. Takes over the item's reference to its child. */
static void node_append(struct proa_node *node, struct proa_item item)
{
    struct proa_item *last = node->count ? &node->items[node->count - 1] : NULL;

    if (!item.child && item.count > 1 && item.stride == (int64_t)item.bytes) {
        item.bytes *= item.count;
        item.count = 1;
    }
    if (last && is_run(last) && is_run(&item) &&
        last->offset + (int64_t)last->bytes == item.offset) {
        last->bytes += item.bytes;
        return;
    }
    if (last && continues(last, &item)) {
        last->stride = last->count == 1 ? item.offset - last->offset : last->stride;
        last->count += item.count;
        node_release(item.child);
        return;
    }
    if (item.child && item.child->depth + 1 > node->depth)
        node->depth = item.child->depth + 1;
    if (item.child && item.child->has_lists)
        node->has_lists = 1;
    node->items[node->count++] = item;
}

/* A node of fewer items gets no list, nor one of more runs per item on average: these are copied
 * loop by loop. */
enum { LIST_LEAST = 4, RUNS_MOST = 16 };

/* Returns the number of runs of a node's list; 0 if it gets none. */
static uint64_t runs_to_list(const struct proa_node *node)
{
    const uint64_t most = (uint64_t)RUNS_MOST * node->count;
    uint64_t runs = 0;

    if (node->count < LIST_LEAST || node->depth > 1)
        return 0;
    for (uint32_t i = 0; i < node->count && runs <= most; i++)
        runs += node->items[i].count;
    return runs <= most ? runs : 0;
}

static void list_add(struct proa_list *list, int64_t offset, uint64_t bytes)
{
    const struct proa_run *last = list->count ? &list->runs[list->count - 1] : NULL;
    const int64_t end = offset + (int64_t)bytes;

    if (last && offset < last->offset + (int64_t)last->bytes)
        list->ascends = 0;
    if (bytes != list->even)
        list->even = 0;
    list->low = offset < list->low ? offset : list->low;
    list->high = end > list->high ? end : list->high;
    list->bytes += bytes;
    list->runs[list->count++] = (struct proa_run){offset, bytes};
}

/* Runs are checked for overlap if there are at most so many places per run on average. */
enum { PLACES_MOST = 64 };

/* Returns whether certainly no byte is in two runs. Detected only for runs that ascend, or that lie
 * like elements of an array. */
static int are_apart(const struct proa_list *list)
{
    const uint64_t bytes = list->even,
                   places = bytes ? (uint64_t)(list->high - list->low) / bytes : 0;
    uint64_t *taken;
    int apart = 1;

    if (list->ascends || !bytes || places > PLACES_MOST * list->count)
        return list->ascends;
    taken = calloc(places / 64 + 1, sizeof *taken);
    for (uint64_t i = 0; taken && i < list->count && apart; i++) {
        const uint64_t at = (uint64_t)(list->runs[i].offset - list->low), place = at / bytes;

        apart = at % bytes == 0 && !(taken[place / 64] >> place % 64 & 1);
        taken[place / 64] |= (uint64_t)1 << place % 64;
    }
    apart = apart && taken;
    free(taken);
    return apart;
}

/* Makes the node's list, once it has all items. Without memory for a list the items serve the same
 * purpose, more slowly. */
static void node_list(struct proa_node *node)
{
    const uint64_t runs = runs_to_list(node);
    struct proa_list *list = runs ? malloc(sizeof *list + runs * sizeof list->runs[0]) : NULL;

    if (!list)
        return;
    *list = (struct proa_list){
        .even = node->items->bytes, .ascends = 1, .low = INT64_MAX, .high = INT64_MIN};
    for (const struct proa_item *item = node->items; item < node->items + node->count; item++)
        for (uint64_t i = 0; i < item->count; i++)
            list_add(list, item->offset + (int64_t)i * item->stride, item->bytes);
    list->apart = are_apart(list);
    node->list = list;
    node->has_lists = 1;
}

/* Returns the item for `count` elements of a type, extent apart, from offset on. The item holds a
 * reference to its child. */
static struct proa_item item_of(struct proa_node *node, int64_t extent, int64_t offset,
                                uint64_t count)
{
    const struct proa_item *only = &node->items[0];

    /* A node of one item needs no level of its own if the item is a single run, or if its loop
     * continues from element to element. */
    if (node->count == 1 &&
        (only->count == 1 || count == 1 || extent == (int64_t)only->count * only->stride)) {
        struct proa_item item = *only;

        item.offset += offset;
        item.stride = only->count == 1 ? extent : only->stride;
        item.count *= count;
        node_use(item.child);
        return item;
    }
    return (struct proa_item){
        .offset = offset, .stride = extent, .count = count, .child = node_use(node)};
}

/* ---- one view of a type ---- */

/* Puts the items of all parts into one node; *node is NULL if there are no bytes. */
static int list_view(const struct proa_part *parts, size_t count, int units,
                     struct proa_node **node)
{
    *node = node_new(count);
    if (!*node)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a datatype of %zu parts", count);
    for (size_t i = 0; i < count; i++) {
        struct proa_node *inner = units ? parts[i].type->units : parts[i].type->data;
        if (inner && parts[i].count)
            node_append(*node,
                        item_of(inner, parts[i].type->extent, parts[i].offset, parts[i].count));
    }
    if ((*node)->count == 0) {
        node_release(*node);
        *node = NULL;
    } else {
        node_list(*node);
    }
    return PROA_OK;
}

/* ---- whole types ---- */

static int node_is_dense(const struct proa_node *node, int64_t extent)
{
    return !node || (node->count == 1 && is_run(&node->items[0]) && node->items[0].offset == 0 &&
                     node->items[0].bytes == (uint64_t)extent);
}

void proa_type_set_extent(struct proa_type *type, int64_t extent)
{
    type->extent = extent;
    type->dense = (uint8_t)node_is_dense(type->data, type->extent);
    type->dense_units = (uint8_t)node_is_dense(type->units, type->extent);
    type->plain_bytes = type->dense && type->size <= INT32_MAX ? (uint32_t)type->size : 0;
}

/* Computes the bytes [*low, *high) that `count` elements, at least one, touch from offset on.
 * Returns 0 if they exceed an address space. */
static int bounds_of(const struct proa_type *type, uint64_t count, int64_t offset, int64_t *low,
                     int64_t *high)
{
    int64_t reach;

    return count <= INT64_MAX &&
           !__builtin_mul_overflow((int64_t)count - 1, type->extent, &reach) &&
           !__builtin_add_overflow(offset, type->lower, low) &&
           !__builtin_add_overflow(*low, reach < 0 ? reach : 0, low) &&
           !__builtin_add_overflow(offset, type->upper, high) &&
           !__builtin_add_overflow(*high, reach > 0 ? reach : 0, high) && *low >= -FARTHEST &&
           *high <= FARTHEST;
}

static void type_clear(struct proa_type *type)
{
    memset(type, 0, sizeof *type);
    type->basic = PROA_MIXED;
    type->signature.power = 1;
}

/* Adds a part to sizes and bounds. */
static int part_add(struct proa_type *type, const struct proa_part *part)
{
    const struct proa_type *its = part->type;
    int64_t low, high;
    uint64_t size, elements;

    if (its->size == 0 || part->count == 0)
        return PROA_OK;
    if (!bounds_of(its, part->count, part->offset, &low, &high) ||
        __builtin_mul_overflow(its->size, part->count, &size) ||
        __builtin_add_overflow(type->size, size, &type->size) ||
        __builtin_mul_overflow(its->elements, part->count, &elements) || type->size > INT64_MAX)
        return proa_fail(PROA_ERR_TYPE, "the datatype spans more bytes than the address space");
    type->lower = type->elements == 0 || low < type->lower ? low : type->lower;
    type->upper = type->elements == 0 || high > type->upper ? high : type->upper;
    type->basic = type->elements == 0 || type->basic == its->basic ? its->basic : PROA_MIXED;
    type->elements += elements;
    type->data_pairs |= its->data_pairs;
    type->is_untyped |= its->is_untyped;
    type->has_pairs |= its->has_pairs;
    type->signature =
        proa_signature_join(type->signature, proa_signature_repeat(its->signature, part->count));
    return PROA_OK;
}

/* Completes a constructor: sets both views, or releases them after an error. */
static int finish(struct proa_type *result, int error, struct proa_node *data,
                  struct proa_node *units)
{
    if (error) {
        node_release(data);
        node_release(units);
        type_clear(result);
        return error;
    }
    result->data = data;
    result->units = units;
    return PROA_OK;
}

int proa_type_list(const struct proa_part *parts, size_t count, struct proa_type *result)
{
    struct proa_node *data = NULL, *units = NULL;
    int error = PROA_OK;

    type_clear(result);
    for (size_t i = 0; i < count && !error; i++)
        error = part_add(result, &parts[i]);
    if (!error)
        error = list_view(parts, count, 0, &data);
    if (!error && result->data_pairs)
        error = list_view(parts, count, 1, &units);
    else
        units = node_use(data);
    return finish(result, error, data, units);
}

/* The part is a block, and the block is repeated. */
int proa_type_repeat(const struct proa_part *part, uint64_t count, int64_t stride,
                     struct proa_type *result)
{
    struct proa_type block;
    int error = proa_type_list(part, 1, &block);

    type_clear(result);
    if (error)
        return error;
    proa_type_set_extent(&block, stride);
    error = proa_type_list(&(struct proa_part){0, count, &block}, 1, result);
    proa_type_release(&block);
    return error;
}

int proa_type_resize(const struct proa_type *type, int64_t extent, struct proa_type *result)
{
    *result = *type;
    result->predefined = result->plain_units = 0;
    result->number = 0;
    node_use(result->data);
    node_use(result->units);
    proa_type_set_extent(result, extent);
    return PROA_OK;
}

/* Programs use these for data of any type. */
static int is_untyped(enum proa_basic basic)
{
    return basic == PROA_BYTE || basic == PROA_CHAR8 || basic == PROA_I8 || basic == PROA_U8;
}

/* The data of a pair: the value, then the index at its offset after any padding. */
int proa_type_basic(enum proa_basic basic, struct proa_type *result)
{
    size_t bytes = proa_basic_bytes(basic), value = bytes, index = 0, at = bytes;
    const int is_pair = proa_basic_pair(basic, &value, &index, &at);
    struct proa_node *units = node_new(1), *data = is_pair ? node_new(2) : node_use(units);

    if (!units || !data)
        return finish(result, proa_fail(PROA_ERR_NO_MEM, "out of memory for a datatype"), data,
                      units);
    node_append(units, (struct proa_item){.count = 1, .bytes = bytes});
    if (is_pair) {
        node_append(data, (struct proa_item){.count = 1, .bytes = value});
        node_append(data, (struct proa_item){.offset = (int64_t)at, .count = 1, .bytes = index});
    }
    *result = (struct proa_type){.size = value + index,
                                 .upper = (int64_t)(at + index),
                                 .elements = 1,
                                 .basic = (uint8_t)basic,
                                 .predefined = 1,
                                 .data_pairs = (uint8_t)is_pair,
                                 .signature = {1 + (uint64_t)basic, PROA_SIGNATURE_BASE},
                                 .is_untyped = (uint8_t)is_untyped(basic),
                                 .has_pairs = (uint8_t)is_pair,
                                 .data = data,
                                 .units = units};
    proa_type_set_extent(result, (int64_t)bytes);
    result->plain_units = result->dense || bytes > sizeof(uint64_t);
    return PROA_OK;
}

void proa_type_release(struct proa_type *type)
{
    node_release(type->data);
    node_release(type->units);
    type_clear(type);
}

int proa_type_span(const struct proa_type *type, uint64_t count, int64_t *first, uint64_t *bytes)
{
    int64_t end;

    *first = 0;
    *bytes = 0;
    if (count == 0 || type->size == 0)
        return PROA_OK;
    if (!bounds_of(type, count, 0, first, &end))
        return proa_fail(PROA_ERR_RMA_RANGE, "%llu elements span more bytes than the address space",
                         (unsigned long long)count);
    *bytes = (uint64_t)(end - *first);
    return PROA_OK;
}
