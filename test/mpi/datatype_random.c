/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random pairs of datatypes with equal type signatures in put, get, accumulate and get_accumulate,
 * through windows of every kind and under every kind of epoch. What has to be there afterwards
 * comes from the type map that the test knows (datatype_tree.h), element by element; all other
 * bytes must be as before. The host's MPI_Pack and MPI_Unpack are asked too: where they differ from
 * the type map that is said, but is no failure.
 *
 *   datatype_random [CASES [SEED [FIRST]]]      datatype_random 1 SEED N repeats case N alone
 */
#include "begun.h"
#include "datatype_tree.h"
#include "window.h"
#include <sched.h>

enum {
    block_bytes = 20 * 1024,
    widest = 9 * 1024,
    blocks_most = 2,
    elements_most = 600,
    room = blocks_most * block_bytes
};

/* ---- memory: bytes that are addressed by their place, 0 to room, the same on every rank ---- */

/* Attached regions of the dynamic window: neighbours that touch, and gaps. */
static const struct {
    int start, end;
} regions[] = {{0, 7000},
               {7000, 12001},
               {12001, 16384},
               {16400, block_bytes},
               {block_bytes + 8, block_bytes + 9000},
               {block_bytes + 9000, block_bytes + 20000}};
enum { nregions = sizeof regions / sizeof regions[0] };

enum window {
    at_allocate,
    at_allocate_8,
    at_create,
    at_create_odd,
    at_shared,
    at_dynamic,
    nwindows
};
static const char *const window_names[nwindows] = {"allocate",
                                                   "allocate, disp_unit 8",
                                                   "create",
                                                   "create in MPI_Alloc_mem, disp_unit 3",
                                                   "allocate_shared, disp_unit 2",
                                                   "dynamic"};
static const int disp_units[nwindows] = {1, 8, 1, 3, 2, 1};

struct memory {
    int blocks;
    char *base[blocks_most];
    MPI_Aint *address; /* of every rank's blocks */
    MPI_Win win;
};

static struct memory windows[nwindows];
static char *origin_memory, *result_memory;
static char *noise; /* what memory is filled with: starts anywhere in it */
enum { noise_starts = 4096 };

static void share(struct memory *m)
{
    MPI_Aint mine[blocks_most] = {0};
    m->address = need(calloc((size_t)nranks * blocks_most, sizeof *m->address));
    for (int b = 0; b < m->blocks; b++)
        MPI_Get_address(m->base[b], &mine[b]);
    MPI_Allgather(mine, blocks_most, MPI_AINT, m->address, blocks_most, MPI_AINT, MPI_COMM_WORLD);
}

static void open_dynamic(struct memory *m)
{
    m->blocks = 2;
    m->base[0] = need(malloc(block_bytes));
    MPI_Alloc_mem(block_bytes, MPI_INFO_NULL, &m->base[1]);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &m->win);
    for (int r = 0; r < nregions; r++) {
        int b = regions[r].start / block_bytes;
        MPI_Win_attach(m->win, m->base[b] + regions[r].start - b * block_bytes,
                       regions[r].end - regions[r].start);
    }
}

static void open_windows(void)
{
    for (int w = 0; w < nwindows; w++) {
        struct memory *m = &windows[w];
        m->blocks = 1;
        if (w == at_create)
            m->base[0] = need(malloc(block_bytes));
        if (w == at_create_odd)
            MPI_Alloc_mem(block_bytes + 3, MPI_INFO_NULL, &m->base[0]);
        if (w == at_create_odd)
            m->base[0] += 3;
        if (w == at_create || w == at_create_odd)
            MPI_Win_create(m->base[0], block_bytes, disp_units[w], MPI_INFO_NULL, MPI_COMM_WORLD,
                           &m->win);
        else if (w == at_allocate || w == at_allocate_8)
            MPI_Win_allocate(block_bytes, disp_units[w], MPI_INFO_NULL, MPI_COMM_WORLD, &m->base[0],
                             &m->win);
        else if (w == at_shared && !shares_memory())
            MPI_Win_allocate(block_bytes, disp_units[w], MPI_INFO_NULL, MPI_COMM_WORLD, &m->base[0],
                             &m->win);
        else if (w == at_shared)
            MPI_Win_allocate_shared(block_bytes, disp_units[w], MPI_INFO_NULL, MPI_COMM_WORLD,
                                    &m->base[0], &m->win);
        else
            open_dynamic(m);
        MPI_Win_set_errhandler(m->win, MPI_ERRORS_RETURN);
        share(m);
    }
}

