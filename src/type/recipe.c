/* SPDX-License-Identifier: BSD-3-Clause */
/* See recipe.h. */
#include "type/recipe.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

static int malformed(void)
{
    return proa_fail(PROA_ERR_TYPE, "the description of the datatype is inconsistent");
}

/* Converts a stride or displacement to bytes. Returns 0 if the result does not fit. */
static int bytes_of(const struct proa_recipe *recipe, const struct proa_type *type, int64_t number,
                    int64_t *bytes)
{
    const int in_elements = recipe->constructor == PROA_MAKE_VECTOR ||
                            recipe->constructor == PROA_MAKE_INDEXED ||
                            recipe->constructor == PROA_MAKE_INDEXED_BLOCK;

    return !__builtin_mul_overflow(number, in_elements ? type->extent : 1, bytes);
}

/* ---- vectors ---- */

static int make_vector(const struct proa_recipe *recipe, struct proa_type *result)
{
    const int64_t *n = recipe->numbers;
    struct proa_part block = {.type = recipe->types[0]};
    int64_t stride;

    if (recipe->number_count < 3 || n[0] < 0 || n[1] < 0 ||
        !bytes_of(recipe, block.type, n[2], &stride))
        return malformed();
    block.count = (uint64_t)n[1];
    return proa_type_repeat(&block, (uint64_t)n[0], stride, result);
}

static int make_contiguous(const struct proa_recipe *recipe, struct proa_type *result)
{
    struct proa_part block = {.type = recipe->types[0]};

    if (recipe->number_count < 1 || recipe->numbers[0] < 0)
        return malformed();
    block.count = (uint64_t)recipe->numbers[0];
    return proa_type_list(&block, 1, result);
}

/* ---- lists of blocks ---- */

/* lengths: one for each block; NULL if `length` is that of all. */
static int make_blocks(const struct proa_recipe *recipe, const int64_t *lengths, int64_t length,
                       const int64_t *displacements, struct proa_type *result)
{
    size_t count = (size_t)recipe->numbers[0];
    struct proa_part *parts = malloc((count ? count : 1) * sizeof *parts);
    int error =
        parts ? PROA_OK
              : proa_fail(PROA_ERR_NO_MEM, "out of memory for a datatype of %zu blocks", count);

    for (size_t i = 0; i < count && !error; i++) {
        int64_t blocklength = lengths ? lengths[i] : length;

        parts[i].type = recipe->types[recipe->constructor == PROA_MAKE_STRUCT ? i : 0];
        parts[i].count = (uint64_t)blocklength;
        if (blocklength < 0 || !bytes_of(recipe, parts[i].type, displacements[i], &parts[i].offset))
            error = malformed();
    }
    if (!error)
        error = proa_type_list(parts, count, result);
    free(parts);
    return error;
}

static int make_indexed(const struct proa_recipe *recipe, struct proa_type *result)
{
    const int64_t *n = recipe->numbers;

    if (recipe->number_count < 1 || n[0] < 0 || (recipe->number_count - 1) / 2 < (uint64_t)n[0] ||
        (recipe->constructor == PROA_MAKE_STRUCT && recipe->type_count < (uint64_t)n[0]))
        return malformed();
    return make_blocks(recipe, n + 1, 0, n + 1 + n[0], result);
}

static int make_indexed_block(const struct proa_recipe *recipe, struct proa_type *result)
{
    const int64_t *n = recipe->numbers;

    if (recipe->number_count < 2 || n[0] < 0 || recipe->number_count - 2 < (uint64_t)n[0])
        return malformed();
    return make_blocks(recipe, NULL, n[1], n + 2, result);
}

/* ---- arrays ---- */

/* The selected indices of one dimension: `blocks` blocks of `length` indices, `step` indices apart,
 * the first at `start`. If rest > 0, one more block of rest indices follows. */
struct dimension {
    int64_t start, blocks, length, step, rest;
};

/* Wraps one dimension around *type, which holds the faster dimensions. pitch: bytes from one index
 * to the next. */
static int wrap(struct proa_type *type, const struct dimension *d, int64_t pitch)
{
    struct proa_type inner = *type, body = {0}, rest = {0};
    int64_t offset = 0, step = 0, behind = 0; /* behind: offset of the rest, if any */
    int error = PROA_OK;

    memset(type, 0, sizeof *type);
    if (__builtin_mul_overflow(d->start, pitch, &offset) ||
        __builtin_mul_overflow(d->step, pitch, &step) ||
        (d->rest && (__builtin_mul_overflow(d->blocks, step, &behind) ||
                     __builtin_add_overflow(offset, behind, &behind))))
        error = malformed();
    proa_type_set_extent(&inner, pitch);
    if (!error)
        error = proa_type_repeat(&(struct proa_part){0, (uint64_t)d->length, &inner},
                                 (uint64_t)d->blocks, step, &body);
    if (!error)
        error = proa_type_list(&(struct proa_part){0, (uint64_t)d->rest, &inner}, 1, &rest);
    if (!error)
        error =
            proa_type_list((struct proa_part[]){{offset, 1, &body}, {behind, 1, &rest}}, 2, type);
    proa_type_release(&body);
    proa_type_release(&rest);
    proa_type_release(&inner);
    return error;
}

/* Wraps all dimensions, the fastest first: the last one in C order, the first one in Fortran order.
 */
