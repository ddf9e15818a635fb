/* SPDX-License-Identifier: BSD-3-Clause */
/* See datatypes.h. */
#include "usage/datatypes.h"
#include "usage/misuse.h"
#include "host/types.h"
#include "type/walk.h"

#include <stdlib.h>

/* ---- signatures ---- */

static int is_one_basic(const struct proa_type *type)
{
    return type->basic != PROA_MIXED;
}

/* Returns true if the basic types match, one by one. Types of different sizes are errors or legal
 * elsewhere (rma/move.c). */
static int are_alike(const struct proa_type *one, uint64_t count, const struct proa_type *other,
                     uint64_t other_count)
{
    if (one->size * count != other->size * other_count || one->has_pairs || other->has_pairs)
        return 1;
    return one->elements * count == other->elements * other_count &&
           proa_signature_repeat(one->signature, count).hash ==
               proa_signature_repeat(other->signature, other_count).hash;
}

/* Bytes are often used for data of any type, so they match every type. */
static int do_match(const struct proa_type *one, uint64_t count, const struct proa_type *other,
                    uint64_t other_count)
{
    if (one->is_untyped || other->is_untyped || one->trouble || other->trouble || one->size == 0 ||
        other->size == 0)
        return 1;
    if (is_one_basic(one) && is_one_basic(other))
        return one->basic == other->basic;
    return are_alike(one, count, other, other_count);
}

static void check_signature(const struct proa_win *win, const struct proa_operands *operands)
{
    const MPI_Datatype near = operands->result ? operands->result_type : operands->type;
    const int64_t count = operands->result ? operands->result_count : operands->count;

    if (near == operands->target_type || count <= 0 || operands->target_count <= 0 ||
        do_match(proa_type_find(near), (uint64_t)count, proa_type_find(operands->target_type),
                 (uint64_t)operands->target_count))
        return;
    proa_misuse(PROA_MISUSE_SIGNATURE, win, proa_call_name(operands->call), operands->caller, NULL,
                "%s has basic types on the side of the target that are other ones than on its own "
                "(sizes of %llu and %llu bytes)",
                proa_call_name(operands->call),
                (unsigned long long)proa_type_find(operands->target_type)->size,
                (unsigned long long)proa_type_find(near)->size);
}

/* ---- types that overlap themselves ---- */

/* Types with more pieces are not checked. */
enum { PIECES_MOST = 4096 };

struct piece {
    int64_t low, high;
};

static int compare(const void *one_of, const void *other_of)
{
    const struct piece *one = one_of, *other = other_of;

    return one->low < other->low ? -1 : one->low > other->low;
}

/* Returns the number of pieces; -1 if there are too many. */
static int find_pieces(const struct proa_type *type, uint64_t count, struct piece *pieces)
{
    struct proa_stretch stretch;
    struct proa_walk walk;
    int found = 0;

    if (proa_walk_begin(&walk, 1, &type, &count, 0) != 0)
        return -1;
    while (found >= 0 && proa_walk_goes_on(&walk)) {
        proa_walk_next(&walk, 0, &stretch);
        for (uint64_t i = 0; i < stretch.count && found >= 0; i++) {
            const int64_t low = stretch.offset[0] + (int64_t)i * stretch.stride[0];

            if (found < PIECES_MOST)
                pieces[found++] = (struct piece){low, low + (int64_t)stretch.bytes};
            else
                found = -1;
        }
    }
    proa_walk_end(&walk);
    return found;
}

/* Returns true if the node certainly names each byte at most once. *span: the offsets that it
 * covers. Returns 0 if that is unknown. */
static int spans_apart(const struct proa_node *node, struct piece *span);

static int item_spans_apart(const struct proa_item *item, struct piece *span)
{
    const int64_t reach = (int64_t)(item->count - 1) * item->stride;

    *span = (struct piece){0, (int64_t)item->bytes};
    if (item->child && !spans_apart(item->child, span))
        return 0;
    if (item->count > 1 && llabs(item->stride) < span->high - span->low)
        return 0;
    span->low += item->offset + (reach < 0 ? reach : 0);
    span->high += item->offset + (reach > 0 ? reach : 0);
    return 1;
}

static int spans_apart(const struct proa_node *node, struct piece *span)
{
    struct piece next;

    if (node->list && node->list->apart) {
        *span = (struct piece){node->list->low, node->list->high};
        return 1;
    }
    if (node->count == 0 || !item_spans_apart(&node->items[0], span))
        return 0;
    for (uint32_t i = 1; i < node->count; i++) {
        if (!item_spans_apart(&node->items[i], &next) || next.low < span->high)
            return 0;
        span->high = next.high;
    }
    return 1;
}

/* Most types are regular, so their pieces need not be examined. */
static int is_surely_apart(const struct proa_type *type, uint64_t count)
{
    struct piece span;

    return type->data && spans_apart(type->data, &span) &&
           (count == 1 || llabs(type->extent) >= span.high - span.low);
}

static int overlaps(const struct proa_type *type, uint64_t count)
{
    struct piece *pieces;
    int found, does = 0;

    if (type->dense || type->trouble || type->size == 0 || is_surely_apart(type, count))
        return 0;
    pieces = malloc(PIECES_MOST * sizeof *pieces);
    if (!pieces)
        return 0;
    found = find_pieces(type, count, pieces);
    if (found > 1)
        qsort(pieces, (size_t)found, sizeof *pieces, compare);
    for (int i = 1; i < found && !does; i++)
        does = pieces[i].low < pieces[i - 1].high;
    free(pieces);
    return does;
}

static void check_overlap(const struct proa_win *win, const struct proa_operands *operands)
{
    const MPI_Datatype type = operands->gets ? operands->type : operands->target_type;
    const int64_t count = operands->gets ? operands->count : operands->target_count;

    if ((!operands->gets && !operands->updates) || count <= 0 ||
        !overlaps(proa_type_find(type), (uint64_t)count))
        return;
    proa_misuse(PROA_MISUSE_OVERLAP, win, proa_call_name(operands->call), operands->caller, NULL,
                "the datatype by which %s writes data at the %s names bytes more than once",
                proa_call_name(operands->call), operands->gets ? "origin" : "target");
}

/* ---- buffers ---- */

/* Compares from the first to the last byte. Overlaps inside gaps are not reported. */
static void check_result(const struct proa_win *win, const struct proa_operands *operands)
{
    const struct proa_type *type = proa_type_find(operands->type),
                           *result = proa_type_find(operands->result_type);
    const char *origin = operands->origin, *to = operands->result;

    if (!origin || !to || operands->count <= 0 || operands->result_count <= 0 || !type->dense ||
        !result->dense || origin + (uint64_t)operands->count * type->size <= to ||
        to + (uint64_t)operands->result_count * result->size <= origin)
        return;
    proa_misuse(PROA_MISUSE_RESULT, win, proa_call_name(operands->call), operands->caller, NULL,
                "the result of %s goes to the buffer that its operand comes from",
                proa_call_name(operands->call));
}

void proa_datatypes_check(const struct proa_win *win, const struct proa_operands *operands)
{
    if (operands->target_type == MPI_DATATYPE_NULL || operands->type == MPI_DATATYPE_NULL)
        return;
    check_signature(win, operands);
    check_overlap(win, operands);
    if (operands->result)
        check_result(win, operands);
}
