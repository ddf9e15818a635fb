/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pair types have padding: inside MPI_SHORT_INT, behind the index in the others. It is not part of
 * an element, and other bytes of the program may lie there: accumulates leave it alone, in the
 * target's memory and in results, on every way. The last part has an owner that stores into the
 * padding while its neighbour works on the elements: a store never goes back.
 */
#include "window.h"
#include <stdbool.h>
#include <stddef.h>

/* most: more than processor atomics do */
enum { most = 12, most_bytes = most * 32, nops = 4, live_elements = 4 };
enum filling { in_target = 0x5a, in_origin = 0xa5, in_result = 0x3c };

struct pair {
    MPI_Datatype type;
    const char *name;
    /* of an element, of its value; where its index is, and how large */
    size_t bytes, value, at, index;
    void (*set)(void *element, int value, int index);
    bool (*holds)(const void *element, int value, int index);
};

#define PAIR(name, T)                                                                 \
    struct name {                                                                     \
        T value;                                                                      \
        int index;                                                                    \
    };                                                                                \
    static void set_##name(void *element, int value, int index)                       \
    {                                                                                 \
        T v = (T)value;                                                               \
        memcpy(element, &v, sizeof v);                                                \
        memcpy((char *)element + offsetof(struct name, index), &index, sizeof index); \
    }                                                                                 \
    static bool holds_##name(const void *element, int value, int index)               \
    {                                                                                 \
        struct name v;                                                                \
        memcpy(&v, element, sizeof v);                                                \
        return v.value == (T)value && v.index == index;                               \
    }
/* clang-format off */
#define ROW(type, name, T)                                                                   \
    {type, #type, sizeof(struct name), sizeof(T), offsetof(struct name, index), sizeof(int), \
     set_##name, holds_##name}
/* clang-format on */

PAIR(short_int, short)
PAIR(double_int, double)
PAIR(long_int, long)
PAIR(long_double_int, long double)
PAIR(float_int, float) /* no padding: for comparison */

static const struct pair *pairs;
static int npairs;
static const char *const op_names[nops] = {"MAXLOC", "MINLOC", "REPLACE", "NO_OP"};

static MPI_Op op_of(int op)
{
    const MPI_Op ops[nops] = {MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
    return ops[op];
}

static void fill(const struct pair *p, char *elements, enum filling filling, int value)
{
    memset(elements, filling, most_bytes);
    for (int i = 0; i < most; i++)
        p->set(elements + (size_t)i * p->bytes, value, value + i);
}

/* Bytes that belong to no field of one of the first `count` elements and are not what they were;
 * all bytes behind those elements count too. */
static int disturbed(const struct pair *p, const char *elements, int count, enum filling filling)
{
    int n = 0;
    for (size_t i = 0; i < most_bytes; i++) {
        size_t in = i % p->bytes;
        bool field = i < (size_t)count * p->bytes &&
                     (in < p->value || (in >= p->at && in < p->at + p->index));
        n += !field && elements[i] != (char)filling;
    }
    return n;
}

/* Element i is (4, 4 + i) at the target, and (value_sent, value_sent + i) at the origin. */
static int value_sent(int op)
{
    return op == 0 ? 9 : op == 1 ? 1 : 7;
}

enum call { accumulate, get_accumulate, fetch_and_op, ncalls };

static bool is_call(int call, int op, int count)
{
    return call == get_accumulate || (call == accumulate && op != 3) ||
           (call == fetch_and_op && count == 1);
}

/* Where the elements of one combination lie in a window. */
static size_t place_of(const struct pair *p, int op, int call)
{
    return (size_t)(((p - pairs) * nops + op) * ncalls + call) * most_bytes;
}

static void work(const struct area *a, const struct pair *p, int op, int call, int count,
                 int target, char *origin, char *result)
{
    MPI_Aint at = disp_at(a, target, (MPI_Aint)place_of(p, op, call));
    fill(p, origin, in_origin, value_sent(op));
    if (call == accumulate)
        MPI_Accumulate(origin, count, p->type, target, at, count, p->type, op_of(op), a->win);
    else if (call == get_accumulate)
        MPI_Get_accumulate(origin, count, p->type, result, count, p->type, target, at, count,
                           p->type, op_of(op), a->win);
    else
        MPI_Fetch_and_op(origin, result, p->type, target, at, op_of(op), a->win);
}

/* By all ranks, each at its target. */
static void operate(const struct area *a, const struct pair *p, int count, bool exclusive)
{
    static char origins[nops][ncalls][most_bytes], results[nops][ncalls][most_bytes];
    int target = (rank + 1) % nranks;
    memset(results, in_result, sizeof results);
    MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, a->win);
    for (int op = 0; op < nops; op++)
        for (int call = 0; call < ncalls; call++)
            if (is_call(call, op, count))
                work(a, p, op, call, count, target, origins[op][call], results[op][call]);
    MPI_Win_unlock(target, a->win);
    for (int op = 0; op < nops; op++)
        for (int call = get_accumulate; call < ncalls; call++) {
            int n = is_call(call, op, count) ? count : 0,
                wrong = disturbed(p, results[op][call], n, in_result);
            for (int i = 0; i < n; i++)
                CHECK(p->holds(results[op][call] + (size_t)i * p->bytes, 4, 4 + i),
                      "%s, %s of %d %s: result %d", kind_names[a->kind], op_names[op], count,
                      p->name, i);
            CHECK(wrong == 0, "%s, %s of %d %s: %d bytes of padding overwritten in the result",
                  kind_names[a->kind], op_names[op], count, p->name, wrong);
        }
}

static void verify(const struct area *a, const struct pair *p, int count)
{
    for (int op = 0; op < nops; op++)
        for (int call = 0; call < ncalls; call++) {
            const char *elements = (const char *)a->base + place_of(p, op, call);
            int value = is_call(call, op, count) && op != 3 ? value_sent(op) : 4,
                wrong = disturbed(p, elements, most, in_target);
            for (int i = 0; i < count; i++)
                CHECK(p->holds(elements + (size_t)i * p->bytes, value, value + i),
                      "%s, %s of %d %s: target's element %d", kind_names[a->kind], op_names[op],
                      count, p->name, i);
            CHECK(wrong == 0, "%s, %s of %d %s: %d bytes of padding overwritten at the target",
                  kind_names[a->kind], op_names[op], count, p->name, wrong);
        }
}

static void every_call(enum kind kind, int count, bool exclusive)
{
    struct area a = open_area(kind, (size_t)npairs * nops * ncalls * most_bytes, 1, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a.win);
    for (const struct pair *p = pairs; p < pairs + npairs; p++)
        for (int op = 0; op < nops; op++)
            for (int call = 0; call < ncalls; call++)
                fill(p, (char *)a.base + place_of(p, op, call), in_target, 4);
    MPI_Win_unlock(rank, a.win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const struct pair *p = pairs; p < pairs + npairs; p++)
        operate(&a, p, count, exclusive);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a.win);
    for (const struct pair *p = pairs; p < pairs + npairs; p++)
        verify(&a, p, count);
    MPI_Win_unlock(rank, a.win);
    close_area(&a);
}

