/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a tree of datatype_tree.h, to be understood without a debugger. */
#ifndef PROA_TEST_DATATYPE_PRINT_H
#define PROA_TEST_DATATYPE_PRINT_H

#include "datatype_map.h"

static void print_disps(FILE *out, const struct tree *t)
{
    fprintf(out, " at");
    for (int i = 0; i < t->n; i++)
        fprintf(out, " %lld", (long long)t->disps[i]);
}

static void print_ints(FILE *out, const char *what, const int *values, int n)
{
    fprintf(out, " %s", what);
    for (int i = 0; i < n; i++)
        fprintf(out, " %d", values[i]);
}

static void print_array(FILE *out, const struct array *a)
{
    fprintf(out, " %s", a->order == MPI_ORDER_C ? "C" : "Fortran");
    print_ints(out, "sizes", a->size, a->ndims);
    if (a->nprocs == 0) {
        print_ints(out, "subsizes", a->subsize, a->ndims);
        print_ints(out, "starts", a->start, a->ndims);
        return;
    }
    fprintf(out, " rank %d of %d", a->rank, a->nprocs);
    for (int d = 0; d < a->ndims; d++)
        fprintf(out, " %s",
                a->distribution[d] == MPI_DISTRIBUTE_BLOCK    ? "block"
                : a->distribution[d] == MPI_DISTRIBUTE_CYCLIC ? "cyclic"
                                                              : "none");
    print_ints(out, "dargs", a->argument, a->ndims);
    print_ints(out, "psizes", a->procs, a->ndims);
}

/* A line a level. */
static void tree_print(FILE *out, const struct tree *t, int indent)
{
    static const char *const names[nmakers] = {
        "",        "contiguous", "vector",        "hvector",
        "indexed", "hindexed",   "indexed_block", "hindexed_block",
        "struct",  "subarray",   "darray",        "resized",
        "dup"};
    fprintf(out, "%*s%s%s", indent, "", names[t->maker], t->large ? "_c" : "");
    if (t->maker == make_named)
        fprintf(out, "%s", t->leaves[0].basic->name);
    else if (t->maker == make_subarray || t->maker == make_darray)
        print_array(out, &t->array);
    else if (t->maker != make_dup && t->maker != make_resized)
        fprintf(out, " %d", t->n);
    if (t->maker == make_vector || t->maker == make_hvector)
        fprintf(out, " x %d stride %lld", t->length, (long long)t->stride);
    if (t->lengths)
        print_ints(out, "lengths", t->lengths, t->n);
    if (t->disps)
        print_disps(out, t);
    fprintf(out, "  [lb %lld extent %lld, %d elements in %lld..%lld]\n", (long long)t->lower,
            (long long)t->extent, t->nleaves, (long long)t->first, (long long)t->end);
    for (int i = 0; i < t->nparts; i++)
        tree_print(out, t->parts[i], indent + 2);
}

#endif
