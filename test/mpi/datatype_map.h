/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of datatypes as tests understand them: the type map, element by element, and the
 * constructors of MPI that make the same type. */
#ifndef PROA_TEST_DATATYPE_MAP_H
#define PROA_TEST_DATATYPE_MAP_H

#include "types.h"

enum maker {
    make_named,
    make_contiguous,
    make_vector,
    make_hvector,
    make_indexed,
    make_hindexed,
    make_indexed_block,
    make_hindexed_block,
    make_struct,
    make_subarray,
    make_darray,
    make_resized,
    make_dup,
    nmakers
};

/* A basic element of a type map. */
struct leaf {
    int64_t at;
    const struct basic *basic;
};

enum { dims_most = 3 };

struct array {
    int ndims, order, nprocs, rank; /* nprocs 0: a subarray */
    int size[dims_most], subsize[dims_most], start[dims_most];
    int distribution[dims_most], argument[dims_most], procs[dims_most], place[dims_most];
};

struct tree {
    enum maker maker;
    bool large; /* made by the large-count constructor */
    int nparts; /* types inside: 1, for struct as many as blocks, 0 for a basic type */
    struct tree **parts;
    int n, length;  /* blocks; their length where it is the same for all */
    int64_t stride; /* vector, in elements or bytes */
    int *lengths;   /* of each block */
    int64_t *disps; /* of each block, in elements or bytes */
    struct array array;
    MPI_Datatype type;
    int64_t lower, extent; /* what the host says: resized types change these, and nothing else */
    int64_t first, end;    /* the leaves are in [first, end) */
    int nleaves;
    struct leaf *leaves;
};

/* ---- basic elements ---- */

struct run {
    int at, bytes;
};

