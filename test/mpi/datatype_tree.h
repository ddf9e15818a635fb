/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random derived datatypes that this program understands by itself: trees that remember how each
 * type was made and which basic element lies where (the type map, in order). The results of the
 * host or Proa for the same type are then compared with that.
 *
 * grow() makes a tree for a given type signature, so that two calls give two layouts that may be
 * used with each other. Trees depend on the random seed alone, never on addresses: every rank grows
 * the same ones.
 */
#ifndef PROA_TEST_DATATYPE_TREE_H
#define PROA_TEST_DATATYPE_TREE_H

#include "datatype_map.h"

struct growth {
    uint64_t *seed;
    bool disjoint;           /* leaves do not overlap */
    int64_t width, reach;    /* end - first at most; distance from 0 at most */
    const struct basic *any; /* for parts that are there zero times */
    int *tries;              /* nodes that may still be tried, in all */
};

/* The tree to grow: n basic elements, in at most `depth` levels (more where a mixed signature needs
 * them). */
struct wish {
    const struct basic *const *signature;
    int n, depth;
};

static struct tree *grow(const struct growth *g, struct wish w);

/* ---- choosing ---- */

static int between(const struct growth *g, int low, int high)
{
    return low + random_below(g->seed, high - low + 1);
}
static bool chance(const struct growth *g, int one_in)
{
    return random_below(g->seed, one_in) == 0;
}

static bool repeats(struct wish w, int times)
{
    int period = w.n / times;
    for (int i = period; i < w.n; i++)
        if (w.signature[i] != w.signature[i - period])
            return false;
    return true;
}

/* Into how many equal pieces to cut the signature; 0 if there is no way. At the last level pieces
 * have to become smaller. */
static int choose_times(const struct growth *g, struct wish w)
{
    int ways[64], nways = 0;
    if (w.depth > 0 && chance(g, 4))
        return 1;
    for (int times = w.depth > 0 ? 1 : 2; times <= w.n && nways < 64; times++)
        if (w.n % times == 0 && repeats(w, times))
            ways[nways++] = times;
    return nways ? ways[random_below(g->seed, nways)] : 0;
}

static int random_divisor(const struct growth *g, int n)
{
    int ways[64], nways = 0;
    for (int d = 1; d <= n && nways < 64; d++)
        if (n % d == 0)
            ways[nways++] = d;
    return nways ? ways[random_below(g->seed, nways)] : 1;
}

/* Gives t one part, to be there *times times in all. Nothing is made of an empty part, or of one
 * that is there zero times. */
static bool grow_part(const struct growth *g, struct tree *t, struct wish w, int least, int *times)
{
    const struct basic *one[] = {g->any};
    set_parts(t, 1);
    if (w.n == 0) {
        *times = least == 0 && chance(g, 2) ? 0 : between(g, 1, 3);
        t->parts[0] = *times || w.depth <= 0 ? grow(g, (struct wish){w.signature, 0, w.depth - 1})
                                             : grow(g, (struct wish){one, 1, w.depth - 1});
    } else {
        *times = choose_times(g, w);
        if (*times)
            t->parts[0] = grow(g, (struct wish){w.signature, w.n / *times, w.depth - 1});
    }
    return t->parts[0] != NULL;
}

/* Where `length` elements of t lie, from the first's address. */
static void span_of(const struct tree *t, int length, int64_t *first, int64_t *end)
{
    int64_t reach = length > 0 ? (length - 1) * t->extent : 0;
    *first = t->nleaves && length > 0 ? t->first + (reach < 0 ? reach : 0) : 0;
    *end = t->nleaves && length > 0 ? t->end + (reach > 0 ? reach : 0) : 0;
}

static int64_t divide_up(int64_t bytes, int64_t unit)
{
    return unit > 0 ? (bytes + unit - 1) / unit : -(bytes / -unit);
}

static int64_t random_gap(const struct growth *g)
{
    return chance(g, 2) ? 0 : between(g, 0, chance(g, 4) ? 100 : 9);
}

/* ---- one maker each: fills in what the constructor needs, and the leaves; false where it does not
 * fit ---- */

static bool grow_contiguous(const struct growth *g, struct tree *t, struct wish w)
{
    if (!grow_part(g, t, w, 0, &t->n))
        return false;
    for (int i = 0; i < t->n; i++)
        leaves_add(t, t->parts[0], i * t->parts[0]->extent);
    return true;
}