static void close_windows(void)
{
    for (int r = 0; r < nregions; r++) {
        int b = regions[r].start / block_bytes;
        MPI_Win_detach(windows[at_dynamic].win,
                       windows[at_dynamic].base[b] + regions[r].start - b * block_bytes);
    }
    for (int w = 0; w < nwindows; w++) {
        MPI_Win_free(&windows[w].win);
        free(windows[w].address);
    }
    free(windows[at_create].base[0]);
    MPI_Free_mem(windows[at_create_odd].base[0] - 3);
    free(windows[at_dynamic].base[0]);
    MPI_Free_mem(windows[at_dynamic].base[1]);
}

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

/* Which sides may overlap themselves: what is only read. Elements of an accumulate's origin need
 * values of their own. */
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

/* ---- what memory holds before ---- */

static uint64_t mixed(const struct test_case *c, int who, int what)
{
    uint64_t seed = c->seed + (uint64_t)who * 1000 + (uint64_t)what;
    return next_random(&seed);
}

/* long double: six bytes of each mean nothing; arithmetic and a host's pack may change them. How
 * many long doubles an element starts with. */
static int long_doubles(const struct basic *b)
{
    return b->type == MPI_C_LONG_DOUBLE_COMPLEX
               ? 2
               : b->type == MPI_LONG_DOUBLE || b->type == MPI_LONG_DOUBLE_INT;
}

static void copy_meaningless(const struct basic *b, char *to, const char *from)
{
    for (int i = 0; i < long_doubles(b); i++)
        memcpy(to + 16 * i + 10, from + 16 * i + 10, 6);
}

enum { of_window, of_origin, of_result };

/* The image of rank who's memory. The elements of accumulates have proper values. */
static void fill_image(const struct test_case *c, int who, int what, char *image)
{
    memcpy(image, noise + mixed(c, who, what) % noise_starts, room);
    const struct side *s = what == of_window ? &c->there : &c->from;
    if (!c->basic || what == of_result)
        return;
    uint64_t seed = mixed(c, who, what + 3);
    for (int i = 0; i < s->nleaves; i++) {
        char value[64];
        s->leaves[i].basic->set(value, random_below(&seed, 10));
        copy_meaningless(s->leaves[i].basic, value, image + s->leaves[i].at);
        copy_data(s->leaves[i].basic, image + s->leaves[i].at, value);
    }
}

static void to_window(const struct memory *m, const char *image)
{
    for (int b = 0; b < m->blocks; b++)
        memcpy(m->base[b], image + b * block_bytes, block_bytes);
}

/* ---- what has to be there afterwards ---- */

static void copy_leaves(char *to, const struct side *there, const char *from,
                        const struct side *here)
{
    for (int i = 0; i < there->nleaves; i++)
        copy_data(there->leaves[i].basic, to + there->leaves[i].at, from + here->leaves[i].at);
}

static void apply_leaves(const struct test_case *c, char *window, const char *origin)
{
    for (int i = 0; i < c->there.nleaves; i++) {
        char in[64], inout[64];
        const struct basic *b = c->basic;
        memcpy(in, origin + c->from.leaves[i].at, b->bytes);
        memcpy(inout, window + c->there.leaves[i].at, b->bytes);
        b->apply(c->op, in, inout);
        copy_data(b, window + c->there.leaves[i].at, inout);
    }
}

static bool same(const char *found, const char *expected, int first, int bytes, const char *what)
{
    if (memcmp(found, expected + first, (size_t)bytes) == 0)
        return true;
    int at = 0, wrong = 0;
    for (int i = bytes - 1; i >= 0; i--)
        if (found[i] != expected[first + i]) {
            at = i;
            wrong++;
        }
    fprintf(stderr,
            "rank %d: %s: %d bytes are wrong, the first at place %d: %02x instead of %02x\n", rank,
            what, wrong, first + at, (unsigned char)found[at], (unsigned char)expected[first + at]);
    return false;
}

