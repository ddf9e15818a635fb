/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiling tool (tool.c) sees every MPI_Put of the program, and Proa does the work, for each way
 * to load them: preloading, in either order, or the order of libraries at linking.
 */
#include "window.h"

static int puts_seen(void)
{
    int (*seen)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "proa_test_puts_seen");
    memcpy(&seen, &symbol, sizeof seen);
    return seen ? seen() : -1;
}

int main(int argc, char **argv)
{
    enum { rounds = 5 };
    int puts = 0;
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 64, 4, MPI_COMM_WORLD);
        for (int i = 0; i < rounds; i++, puts++) {
            int value = 10 * i + rank, right = (rank + 1) % nranks;
            MPI_Win_fence(0, a.win);
            MPI_Put(&value, 1, MPI_INT, right, disp_at(&a, right, i), 1, MPI_INT, a.win);
            MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
            CHECK(((int *)a.base)[i] == 10 * i + (rank + nranks - 1) % nranks, "%s: put brings %d",
                  kind_names[kind], ((int *)a.base)[i]);
        }
        close_area(&a);
    }
    CHECK(puts_seen() == puts, "the tool has seen %d of %d puts", puts_seen(), puts);
    return finish("profile");
}
