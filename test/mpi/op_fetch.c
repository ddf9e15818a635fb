/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Fetch_and_op and MPI_Compare_and_swap: every predefined type with every operator that the
 * standard defines for it. Two calls follow each other at one place without synchronization between
 * them: accumulates of one origin to one place happen in order. Every combination of type and
 * operator has a place of its own in the window.
 */
#include "types.h"
#include "window.h"

enum { max_bytes = 32 };
enum place { swap_hit = nops, swap_miss, nplaces };

static int start_value(int target, int place)
{
    return (target + place) % 4;
}
static int sent_value(int origin, int place, int call)
{
    return (origin + 2 * place + 3 * call + 1) % 5;
}

static void expect(const struct area *a, const struct basic *t, const char *what, const void *found,
                   const void *expected)
{
    CHECK(t->equal(found, expected), "%s: %s with %s: wrong value", kind_names[a->kind], t->name,
          what);
}

static struct basic *types;
static int ntypes;

static size_t offset_of(const struct basic *t, int place)
{
    return ((size_t)(t - types) * nplaces + (size_t)place) * max_bytes;
}

static MPI_Aint place_at(const struct area *a, const struct basic *t, int target, int place)
{
    return disp_at(a, target, (MPI_Aint)offset_of(t, place));
}

static void prepare(struct area *a)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win);
    for (const struct basic *t = types; t < types + ntypes; t++)
        for (int place = 0; place < nplaces; place++)
            t->set((char *)a->base + offset_of(t, place), start_value(rank, place));
    MPI_Win_unlock(rank, a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fetch_twice(struct area *a, const struct basic *t, int target)
{
    _Alignas(16) char in[nops][2][max_bytes], out[nops][2][max_bytes], expected[max_bytes];
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    for (int op = 0; op < nops; op++)
        for (int call = 0; call < 2 && defined(t, op); call++) {
            t->set(in[op][call], sent_value(rank, op, call));
            MPI_Fetch_and_op(op == op_no_op ? NULL : in[op][call], out[op][call], t->type, target,
                             place_at(a, t, target, op), op_handle(op), a->win);
        }
    MPI_Win_unlock(target, a->win);
    for (int op = 0; op < nops; op++) {
        if (!defined(t, op))
            continue;
        t->set(expected, start_value(target, op));
        expect(a, t, op_names[op], out[op][0], expected);
        t->apply(op, in[op][0], expected);
        expect(a, t, op_names[op], out[op][1], expected);
    }
}

/* One swap that hits and then one that misses, and the other way round. */
static void swap_twice(struct area *a, const struct basic *t, int target)
{
    _Alignas(16) char old[2][2][max_bytes], start_hit[max_bytes], start_miss[max_bytes],
        fresh[max_bytes], other[max_bytes];
    t->set(start_hit, start_value(target, swap_hit));
    t->set(start_miss, start_value(target, swap_miss));
    t->set(fresh, !start_value(target, swap_hit)); /* differs, as a logical value too */
    t->set(other, !start_value(target, swap_miss));
    MPI_Aint hit = place_at(a, t, target, swap_hit), miss = place_at(a, t, target, swap_miss);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    MPI_Compare_and_swap(fresh, start_hit, old[0][0], t->type, target, hit, a->win);
    MPI_Compare_and_swap(start_hit, start_hit, old[0][1], t->type, target, hit, a->win);
    MPI_Compare_and_swap(start_miss, other, old[1][0], t->type, target, miss, a->win);
    MPI_Compare_and_swap(other, start_miss, old[1][1], t->type, target, miss, a->win);
    MPI_Win_unlock(target, a->win);
    expect(a, t, "compare_and_swap that hits", old[0][0], start_hit);
    expect(a, t, "compare_and_swap after a hit", old[0][1], fresh);
    expect(a, t, "compare_and_swap that misses", old[1][0], start_miss);
    expect(a, t, "compare_and_swap after a miss", old[1][1], start_miss);
}

static void verify_type(const struct area *a, const struct basic *t, int origin)
{
    char in[max_bytes], expected[max_bytes];
    const char *memory = a->base;
    for (int op = 0; op < nops; op++) {
        t->set(expected, start_value(rank, op));
        for (int call = 0; call < 2 && defined(t, op); call++) {
            t->set(in, sent_value(origin, op, call));
            t->apply(op, in, expected);
        }
        expect(a, t, op_names[op], memory + offset_of(t, op), expected);
    }
    for (int place = swap_hit; place <= swap_miss && t->swaps; place++) {
        t->set(expected, !start_value(rank, place));
        expect(a, t, "compare_and_swap, at the target", memory + offset_of(t, place), expected);
    }
}

static void verify(struct area *a, int origin)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->win);
    for (const struct basic *t = types; t < types + ntypes; t++)
        verify_type(a, t, origin);
    MPI_Win_unlock(rank, a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks have a target of their own. */
static void run_shift(struct area *a, int shift)
{
    int target = (rank + shift) % nranks, origin = (rank - shift + nranks) % nranks;
    prepare(a);
    for (const struct basic *t = types; t < types + ntypes; t++) {
        fetch_twice(a, t, target);
        if (t->swaps)
            swap_twice(a, t, target);
    }
    verify(a, origin);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    types = basic_types(&ntypes);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, (size_t)(ntypes * nplaces * max_bytes), 1, MPI_COMM_WORLD);
        for (int shift = 0; shift < 2; shift++)
            run_shift(&a, shift);
        close_area(&a);
    }
    free(types);
    return finish("op_fetch");
}