static int make_array(const struct proa_type *element, const struct dimension *dimensions,
                      const int64_t *sizes, int64_t ndims, int fortran, struct proa_type *result)
{
    int64_t pitch = element->extent;
    int error = proa_type_resize(element, element->extent, result);

    for (int64_t i = 0; i < ndims && !error; i++) {
        int64_t d = fortran ? i : ndims - 1 - i;

        error = wrap(result, &dimensions[d], pitch);
        if (!error && __builtin_mul_overflow(pitch, sizes[d], &pitch)) {
            proa_type_release(result);
            error = malformed();
        }
    }
    return error;
}

enum { DIMENSIONS_MOST = 64 };

/* Returns the number of dimensions, numbers[at], if the recipe has the fixed + each * dimensions
 * numbers that it needs; else 0. */
static int64_t dimensions_of(const struct proa_recipe *recipe, size_t at, uint64_t fixed,
                             uint64_t each)
{
    int64_t ndims = at < recipe->number_count ? recipe->numbers[at] : 0;

    return ndims >= 1 && ndims <= DIMENSIONS_MOST &&
                   recipe->number_count >= fixed + each * (uint64_t)ndims
               ? ndims
               : 0;
}

static int make_subarray(const struct proa_recipe *recipe, struct proa_type *result)
{
    const int64_t *n = recipe->numbers, ndims = dimensions_of(recipe, 0, 2, 3);
    const int64_t *sizes = n + 1, *subsizes = sizes + ndims, *starts = subsizes + ndims;
    struct dimension dimensions[DIMENSIONS_MOST];

    if (ndims == 0)
        return malformed();
    for (int64_t i = 0; i < ndims; i++) {
        if (sizes[i] < 1 || subsizes[i] < 0 || starts[i] < 0 || subsizes[i] > sizes[i] ||
            starts[i] > sizes[i] - subsizes[i])
            return malformed();
        dimensions[i] =
            (struct dimension){.start = starts[i], .blocks = 1, .length = subsizes[i], .step = 1};
    }
    return make_array(recipe->types[0], dimensions, sizes, ndims, n[1 + 3 * ndims] != 0, result);
}

/* Computes the indices, out of `size`, that belong to this process (MPI-4.1, 5.1.4). rank: in the
 * dimensions up to this one; becomes the rank in those before it. */
static int distribute(enum proa_distribution distribution, int64_t size, int64_t argument,
                      int64_t places, int64_t *rank, struct dimension *d)
{
    const int is_cyclic = distribution == PROA_DISTRIBUTE_CYCLIC,
              is_whole = distribution == PROA_DISTRIBUTE_NONE;
    int64_t block = argument, rest;

    if (size < 1 || places < 1 || size > INT64_MAX / 4 || (is_whole && places > 1))
        return malformed();
    if (argument < 0 || is_whole)
        block = is_cyclic ? 1 : (size + places - 1) / places;
    if (block < 1 || block > INT64_MAX / places / 2)
        return malformed();
    *d = (struct dimension){.start = *rank % places * block,
                            .length = block < size ? block : size,
                            .step = is_cyclic ? block * places : size};
    *rank /= places;
    if (d->start >= size)
        return PROA_OK; /* this process has no index */
    d->blocks = (size - d->start) / d->step;
    rest = (size - d->start) % d->step;
    if (rest >= d->length)
        d->blocks++;
    else
        d->rest = rest;
    return PROA_OK;
}

static int make_darray(const struct proa_recipe *recipe, struct proa_type *result)
{
    const int64_t *n = recipe->numbers, ndims = dimensions_of(recipe, 2, 4, 4);
    const int64_t *sizes = n + 3, *distributions = sizes + ndims,
                  *arguments = distributions + ndims, *places = arguments + ndims;
    struct dimension dimensions[DIMENSIONS_MOST];
    int64_t rank;
    int error = PROA_OK;

    if (ndims == 0 || n[1] < 0)
        return malformed();
    rank = n[1];
    /* Ranks are laid out in C order, independent of the order of the array. */
    for (int64_t i = ndims - 1; i >= 0 && !error; i--)
        error = distribute((enum proa_distribution)distributions[i], sizes[i], arguments[i],
                           places[i], &rank, &dimensions[i]);
    return error ? error
                 : make_array(recipe->types[0], dimensions, sizes, ndims, n[3 + 4 * ndims] != 0,
                              result);
}

/* ---- all constructors ---- */

static int make_same(const struct proa_recipe *recipe, struct proa_type *result)
{
    return proa_type_resize(recipe->types[0], recipe->extent, result);
}

int proa_recipe_make(const struct proa_recipe *recipe, struct proa_type *result)
{
    static int (*const make[])(const struct proa_recipe *, struct proa_type *) = {
        [PROA_MAKE_CONTIGUOUS] = make_contiguous,
        [PROA_MAKE_VECTOR] = make_vector,
        [PROA_MAKE_HVECTOR] = make_vector,
        [PROA_MAKE_INDEXED] = make_indexed,
        [PROA_MAKE_HINDEXED] = make_indexed,
        [PROA_MAKE_INDEXED_BLOCK] = make_indexed_block,
        [PROA_MAKE_HINDEXED_BLOCK] = make_indexed_block,
        [PROA_MAKE_STRUCT] = make_indexed,
        [PROA_MAKE_SUBARRAY] = make_subarray,
        [PROA_MAKE_DARRAY] = make_darray,
        [PROA_MAKE_DUP] = make_same,
        [PROA_MAKE_RESIZED] = make_same};
    int error;

    if (recipe->constructor > PROA_MAKE_RESIZED ||
        (recipe->type_count == 0 && !(recipe->constructor == PROA_MAKE_STRUCT &&
                                      recipe->number_count == 1 && recipe->numbers[0] == 0)))
        return malformed();
    error = make[recipe->constructor](recipe, result);
    if (!error)
        proa_type_set_extent(result, recipe->extent);
    return error;
}
