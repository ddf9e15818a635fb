/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks have unlike settings: they make, use and free windows all the same.
 *
 *   unlike_settings NAME VALUE
 *
 * The first rank has that setting, and the others have not.
 */
#include "window.h"

/* Before MPI_Init: the launcher's number. */
static int is_first(void)
{
    const char *mpich = getenv("PMI_RANK"), *openmpi = getenv("OMPI_COMM_WORLD_RANK"),
               *number = mpich ? mpich : openmpi;

    return number && strcmp(number, "0") == 0;
}

static void use(struct area *area)
{
    const int right = (rank + 1) % nranks;
    long value = 1 + rank, sum = 0;

    MPI_Win_lock_all(0, area->win);
    MPI_Fetch_and_op(&value, &sum, MPI_LONG, right, disp_at(area, right, 0), MPI_SUM, area->win);
    MPI_Win_unlock_all(area->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, area->win);
    MPI_Get(&sum, 1, MPI_LONG, right, disp_at(area, right, 0), 1, MPI_LONG, area->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win);
    CHECK(sum == value, "%ld", sum);
}

int main(int argc, char **argv)
{
    if (argc == 3 && is_first())
        setenv(argv[1], argv[2], 1);
    start(&argc, &argv);
    for (int round = 0; round < 3; round++)
        for (int kind = 0; kind < nkinds; kind++) {
            struct area area = open_area((enum kind)kind, 64, sizeof(long), MPI_COMM_WORLD);

            use(&area);
            close_area(&area);
        }
    check_served();
    return finish("unlike_settings");
}