static bool same_window(const struct test_case *c, char *expected)
{
    static char found[room];
    const struct memory *m = &windows[c->window];
    bool ok = true;
    for (int b = 0; b < m->blocks; b++)
        memcpy(found + b * block_bytes, m->base[b], block_bytes);
    for (int i = 0; i < c->there.nleaves && c->basic; i++)
        copy_meaningless(c->basic, expected + c->there.leaves[i].at, found + c->there.leaves[i].at);
    for (int b = 0; b < m->blocks; b++)
        ok &= same(found + b * block_bytes, expected, b * block_bytes, block_bytes, "window");
    return ok;
}

/* ---- the operation ---- */

/* A committed type and the buffer's address for a side in local memory; for an absolute type, one
 * with real addresses. */
static MPI_Datatype type_of(const struct side *s, const MPI_Aint *block_address)
{
    MPI_Datatype type;
    if (s->absolute) {
        struct tree *t = s->tree;
        MPI_Aint at[t->n + 1];
        MPI_Datatype types[t->n + 1];
        for (int i = 0; i < t->n; i++) {
            /* of bytes, to tell the block */
            int64_t place =
                t->parts[i]->nleaves && t->lengths[i] ? t->disps[i] + t->parts[i]->first : 0;
            int b = place >= block_bytes;
            at[i] = MPI_Aint_add(block_address[b], t->disps[i] - b * block_bytes);
            types[i] = t->parts[i]->type;
        }
        MPI_Type_create_struct(t->n, t->lengths, at, types, &type);
    } else if (s->tree->maker == make_named)
        return s->tree->type;
    else
        MPI_Type_dup(s->tree->type, &type);
    MPI_Type_commit(&type);
    return type;
}

static void type_done(const struct side *s, MPI_Datatype *type)
{
    if (s->tree && s->tree->maker != make_named)
        MPI_Type_free(type);
}

struct call {
    MPI_Datatype from, to, there;
    char *from_address, *to_address;
    MPI_Aint disp;
};

static void prepare(const struct test_case *c, struct call *call)
{
    const struct memory *m = &windows[c->window];
    const MPI_Aint *there = m->address + c->target * blocks_most;
    MPI_Aint local[2][blocks_most] = {{0}};
    MPI_Get_address(origin_memory, &local[0][0]);
    MPI_Get_address(result_memory, &local[1][0]);
    for (int i = 0; i < 2; i++)
        local[i][1] = local[i][0] + block_bytes;
    call->from = type_of(&c->from, local[0]);
    call->there = type_of(&c->there, there);
    call->from_address = c->from.absolute ? MPI_BOTTOM : origin_memory + c->from.bias;
    call->to = MPI_DATATYPE_NULL;
    if (c->to.tree) {
        call->to = type_of(&c->to, local[1]);
        call->to_address = c->to.absolute ? MPI_BOTTOM : result_memory + c->to.bias;
    }
    int64_t bias = c->there.bias;
    if (c->window != at_dynamic)
        call->disp = bias / disp_units[c->window];
    else if (c->there.absolute)
        call->disp = 0;
    else {
        int64_t place = c->there.nleaves ? c->there.leaves[0].at : 0;
        int b = place >= block_bytes;
        call->disp = MPI_Aint_add(there[b], bias - b * block_bytes);
    }
}

static int issue(const struct test_case *c, const struct call *k)
{
    MPI_Win win = windows[c->window].win;
    int n = c->from.count, m = c->there.count;
    if (c->action == act_put)
        return MPI_Put(k->from_address, n, k->from, c->target, k->disp, m, k->there, win);
    if (c->action == act_get)
        return MPI_Get(k->from_address, n, k->from, c->target, k->disp, m, k->there, win);
    if (c->action == act_accumulate)
        return MPI_Accumulate(k->from_address, n, k->from, c->target, k->disp, m, k->there,
                              op_handle(c->op), win);
    if (c->op == op_no_op && c->free_early) /* the origin is ignored */
        return MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, k->to_address, c->to.count, k->to,
                                  c->target, k->disp, m, k->there, MPI_NO_OP, win);
    return MPI_Get_accumulate(k->from_address, n, k->from, k->to_address, c->to.count, k->to,
                              c->target, k->disp, m, k->there, op_handle(c->op), win);
}

