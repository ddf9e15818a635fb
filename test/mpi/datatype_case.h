/* SPDX-License-Identifier: BSD-3-Clause */
/* A case of datatype_random.c: which types, at which places, by which operation in which epoch. */
#ifndef PROA_TEST_DATATYPE_CASE_H
#define PROA_TEST_DATATYPE_CASE_H

#include "datatype_memory.h"
#include "datatype_print.h"
#include "datatype_tree.h"

/* ---- one side of an operation: what lies where ---- */

struct side {
    struct tree *tree;
    int count;
    /* place of the buffer's address; with absolute, the address is MPI_BOTTOM and places are in the
     * type */
    int64_t bias;
    bool absolute;
    int nleaves;
    struct leaf *leaves; /* at places in memory */
};

enum action { act_put, act_get, act_accumulate, act_get_accumulate, nactions };
static const char *const action_names[nactions] = {"put", "get", "accumulate", "get_accumulate"};
enum epoch { in_fence, in_shared_lock, in_exclusive_lock, in_lock_all, in_start, nepochs };
static const char *const epoch_names[nepochs] = {"fence", "shared lock", "exclusive lock",
                                                 "lock_all", "post and start"};

struct test_case {
    long number;
    uint64_t seed;
    enum action action;
    enum window window;
    enum epoch epoch;
    enum op op;
    const struct basic *basic; /* of accumulates */
    int target, origin;        /* this rank's target, and the rank whose target it is */
    bool free_early, large;
    struct side from, to, there; /* origin, result, target */
};

static const char *signature_text(const struct test_case *c)
{
    return c->basic ? c->basic->name : "mixed";
}

/* In one piece, so that the ranks' texts do not mix. */
static void case_print(const struct test_case *c, uint64_t seed)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = need(open_memstream(&text, &length));
    const struct side *sides[] = {&c->from, &c->to, &c->there};
    const char *const names[] = {"origin", "result", "target"};
    fprintf(out,
            "rank %d: case %ld (datatype_random 1 %llu %ld): %s %s of %s, window %s, %s, target "
            "rank %d\n",
            rank, c->number, (unsigned long long)seed, c->number, action_names[c->action],
            c->action >= act_accumulate ? op_names[c->op] : "", signature_text(c),
            window_names[c->window], epoch_names[c->epoch], c->target);
    for (int i = 0; i < 3; i++)
        if (sides[i]->tree) {
            fprintf(out, "  %s: %d elements at place %lld%s\n", names[i], sides[i]->count,
                    (long long)sides[i]->bias, sides[i]->absolute ? ", absolute" : "");
            tree_print(out, sides[i]->tree, 4);
        }
    fclose(out);
    fputs(text, stderr);
    free(text);
}

/* ---- choosing sides ---- */

static void side_free(struct side *s)
{
    tree_free(s->tree);
    free(s->leaves);
    memset(s, 0, sizeof *s);
}

static bool is_attached(int64_t at, int64_t end)
{
    for (int r = 0; r < nregions; r++)
        if (at >= regions[r].start && end <= regions[r].end)
            return true;
    return false;
}

/* Is every element inside of the memory, and of an attached region where there are such? A single
 * element is never in two. */
static bool lies_well(const struct side *s, bool dynamic)
{
    for (int i = 0; i < s->nleaves; i++) {
        int64_t at = s->leaves[i].at, end = at + data_end(s->leaves[i].basic);
        if (at < 0 || end > room || at / block_bytes != (end - 1) / block_bytes ||
            (dynamic && !is_attached(at, end)))
            return false;
    }
    return true;
}

static void move_side(struct side *s, int64_t bias)
{
    for (int i = 0; i < s->nleaves; i++)
        s->leaves[i].at += bias - s->bias;
    s->bias = bias;
}

static void leaves_of_side(struct side *s, int n)
{
    s->leaves = need(malloc(((size_t)n + 1) * sizeof *s->leaves));
    s->nleaves = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->tree->nleaves; k++)
            s->leaves[s->nleaves++] = (struct leaf){i * s->tree->extent + s->tree->leaves[k].at,
                                                    s->tree->leaves[k].basic};
}

/* An address such that all lies in the window (unit > 0: at a displacement in these units) or in
 * the origin's memory. */
static bool place_side(const struct growth *g, struct side *s, bool dynamic, int unit)
{
    int64_t first, end;
    leaves_bound(s->leaves, s->nleaves, &first, &end);
    if (end - first > widest || (g->disjoint && leaves_overlap(s->leaves, s->nleaves, first, end)))
        return false;
    for (int i = 0; i < 8; i++) {
        int64_t at = random_below(g->seed, (int)(block_bytes - (end - first) + 1));
        int64_t bias = at - first;
        if (unit)
            bias -= bias % unit;
        if (dynamic && chance(g, 2))
            bias += block_bytes;
        if (unit && bias < 0)
            continue;
        move_side(s, bias);
        if (lies_well(s, dynamic))
            return true;
    }
    return false;
}

static bool choose_plain_side(const struct growth *g, struct side *s, struct wish w, bool dynamic,
                              int unit)
{
    const struct basic *one[] = {g->any};
    s->count = w.n ? choose_times(g, w) : between(g, 0, 2);
    if (!s->count && w.n)
        s->count = 1;
    if (s->count)
        w.n /= s->count;
    else
        w = (struct wish){one, chance(g, 2), w.depth}; /* of which there is none */
    s->tree = grow(g, w);
    if (!s->tree)
        return false;
    leaves_of_side(s, w.n * s->count);
    return place_side(g, s, dynamic, unit);
}

