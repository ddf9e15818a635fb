/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the kernel gives no memfd (run by confined.c): every window is the host's, and works. */
#include "window.h"
#include <sys/mman.h>

enum { words = 1000 };

static void use(enum kind kind)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, value = 100 + rank;
    struct area a = open_area(kind, words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
    MPI_Win_fence(0, a.win);
    MPI_Put(&value, 1, MPI_INT, right, disp_at(&a, right, 7), 1, MPI_INT, a.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
    CHECK(((int *)a.base)[7] == 100 + left, "%s: put brings %d", kind_names[kind],
          ((int *)a.base)[7]);
    close_area(&a);
}

static unsigned long served(void)
{
    unsigned long (*count)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    memcpy(&count, &symbol, sizeof count);
    return count ? count() : 0;
}

int main(int argc, char **argv)
{
    int *memory = NULL;
    start(&argc, &argv);
    if (memfd_create("none", MFD_CLOEXEC) >= 0)
        return skip("there is a memfd");
    for (int turn = 0; turn < 3; turn++)
        for (int kind = 0; kind < nkinds; kind++)
            if (host_makes((enum kind)kind, MPI_COMM_WORLD))
                use((enum kind)kind);
    CHECK(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &memory) == MPI_SUCCESS, "no memory");
    memset(memory, 1, 1 << 20);
    MPI_Free_mem(memory);
    CHECK(served() == 0, "%lu windows are Proa's", served());
    unsetenv("PROA_EXPECT"); /* so it is meant */
    return finish("no_memfd");
}