#if MPI_VERSION >= 4
static int issue_large(const struct test_case *c, const struct call *k)
{
    MPI_Win win = windows[c->window].win;
    int n = c->from.count, m = c->there.count;
    if (c->action == act_put)
        return MPI_Put_c(k->from_address, n, k->from, c->target, k->disp, m, k->there, win);
    if (c->action == act_get)
        return MPI_Get_c(k->from_address, n, k->from, c->target, k->disp, m, k->there, win);
    if (c->action == act_accumulate)
        return MPI_Accumulate_c(k->from_address, n, k->from, c->target, k->disp, m, k->there,
                                op_handle(c->op), win);
    return MPI_Get_accumulate_c(k->from_address, n, k->from, k->to_address, c->to.count, k->to,
                                c->target, k->disp, m, k->there, op_handle(c->op), win);
}
#else
static int issue_large(const struct test_case *c, const struct call *k)
{
    return issue(c, k);
}
#endif

/* A barrier that leaves the processor to the others: thousands of these run while other tests
 * do. */
static void barrier(void)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        sched_yield();
}

static void open_epoch(const struct test_case *c, MPI_Group *group)
{
    MPI_Win win = windows[c->window].win;
    if (c->epoch == in_fence) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        return;
    }
    MPI_Win_sync(win);
    barrier();
    if (c->epoch == in_shared_lock || c->epoch == in_exclusive_lock)
        MPI_Win_lock(c->epoch == in_shared_lock ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, c->target,
                     0, win);
    else if (c->epoch == in_lock_all)
        MPI_Win_lock_all(0, win);
    else {
        group[0] = group_of_one(c->origin);
        group[1] = group_of_one(c->target);
        MPI_Win_post(group[0], 0, win);
        MPI_Win_start(group[1], 0, win);
    }
}

static void close_epoch(const struct test_case *c, MPI_Group *group)
{
    MPI_Win win = windows[c->window].win;
    if (c->epoch == in_fence) {
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        return;
    }
    if (c->epoch == in_shared_lock || c->epoch == in_exclusive_lock)
        MPI_Win_unlock(c->target, win);
    else if (c->epoch == in_lock_all)
        MPI_Win_unlock_all(win);
    else {
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        MPI_Group_free(&group[0]);
        MPI_Group_free(&group[1]);
    }
    barrier();
    MPI_Win_sync(win);
}

static void free_types(const struct test_case *c, struct call *call)
{
    type_done(&c->from, &call->from);
    type_done(&c->to, &call->to);
    type_done(&c->there, &call->there);
}

/* ---- the host's opinion ---- */

static long host_differs;

/* MPICH 4.0's pack divides by zero where a part has no bytes. */
static bool has_empty_part(const struct tree *t)
{
    bool empty = t->nleaves == 0;
    for (int i = 0; i < t->nparts; i++)
        empty |= has_empty_part(t->parts[i]);
    return empty;
}

static void host_disagrees(const struct test_case *c, const char *what)
{
    if (host_differs++ == 0)
        fprintf(stderr, "rank %d: note: the host's %s differs from the type map in case %ld\n",
                rank, what, c->number);
}