static bool grow_vector(const struct growth *g, struct tree *t, struct wish w)
{
    int times;
    int64_t first, end;
    if (!grow_part(g, t, w, 0, &times))
        return false;
    const struct tree *part = t->parts[0];
    t->length = times ? random_divisor(g, times) : between(g, 0, 2);
    t->n = t->length ? times / t->length : between(g, 0, 2);
    span_of(part, t->length, &first, &end);
    int64_t unit = t->maker == make_vector ? part->extent : 1;
    t->stride = chance(g, 6) || unit == 0 ? between(g, -40, 40)
                                          : divide_up(end - first + random_gap(g), unit);
    if (chance(g, 3))
        t->stride = -t->stride;
    for (int i = 0; i < t->n && t->length; i++)
        for (int j = 0; j < t->length; j++)
            leaves_add(t, part, i * t->stride * unit + j * part->extent);
    return true;
}

/* Displacements for blocks one behind the other, from a random start on, then in any order. */
static void lay_out(const struct growth *g, struct tree *t)
{
    int64_t cursor = between(g, -60, 60), first, end;
    int *order = need(malloc(((size_t)t->n + 1) * sizeof *order));
    bool shuffled = chance(g, 3);
    for (int i = 0; i < t->n; i++)
        order[i] = i;
    for (int i = t->n - 1; i > 0 && shuffled; i--) {
        int j = between(g, 0, i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int k = 0; k < t->n; k++) {
        int i = order[k];
        const struct tree *part = t->parts[t->nparts > 1 ? i : 0];
        int64_t unit = in_elements(t->maker) ? part->extent : 1;
        span_of(part, t->lengths[i], &first, &end);
        t->disps[i] =
            unit == 0 || chance(g, 20) ? between(g, -9, 9) : divide_up(cursor - first, unit);
        if (unit < 0) /* the next lower one, so that blocks still move upwards */
            t->disps[i] = -((cursor - first + -unit - 1) / -unit);
        cursor = t->disps[i] * unit + end + random_gap(g);
    }
    free(order);
}

static void leaves_of_blocks(struct tree *t)
{
    for (int i = 0; i < t->n; i++) {
        const struct tree *part = t->parts[t->nparts > 1 ? i : 0];
        for (int j = 0; j < t->lengths[i]; j++)
            leaves_add(t, part,
                       t->disps[i] * (in_elements(t->maker) ? part->extent : 1) + j * part->extent);
    }
}

/* Blocks of random lengths that sum up to what is needed; some are empty. */
static bool grow_indexed(const struct growth *g, struct tree *t, struct wish w)
{
    int times;
    if (!grow_part(g, t, w, 0, &times))
        return false;
    set_blocks(t, between(g, times ? 1 : 0, times < 8 ? times + 2 : 10));
    for (int left = times, i = 0; i < t->n; i++) {
        t->lengths[i] = i == t->n - 1 ? left : chance(g, 4) ? 0 : between(g, 0, left);
        left -= t->lengths[i];
    }
    lay_out(g, t);
    leaves_of_blocks(t);
    return true;
}

static bool grow_indexed_block(const struct growth *g, struct tree *t, struct wish w)
{
    int times;
    if (!grow_part(g, t, w, 0, &times))
        return false;
    t->length = times ? random_divisor(g, times) : between(g, 0, 2);
    set_blocks(t, t->length ? times / t->length : between(g, 0, 3));
    for (int i = 0; i < t->n; i++)
        t->lengths[i] = t->length;
    lay_out(g, t);
    leaves_of_blocks(t);
    return true;
}

/* Cuts the signature anywhere; each piece is a block of equal parts. At the last level it cuts
 * where the basic type changes. */
static int random_cut(const struct growth *g, struct wish w, int from)
{
    int to = from + 1;
    if (w.depth > 0)
        return from + between(g, 0, w.n - from);
    while (to < w.n && w.signature[to] == w.signature[from])
        to++;
    return to;
}

static bool grow_struct(const struct growth *g, struct tree *t, struct wish w)
{
    const struct basic *one[] = {g->any};
    enum { blocks_most = 512 };
    int cuts[blocks_most + 1] = {0}, n = 0;
    while (cuts[n] < w.n && n < (w.depth > 0 ? 4 : blocks_most)) {
        cuts[n + 1] = random_cut(g, w, cuts[n]);
        n++;
    }
    if (w.n && cuts[n] < w.n)
        cuts[n] = w.n;
    if (w.n == 0 && w.depth > 0)
        n = between(g, 0, 2);
    set_parts(t, n);
    set_blocks(t, n);
    for (int i = 0; i < n; i++) {
        struct wish piece = {w.signature + cuts[i], w.n ? cuts[i + 1] - cuts[i] : 0, w.depth};
        t->lengths[i] = piece.n ? choose_times(g, piece) : between(g, 0, 2);
        if (piece.n && t->lengths[i] == 0)
            t->lengths[i] = 1;
        piece = t->lengths[i] ? (struct wish){piece.signature, piece.n / t->lengths[i], w.depth - 1}
                              : (struct wish){one, 1, w.depth - 1};
        if (!(t->parts[i] = grow(g, piece)))
            return false;
    }
    lay_out(g, t);
    leaves_of_blocks(t);
    return true;
}

/* ---- arrays ---- */

static bool owns(const struct array *a, int d, int index)
{
    if (a->nprocs == 0)
        return index >= a->start[d] && index < a->start[d] + a->subsize[d];
    int block = a->argument[d];
    switch (a->distribution[d]) {
    case MPI_DISTRIBUTE_BLOCK:
        block = block == MPI_DISTRIBUTE_DFLT_DARG ? (a->size[d] + a->procs[d] - 1) / a->procs[d]
                                                  : block;
        return index / block == a->place[d];
    case MPI_DISTRIBUTE_CYCLIC:
        block = block == MPI_DISTRIBUTE_DFLT_DARG ? 1 : block;
        return index / block % a->procs[d] == a->place[d];
    default:
        return true;
    }
}

static int owned(const struct array *a, int d)
{
    int n = 0;
    for (int i = 0; i < a->size[d]; i++)
        n += owns(a, d, i);
    return n;
}

/* Every index in the order of memory; those that are owned become leaves. */
static void leaves_of_array(struct tree *t)
{
    const struct array *a = &t->array;
    int64_t all = 1;
    for (int d = 0; d < a->ndims; d++)
        all *= a->size[d];
    for (int64_t linear = 0; linear < all; linear++) {
        int64_t rest = linear;
        bool mine = true;
        for (int i = 0; i < a->ndims; i++) {
            int d = a->order == MPI_ORDER_FORTRAN ? i : a->ndims - 1 - i;
            mine = mine && owns(a, d, (int)(rest % a->size[d]));
            rest /= a->size[d];
        }
        if (mine)
            leaves_add(t, t->parts[0], linear * t->parts[0]->extent);
    }
}

static bool choose_subarray(const struct growth *g, struct array *a, int d, int wanted)
{
    a->subsize[d] = wanted;
    a->size[d] = wanted + (chance(g, 3) ? 0 : between(g, 0, 3));
    a->start[d] = between(g, 0, a->size[d] - wanted);
    return wanted >= 1;
}

/* A distribution of which this place owns `wanted` indices. */
static bool choose_darray(const struct growth *g, struct array *a, int d, int wanted)
{
    const int distributions[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int sizes[300], nsizes = 0;
    a->distribution[d] = distributions[between(g, 0, 2)];
    a->argument[d] = MPI_DISTRIBUTE_DFLT_DARG;
    a->procs[d] = a->distribution[d] == MPI_DISTRIBUTE_NONE ? 1 : between(g, 1, 4);
    a->place[d] = between(g, 0, a->procs[d] - 1);
    if (a->distribution[d] != MPI_DISTRIBUTE_NONE && chance(g, 2))
        a->argument[d] = a->distribution[d] == MPI_DISTRIBUTE_BLOCK ? wanted + between(g, 0, 2)
                                                                    : between(g, 1, 4);
    if (a->argument[d] == 0 || wanted > 50)
        return false;
    for (int size = wanted ? wanted : 1; size <= (wanted + 4) * a->procs[d] && nsizes < 300;
         size++) {
        a->size[d] = size;
        bool enough = a->distribution[d] != MPI_DISTRIBUTE_BLOCK ||
                      a->argument[d] == MPI_DISTRIBUTE_DFLT_DARG ||
                      a->argument[d] * a->procs[d] >= size;
        if (enough && owned(a, d) == wanted)
            sizes[nsizes++] = size;
    }
    a->size[d] = nsizes ? sizes[random_below(g->seed, nsizes)] : 0;
    return nsizes > 0;
}

static bool grow_array(const struct growth *g, struct tree *t, struct wish w)
{
    struct array *a = &t->array;
    int left;
    bool remote_window = t->maker == make_darray;
    if (!grow_part(g, t, w, remote_window ? 0 : 1, &left))
        return false;
    a->ndims = between(g, 1, dims_most);
    a->order = chance(g, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    a->nprocs = remote_window;
    for (int d = 0; d < a->ndims; d++) {
        int wanted = d == a->ndims - 1 ? left : random_divisor(g, left);
        left = wanted ? left / wanted : 0;
        if (!(remote_window ? choose_darray : choose_subarray)(g, a, d, wanted))
            return false;
        if (remote_window) {
            a->nprocs *= a->procs[d];
            a->rank = a->rank * a->procs[d] + a->place[d];
        }
    }
    leaves_of_array(t);
    return true;
}

/* ---- the same bytes under another extent, or another name ---- */

static bool grow_other_name(const struct growth *g, struct tree *t, struct wish w)
{
    if (w.depth <= 0)
        return false;
    set_parts(t, 1);
    t->parts[0] = grow(g, (struct wish){w.signature, w.n, w.depth - 1});
    if (!t->parts[0])
        return false;
    const struct tree *part = t->parts[0];
    t->lower = between(g, -25, 25);
    t->extent = part->end - part->first + (chance(g, 2) ? 0 : between(g, 0, 21));
    if (chance(g, 5))
        t->extent = between(g, -40, 40);
    leaves_add(t, part, 0);
    return true;
}

/* ---- growing ---- */

static bool grow_by(const struct growth *g, struct tree *t, struct wish w)
{
    switch (t->maker) {
    case make_contiguous:
        return grow_contiguous(g, t, w);
    case make_vector:
    case make_hvector:
        return grow_vector(g, t, w);
    case make_indexed:
    case make_hindexed:
        return grow_indexed(g, t, w);
    case make_indexed_block:
    case make_hindexed_block:
        return grow_indexed_block(g, t, w);
    case make_struct:
        return grow_struct(g, t, w);
    case make_subarray:
    case make_darray:
        return grow_array(g, t, w);
    default:
        return grow_other_name(g, t, w);
    }
}

static bool fits(const struct growth *g, struct tree *t)
{
    leaves_bound(t->leaves, t->nleaves, &t->first, &t->end);
    if (t->end - t->first > g->width || t->first < -g->reach || t->end > g->reach)
        return false;
    return !g->disjoint || t->maker >= make_resized ||
           !leaves_overlap(t->leaves, t->nleaves, t->first, t->end);
}

static struct tree *tree_named(const struct basic *basic)
{
    struct tree *t = tree_new(make_named, 1);
    MPI_Aint lower, extent;
    MPI_Type_get_extent(basic->type, &lower, &extent);
    t->type = basic->type;
    t->extent = extent;
    t->leaves[t->nleaves++] = (struct leaf){0, basic};
    leaves_bound(t->leaves, 1, &t->first, &t->end);
    return t;
}

/* At the last level only what makes the signature shorter. */
static enum maker choose_maker(const struct growth *g, struct wish w)
{
    if (w.depth > 0)
        return (enum maker)between(g, make_contiguous, make_dup);
    for (int times = 2; times <= w.n; times++)
        if (w.n % times == 0 && repeats(w, times))
            return (enum maker)between(g, make_contiguous, make_darray);
    return make_struct;
}

/* NULL if no try gave a type that is narrow enough. */
static struct tree *grow(const struct growth *g, struct wish w)
{
    if (w.n == 1 && (w.depth <= 0 || chance(g, 3)))
        return tree_named(w.signature[0]);
    while (--*g->tries > 0) {
        struct tree *t = tree_new(choose_maker(g, w), w.n);
        t->large = chance(g, 4);
        if (grow_by(g, t, w) && fits(g, t) && tree_construct(t) && llabs(t->extent) <= g->reach)
            return t;
        tree_free(t);
    }
    return NULL;
}

#endif