/* The bytes of one element that hold data: all but the padding of pairs. */
static int data_runs(const struct basic *b, struct run runs[2])
{
    runs[0] = (struct run){0, (int)b->bytes};
    if (!(b->ops & location))
        return 1;
#define PAIR_RUNS(mpi, name)                                                                \
    if (b->type == mpi) {                                                                   \
        runs[0].bytes = (int)sizeof((struct pair_##name *)0)->value;                        \
        runs[1] = (struct run){(int)offsetof(struct pair_##name, index), (int)sizeof(int)}; \
    }
    PAIR_RUNS(MPI_FLOAT_INT, float_int)
    PAIR_RUNS(MPI_DOUBLE_INT, double_int)
    PAIR_RUNS(MPI_LONG_INT, long_int)
    PAIR_RUNS(MPI_2INT, 2int)
    PAIR_RUNS(MPI_SHORT_INT, short_int)
    PAIR_RUNS(MPI_LONG_DOUBLE_INT, long_double_int)
    return 2;
}

static void copy_data(const struct basic *b, void *to, const void *from)
{
    struct run runs[2];
    int n = data_runs(b, runs);
    for (int i = 0; i < n; i++)
        memcpy((char *)to + runs[i].at, (const char *)from + runs[i].at, (size_t)runs[i].bytes);
}

static int64_t data_end(const struct basic *b)
{
    struct run runs[2];
    int n = data_runs(b, runs);
    return runs[n - 1].at + runs[n - 1].bytes;
}

/* ---- leaves ---- */

static void leaves_add(struct tree *t, const struct tree *part, int64_t at)
{
    for (int i = 0; i < part->nleaves; i++)
        t->leaves[t->nleaves++] = (struct leaf){at + part->leaves[i].at, part->leaves[i].basic};
}

static void leaves_bound(const struct leaf *leaves, int n, int64_t *first, int64_t *end)
{
    *first = *end = 0;
    for (int i = 0; i < n; i++) {
        int64_t last = leaves[i].at + data_end(leaves[i].basic);
        *first = i == 0 || leaves[i].at < *first ? leaves[i].at : *first;
        *end = i == 0 || last > *end ? last : *end;
    }
}

static bool leaves_overlap(const struct leaf *leaves, int n, int64_t first, int64_t end)
{
    char *taken = need(calloc((size_t)(end - first) + 1, 1));
    bool overlap = false;
    for (int i = 0; i < n && !overlap; i++) {
        struct run runs[2];
        int nruns = data_runs(leaves[i].basic, runs);
        for (int r = 0; r < nruns; r++)
            for (int b = 0; b < runs[r].bytes; b++) {
                char *byte = &taken[leaves[i].at + runs[r].at + b - first];
                overlap |= *byte;
                *byte = 1;
            }
    }
    free(taken);
    return overlap;
}

/* ---- trees ---- */

static struct tree *tree_new(enum maker maker, int nleaves)
{
    struct tree *t = need(calloc(1, sizeof *t));
    t->maker = maker;
    t->type = MPI_DATATYPE_NULL;
    t->leaves = need(malloc(((size_t)nleaves + 1) * sizeof *t->leaves));
    return t;
}

static void tree_free(struct tree *t)
{
    if (!t)
        return;
    for (int i = 0; i < t->nparts; i++)
        tree_free(t->parts[i]);
    if (t->maker != make_named && t->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&t->type);
    free(t->parts);
    free(t->lengths);
    free(t->disps);
    free(t->leaves);
    free(t);
}

static bool set_parts(struct tree *t, int n)
{
    t->nparts = n;
    t->parts = need(calloc((size_t)n + 1, sizeof *t->parts));
    return true;
}

static void set_blocks(struct tree *t, int n)
{
    t->n = n;
    t->lengths = need(calloc((size_t)n + 1, sizeof *t->lengths));
    t->disps = need(calloc((size_t)n + 1, sizeof *t->disps));
}

static bool in_elements(enum maker maker)
{
    return maker == make_vector || maker == make_indexed || maker == make_indexed_block;
}

/* ---- the host's types ---- */

#define COPY_OF(name, T, from, n)                      \
    T name[(n) + 1];                                   \
    for (int name##_i = 0; name##_i < (n); name##_i++) \
        name[name##_i] = (T)(from)[name##_i];

static int construct(const struct tree *t, MPI_Datatype *type)
{
    MPI_Datatype inner = t->nparts ? t->parts[0]->type : MPI_DATATYPE_NULL;
    const struct array *a = &t->array;
    MPI_Datatype types[t->nparts + 1];
    for (int i = 0; i < t->nparts; i++)
        types[i] = t->parts[i]->type;
    COPY_OF(indices, int, t->disps, t->disps ? t->n : 0)
    COPY_OF(bytes, MPI_Aint, t->disps, t->disps ? t->n : 0)
    switch (t->maker) {
    case make_contiguous:
        return MPI_Type_contiguous(t->n, inner, type);
    case make_vector:
        return MPI_Type_vector(t->n, t->length, (int)t->stride, inner, type);
    case make_hvector:
        return MPI_Type_create_hvector(t->n, t->length, t->stride, inner, type);
    case make_indexed:
        return MPI_Type_indexed(t->n, t->lengths, indices, inner, type);
    case make_hindexed:
        return MPI_Type_create_hindexed(t->n, t->lengths, bytes, inner, type);
    case make_indexed_block:
        return MPI_Type_create_indexed_block(t->n, t->length, indices, inner, type);
    case make_hindexed_block:
        return MPI_Type_create_hindexed_block(t->n, t->length, bytes, inner, type);
    case make_struct:
        return MPI_Type_create_struct(t->n, t->lengths, bytes, types, type);
    case make_subarray:
        return MPI_Type_create_subarray(a->ndims, a->size, a->subsize, a->start, a->order, inner,
                                        type);
    case make_darray:
        return MPI_Type_create_darray(a->nprocs, a->rank, a->ndims, a->size, a->distribution,
                                      a->argument, a->procs, a->order, inner, type);
    case make_resized:
        return MPI_Type_create_resized(inner, t->lower, t->extent, type);
    default:
        return MPI_Type_dup(inner, type);
    }
}

#if MPI_VERSION >= 4
static int construct_large(const struct tree *t, MPI_Datatype *type)
{
    MPI_Datatype inner = t->nparts ? t->parts[0]->type : MPI_DATATYPE_NULL;
    const struct array *a = &t->array;
    MPI_Datatype types[t->nparts + 1];
    for (int i = 0; i < t->nparts; i++)
        types[i] = t->parts[i]->type;
    COPY_OF(lengths, MPI_Count, t->lengths, t->lengths ? t->n : 0)
    COPY_OF(disps, MPI_Count, t->disps, t->disps ? t->n : 0)
    COPY_OF(size, MPI_Count, a->size, dims_most)
    COPY_OF(subsize, MPI_Count, a->subsize, dims_most)
    COPY_OF(start, MPI_Count, a->start, dims_most)
    switch (t->maker) {
    case make_contiguous:
        return MPI_Type_contiguous_c(t->n, inner, type);
    case make_vector:
        return MPI_Type_vector_c(t->n, t->length, t->stride, inner, type);
    case make_hvector:
        return MPI_Type_create_hvector_c(t->n, t->length, t->stride, inner, type);
    case make_indexed:
        return MPI_Type_indexed_c(t->n, lengths, disps, inner, type);
    case make_hindexed:
        return MPI_Type_create_hindexed_c(t->n, lengths, disps, inner, type);
    case make_indexed_block:
        return MPI_Type_create_indexed_block_c(t->n, t->length, disps, inner, type);
    case make_hindexed_block:
        return MPI_Type_create_hindexed_block_c(t->n, t->length, disps, inner, type);
    case make_struct:
        return MPI_Type_create_struct_c(t->n, lengths, disps, types, type);
    case make_subarray:
        return MPI_Type_create_subarray_c(a->ndims, size, subsize, start, a->order, inner, type);
    case make_darray:
        return MPI_Type_create_darray_c(a->nprocs, a->rank, a->ndims, size, a->distribution,
                                        a->argument, a->procs, a->order, inner, type);
    case make_resized:
        return MPI_Type_create_resized_c(inner, t->lower, t->extent, type);
    default:
        return MPI_Type_dup(inner, type);
    }
}
#else
static int construct_large(const struct tree *t, MPI_Datatype *type)
{
    return construct(t, type);
}
#endif

/* Makes the host's type, and asks how far apart its elements are: rules for that differ where types
 * are padded. */
static bool tree_construct(struct tree *t)
{
    MPI_Aint lower, extent;
    if ((t->large ? construct_large : construct)(t, &t->type) != MPI_SUCCESS)
        return false;
    MPI_Type_get_extent(t->type, &lower, &extent);
    t->lower = lower;
    t->extent = extent;
    return true;
}

#endif
