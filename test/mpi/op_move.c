/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get of every predefined type, to the neighbour and to the rank itself: the value that
 * arrives is the one that was sent. */
#include "types.h"
#include "window.h"

enum { count = 6, max_bytes = 32 };

static struct basic *types;
static int ntypes;

static size_t row_of(int type, int source)
{
    return ((size_t)type * 2 + (size_t)source) * count * max_bytes;
}
static int value_of(int who, int type, int i)
{
    return (who + 3 * type + i) % 7;
}

static void fill(char *row, int type, int who)
{
    for (int i = 0; i < count; i++)
        types[type].set(row + (size_t)i * types[type].bytes, value_of(who, type, i));
}

static void check_row(const struct area *a, const char *row, int type, int who, const char *what)
{
    char expected[max_bytes];
    const struct basic *t = &types[type];
    for (int i = 0; i < count; i++) {
        t->set(expected, value_of(who, type, i));
        CHECK(t->equal(row + (size_t)i * t->bytes, expected), "%s: %s of %s, element %d",
              kind_names[a->kind], what, t->name, i);
    }
}

/* Source 0 is the left neighbour, 1 the rank itself. */
static void run_area(struct area *a, char *sent, char *got)
{
    const int targets[2] = {(rank + 1) % nranks, rank},
              sources[2] = {(rank + nranks - 1) % nranks, rank};
    MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
    for (int type = 0; type < ntypes; type++)
        for (int s = 0; s < 2; s++) {
            fill(sent + row_of(type, s), type, rank);
            MPI_Put(sent + row_of(type, s), count, types[type].type, targets[s],
                    disp_at(a, targets[s], (MPI_Aint)row_of(type, s)), count, types[type].type,
                    a->win);
        }
    MPI_Win_fence(0, a->win);
    for (int type = 0; type < ntypes; type++)
        for (int s = 0; s < 2; s++)
            MPI_Get(got + row_of(type, s), count, types[type].type, targets[s],
                    disp_at(a, targets[s], (MPI_Aint)row_of(type, s)), count, types[type].type,
                    a->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, a->win);
    for (int type = 0; type < ntypes; type++)
        for (int s = 0; s < 2; s++) {
            check_row(a, (const char *)a->base + row_of(type, s), type, sources[s], "put");
            check_row(a, got + row_of(type, s), type, rank, "get");
        }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    types = basic_types(&ntypes);
    size_t bytes = row_of(ntypes, 0);
    char *sent = need(malloc(bytes)), *got = need(malloc(bytes));
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, bytes, 1, MPI_COMM_WORLD);
        memset(got, 0, bytes);
        run_area(&a, sent, got);
        close_area(&a);
    }
    free(sent);
    free(got);
    free(types);
    return finish("op_move");
}
