// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI by wrappers, which reports tell apart by their callers (stack.sh). The comment at
// the end of a line is its name in stack.py. Rank 0 has races with itself, in a window for each
// scene, and ranks 1 and 2 one with each other. Without the asm calls would become jumps.
#include <cstring>
#include <initializer_list>
#include <mpi.h>

static MPI_Win win;
static double data[8];

namespace halo
{

#define APART __attribute__((noinline))

struct Exchange {
    int target;
    inline void put(int at) const
    {
        MPI_Put(data, 1, MPI_DOUBLE, target, at, 1, MPI_DOUBLE, win); // inlined
    }
};

APART void put(int at)
{
    MPI_Put(data, 1, MPI_DOUBLE, 1, at, 1, MPI_DOUBLE, win); // wrapper
    asm volatile("");
}

APART void left()
{
    put(0); // left
    asm volatile("");
}

APART void right()
{
    put(0); // right
    asm volatile("");
}

APART void deep(int levels)
{
    if (levels)
        deep(levels - 1); // deep
    else
        put(16); // bottom
    asm volatile("");
}

} // namespace halo

static void scene(const char *name, int is_own)
{
    double *memory;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, name);
    MPI_Win_fence(0, win);
    if (strcmp(name, "callers") == 0 && rank == 0) {
        halo::left();  // first
        halo::right(); // second
    }
    if (strcmp(name, "inlined") == 0 && rank == 0) {
        const halo::Exchange exchange{1};

        exchange.put(8); // one
        exchange.put(8); // other
    }
    if (strcmp(name, "deep") == 0 && rank == 0) {
        halo::deep(9); // surface
        halo::deep(9); // surface again
    }
    if (!is_own && rank > 0)
        halo::left(); // between
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (const char *name : {"callers", "inlined", "deep"})
        scene(name, 1);  // scenes
    scene("between", 0); // last
    MPI_Finalize();
    return 0;
}