/* ---- an owner that stores into the padding meanwhile ---- */

static bool told(void)
{
    int flag = 0;
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (flag)
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return flag;
}

/* Rising numbers into two bytes of each element's padding. How often one was not found again. */
static long store_rising(const struct pair *p, char *elements)
{
    size_t hole = p->value < p->at ? p->value : p->at + p->index;
    uint16_t last[live_elements] = {0};
    long reverted = 0;
    for (int i = 0; i < live_elements; i++)
        memset(elements + (size_t)i * p->bytes + hole, 0, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    do {
        for (int round = 0; round < 1000; round++)
            for (int i = 0; i < live_elements; i++) {
                volatile uint16_t *at =
                    (volatile uint16_t *)(void *)(elements + (size_t)i * p->bytes + hole);
                reverted += *at != last[i];
                *at = ++last[i];
            }
    } while (!told());
    return reverted;
}

static void work_on(const struct area *a, const struct pair *p)
{
    char origin[most_bytes], result[most_bytes];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, a->win);
    for (int i = 0; i < 20000; i++) {
        fill(p, origin, in_origin, i);
        MPI_Accumulate(origin, live_elements, p->type, 1, disp_at(a, 1, 0), live_elements, p->type,
                       i % 3 ? MPI_MAXLOC : MPI_REPLACE, a->win);
        MPI_Fetch_and_op(origin, result, p->type, 1, disp_at(a, 1, 0), MPI_REPLACE, a->win);
        MPI_Win_flush(1, a->win);
    }
    MPI_Win_unlock(1, a->win);
    MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

static void live(enum kind kind, const struct pair *p)
{
    struct area a = open_area(kind, most_bytes, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        fill(p, a.base, in_target, 0);
        long reverted = store_rising(p, a.base);
        CHECK(reverted == 0, "%s, %s: what was stored into the padding has gone back %ld times",
              kind_names[kind], p->name, reverted);
    } else if (rank == 0)
        work_on(&a, p);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    close_area(&a);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    const struct pair rows[] = {
        ROW(MPI_SHORT_INT, short_int, short),
        ROW(MPI_DOUBLE_INT, double_int, double),
        ROW(MPI_LONG_INT, long_int, long),
        ROW(MPI_LONG_DOUBLE_INT, long_double_int, long double),
        ROW(MPI_FLOAT_INT, float_int, float)
    };
    /* an owner that has seen a long operation uses no more atomics: that one last */
    const int counts[] = {1, 4, most};
    pairs = rows;
    npairs = sizeof rows / sizeof rows[0];
    for (int kind = 0; kind < nkinds && nranks > 1; kind++)
        live(kind, &rows[0]);
    for (int i = 0; i < 3; i++)
        for (int kind = 0; kind < nkinds; kind++)
            for (int exclusive = 0; exclusive < 2; exclusive++)
                every_call(kind, counts[i], exclusive);
    for (int kind = 0; kind < nkinds && nranks > 1; kind++)
        for (int p = 0; p < 2; p++)
            live(kind, &rows[p]);
    return finish("op_padding");
}
