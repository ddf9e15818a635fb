/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Accumulate and MPI_Get_accumulate: every predefined type with every operator that the
 * standard defines for it. Both the right neighbour and the rank itself are targets. Each
 * combination of type, operator and call has a row of its own in the window.
 */
#include "types.h"
#include "window.h"

enum { count = 5, max_bytes = 32 };

static int start_value(int who, int op, int i)
{
    return (who + op + i) % 4;
}
static int sent_value(int who, int op, int i)
{
    return (who + 2 * op + 3 * i) % 5;
}

/* Row of (source, call, op) in a target's window; source 0 is the left neighbour, 1 the rank
 * itself. */
static size_t row(int source, int call, int op)
{
    return (size_t)((source * 2 + call) * nops + op) * count;
}
enum { nrows = 2 * 2 * nops };

static void fill_row(const struct basic *t, void *at, int who, int op, int (*value)(int, int, int))
{
    for (int i = 0; i < count; i++)
        t->set((char *)at + (size_t)i * t->bytes, value(who, op, i));
}

static void prepare(const struct basic *t, char *memory)
{
    for (int source = 0; source < 2; source++)
        for (int call = 0; call < 2; call++)
            for (int op = 0; op < nops; op++)
                fill_row(t, memory + row(source, call, op) * t->bytes, rank, op, start_value);
}

static void issue(struct area *a, const struct basic *t, int source, int target, const char *sent,
                  char *fetched)
{
    for (int op = 0; op < nops; op++) {
        if (!defined(t, op))
            continue;
        const char *in = sent + (size_t)op * count * max_bytes;
        char *out = fetched + (size_t)op * count * max_bytes;
        MPI_Aint plain = disp_at(a, target, (MPI_Aint)(row(source, 0, op) * t->bytes));
        MPI_Aint with_get = disp_at(a, target, (MPI_Aint)(row(source, 1, op) * t->bytes));
        if (op != op_no_op) /* not for MPI_Accumulate */
            MPI_Accumulate(in, count, t->type, target, plain, count, t->type, op_handle(op),
                           a->win);
        MPI_Get_accumulate(in, count, t->type, out, count, t->type, target, with_get, count,
                           t->type, op_handle(op), a->win);
    }
}

static void verify_element(const struct area *a, const struct basic *t, enum op op, int from, int i,
                           const void *found, const void *expected, const char *what)
{
    CHECK(t->equal(found, expected), "%s: %s with %s from %d, element %d: wrong %s",
          kind_names[a->kind], t->name, op_names[op], from, i, what);
}

static void verify_memory(const struct area *a, const struct basic *t, int source, int from)
{
    char in[max_bytes], expected[max_bytes];
    for (int call = 0; call < 2; call++)
        for (int op = 0; op < nops; op++)
            for (int i = 0; i < count && defined(t, op); i++) {
                t->set(in, sent_value(from, op, i));
                t->set(expected, start_value(rank, op, i));
                if (call == 1 || op != op_no_op)
                    t->apply(op, in, expected);
                const char *found =
                    (const char *)a->base + (row(source, call, op) + (size_t)i) * t->bytes;
                verify_element(a, t, op, from, i, found, expected,
                               call ? "target of get_accumulate" : "target of accumulate");
            }
}

static void verify_fetched(const struct area *a, const struct basic *t, int target,
                           const char *fetched)
{
    char expected[max_bytes];
    for (int op = 0; op < nops; op++)
        for (int i = 0; i < count && defined(t, op); i++) {
            t->set(expected, start_value(target, op, i));
            const char *found = fetched + (size_t)op * count * max_bytes + (size_t)i * t->bytes;
            verify_element(a, t, op, target, i, found, expected, "result of get_accumulate");
        }
}

static void run_type(struct area *a, const struct basic *t)
{
    static _Alignas(16) char sent[nops * count * max_bytes], fetched[2][nops * count * max_bytes];
    const int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    prepare(t, a->base);
    for (int op = 0; op < nops; op++)
        fill_row(t, sent + (size_t)op * count * max_bytes, rank, op, sent_value);
    memset(fetched, 0, sizeof fetched);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
    issue(a, t, 0, right, sent, fetched[0]);
    issue(a, t, 1, rank, sent, fetched[1]);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win);
    verify_memory(a, t, 0, left);
    verify_memory(a, t, 1, rank);
    verify_fetched(a, t, right, fetched[0]);
    verify_fetched(a, t, rank, fetched[1]);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int ntypes;
    struct basic *types = basic_types(&ntypes);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, (size_t)nrows * count * max_bytes, 1, MPI_COMM_WORLD);
        for (int i = 0; i < ntypes; i++)
            run_type(&a, &types[i]);
        close_area(&a);
    }
    free(types);
    return finish("op_accumulate");
}
