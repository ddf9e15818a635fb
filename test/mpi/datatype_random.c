/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random pairs of datatypes with equal type signatures in put, get, accumulate and get_accumulate,
 * through windows of every kind and under every kind of epoch. The expected bytes come from the
 * type map that the test knows (datatype_tree.h), element by element; all other bytes must be as
 * before. The host's MPI_Pack and MPI_Unpack are asked too: a difference from the type map is
 * printed, but is no failure.
 *
 *   datatype_random [CASES [SEED [FIRST]]]      datatype_random 1 SEED N repeats case N alone
 */
#include "begun.h"
#include "datatype_case.h"
#include <sched.h>

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

/* The image of a rank's memory. The elements of accumulates have proper values. */
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