/* A struct of parts anywhere in memory. Its displacements are places for now. */
static bool choose_absolute_side(const struct growth *g, struct side *s, struct wish w,
                                 bool dynamic)
{
    int n = w.n ? between(g, 1, 4) : 0;
    struct tree *t = s->tree = tree_new(make_struct, w.n);
    set_parts(t, n);
    set_blocks(t, n);
    s->absolute = true;
    s->count = w.n > 0;
    for (int i = 0, done = 0; i < n; i++) {
        struct side part = {0};
        struct wish piece = w;
        piece.signature += done;
        piece.n = i == n - 1 ? w.n - done : between(g, 0, w.n - done);
        bool chosen = choose_plain_side(g, &part, piece, dynamic, 0);
        t->parts[i] = part.tree;
        t->lengths[i] = part.count;
        t->disps[i] = part.bias;
        free(part.leaves);
        if (!chosen)
            return false;
        done += piece.n;
    }
    leaves_of_blocks(t);
    leaves_of_side(s, w.n);
    int64_t first, end;
    leaves_bound(t->leaves, t->nleaves, &first, &end);
    return lies_well(s, dynamic) &&
           !(g->disjoint && leaves_overlap(t->leaves, t->nleaves, first, end));
}

static bool choose_side(const struct growth *g, struct side *s, struct wish w, bool dynamic,
                        int unit)
{
    bool absolute = (unit == 0 || dynamic) && chance(g, 3);
    side_free(s);
    return absolute ? choose_absolute_side(g, s, w, dynamic)
                    : choose_plain_side(g, s, w, dynamic, unit);
}

/* ---- choosing a case ---- */

/* A motif of basic elements, repeated, another one behind it, all of it repeated: so that there are
 * loops to be found, and none too. */
static int choose_signature(const struct growth *g, const struct basic *types, int ntypes,
                            bool uniform, const struct basic **signature)
{
    int n = 0, motifs = chance(g, 2) ? 1 : between(g, 1, 3),
        most = chance(g, 10)  ? elements_most
               : chance(g, 2) ? 12
                              : 60;
    for (int m = 0; m < motifs; m++) {
        int start = n, length = uniform ? 1 : between(g, 1, 3),
            times = between(g, 1, most / motifs / length + 1);
        for (int i = 0; i < length && n < elements_most; i++, n++)
            signature[n] = uniform && n ? signature[0] : &types[random_below(g->seed, ntypes)];
        for (int i = length; i < length * times && n < most; i++, n++)
            signature[n] = signature[start + i % length];
    }
    for (int period = n, times = between(g, 1, 4); n < period * times && n + period <= most;)
        for (int i = 0; i < period; i++, n++)
            signature[n] = signature[n - period];
    return chance(g, 30) ? 0 : n;
}

static enum op choose_op(const struct growth *g, const struct basic *basic, enum action action)
{
    for (;;) {
        enum op op = (enum op)between(g, 0, nops - 1);
        if (defined(basic, op) && (op != op_no_op || action == act_get_accumulate))
            return op;
    }
}

/* Sides that are only read may overlap themselves. Elements of an accumulate's origin need values
 * of their own. */
static bool choose_sides(struct test_case *c, const struct growth *given, struct wish w)
{
    struct growth g = *given;
    int unit = disp_units[c->window];
    int tries = 200;
    bool ok;
    g.tries = &tries;
    w.depth = between(&g, 0, 4);
    g.disjoint = c->action != act_put;
    ok = choose_side(&g, &c->from, w, false, 0);
    g.disjoint = true;
    w.depth = between(&g, 0, 4);
    if (ok && c->action == act_get_accumulate)
        ok = choose_side(&g, &c->to, w, false, 0);
    g.disjoint = c->action != act_get;
    w.depth = between(&g, 0, 4);
    return ok && choose_side(&g, &c->there, w, c->window == at_dynamic, unit);
}

static void choose_case(struct test_case *c, const struct basic *types, int ntypes)
{
    struct growth g = {.seed = &c->seed,
                       .width = widest,
                       .reach = block_bytes,
                       .any = &types[random_below(&c->seed, ntypes)]};
    static const struct basic *signature[elements_most + 8];
    int hop = random_below(&c->seed, nranks < 3 ? 2 : nranks);
    c->target = (rank + hop) % nranks;
    c->origin = (rank + nranks - hop % nranks) % nranks;
    c->action = (enum action)random_below(&c->seed, nactions);
    c->window = (enum window)random_below(&c->seed, nwindows);
    c->epoch = (enum epoch)random_below(&c->seed, nepochs);
    c->free_early = random_below(&c->seed, 2);
    c->large = random_below(&c->seed, 4) == 0;
    bool uniform = c->action >= act_accumulate || random_below(&c->seed, 3) == 0;
    struct wish w = {.signature = signature};
    do {
        w.n = choose_signature(&g, types, ntypes, uniform, signature);
        if (c->action >= act_accumulate)
            g.any = signature[0];
    } while (!choose_sides(c, &g, w));
    c->basic = c->action >= act_accumulate ? signature[0] : NULL;
    c->op = c->basic ? choose_op(&g, c->basic, c->action) : op_no_op;
}

#endif