/* Packs the origin as it is, unpacks that at the target's places in an image of its own. */
static void ask_host(const struct test_case *c, const struct call *call, const char *origin)
{
    static char packed[room], unpacked[room], expected[room];
    int size = 0, position = 0, read = 0;
    for (int i = 0; i < c->from.nleaves; i++)
        if (long_doubles(c->from.leaves[i].basic))
            return;
    if (has_empty_part(c->from.tree) || has_empty_part(c->there.tree))
        return;
    MPI_Pack_size(c->from.count, call->from, MPI_COMM_WORLD, &size);
    if (size > room || c->from.absolute) /* MPICH 4.0 refuses to pack from MPI_BOTTOM */
        return;
    MPI_Pack(call->from_address, c->from.count, call->from, packed, room, &position,
             MPI_COMM_WORLD);
    char *end = packed;
    for (int i = 0; i < c->from.nleaves; i++) {
        struct run runs[2];
        int n = data_runs(c->from.leaves[i].basic, runs);
        for (int r = 0; r < n; end += runs[r++].bytes)
            if (end + runs[r].bytes > packed + position ||
                memcmp(end, origin + c->from.leaves[i].at + runs[r].at, (size_t)runs[r].bytes) !=
                    0) {
                host_disagrees(c, "MPI_Pack");
                return;
            }
    }
    if (c->there.absolute)
        return;
    memcpy(expected, noise, room);
    memcpy(unpacked, noise, room);
    copy_leaves(expected, &c->there, origin, &c->from);
    MPI_Unpack(packed, position, &read, unpacked + c->there.bias, c->there.count, call->there,
               MPI_COMM_WORLD);
    if (memcmp(unpacked, expected, room) != 0)
        host_disagrees(c, "MPI_Unpack");
}

/* ---- one case ---- */

static bool run_case(const struct test_case *c)
{
    static char window[room], target[room], origin[room], result[room], from[room];
    MPI_Group group[2];
    struct call call;
    bool ok = true;
    fill_image(c, rank, of_window, window);
    fill_image(c, c->target, of_window, target);
    fill_image(c, rank, of_origin, origin);
    fill_image(c, c->origin, of_origin, from);
    fill_image(c, rank, of_result, result);
    to_window(&windows[c->window], window);
    memcpy(origin_memory, origin, room);
    memcpy(result_memory, result, room);
    prepare(c, &call);
    if (c->action == act_put)
        ask_host(c, &call, origin);

    open_epoch(c, group);
    int code = (c->large ? issue_large : issue)(c, &call);
    if (c->free_early)
        free_types(c, &call);
    close_epoch(c, group);
    if (!c->free_early)
        free_types(c, &call);

    if (c->action == act_put)
        copy_leaves(window, &c->there, from, &c->from);
    else if (c->action == act_get)
        copy_leaves(origin, &c->from, target, &c->there);
    else
        apply_leaves(c, window, from);
    if (c->action == act_get_accumulate)
        copy_leaves(result, &c->to, target, &c->there);
    if (code != MPI_SUCCESS)
        fprintf(stderr, "rank %d: the call returns error class %d\n", rank, error_class(code));
    ok = code == MPI_SUCCESS && same_window(c, window);
    ok &= same(origin_memory, origin, 0, room, "origin");
    return same(result_memory, result, 0, room, "result") && ok;
}

static void one_case(long number, uint64_t seed, const struct basic *types, int ntypes)
{
    struct test_case c = {.number = number, .seed = seed * 0x9e3779b97f4a7c15u + (uint64_t)number};
    choose_case(&c, types, ntypes);
    bool ok = run_case(&c);
    if (!ok && check_failures < 2)
        case_print(&c, seed);
    CHECK(ok, "case %ld", number);
    side_free(&c.from);
    side_free(&c.to);
    side_free(&c.there);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    long cases = argc > 1 ? atol(argv[1]) : 20000, first = argc > 3 ? atol(argv[3]) : 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, fill = 7;
    int ntypes;
    struct basic *types = basic_types(&ntypes);
    if (rank == 0)
        printf("seed %llu\n", (unsigned long long)seed);
    noise = need(malloc(room + noise_starts));
    for (int i = 0; i < room + noise_starts; i++)
        noise[i] = (char)next_random(&fill);
    origin_memory = need(malloc(room));
    result_memory = need(malloc(room));
    /* a host may refuse to make a type: then there is another one */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    open_windows();
    begun();
    for (long i = first; i < first + cases; i++)
        one_case(i, seed, types, ntypes);
    close_windows();
    if (rank == 0 && host_differs)
        printf("the host's own pack or unpack differed in %ld cases\n", host_differs);
    free(origin_memory);
    free(result_memory);
    free(noise);
    free(types);
    return finish("datatype_random");
}
