/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Init splits off the communicator that Proa will need, and MPI_Finalize gives it back, whether
 * there were windows or not.
 *
 *   prepared [window | disabled]
 *
 * window: one is made. disabled: Proa is, and takes nothing of the host's.
 */
#include "check.h"

#include "below.h"

static void use_window(void)
{
    MPI_Win win;
    int *memory;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    CHECK(below_find()->communicators == 1, "a window makes them %d", below_find()->communicators);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int windows = argc > 1 && strcmp(argv[1], "window") == 0,
        wanted = argc > 1 && strcmp(argv[1], "disabled") == 0 ? 0 : 1;
    if (!windows)
        unsetenv("PROA_EXPECT");
    start(&argc, &argv);
    CHECK(below_find()->communicators == wanted,
          "after MPI_Init there are %d communicators, not %d", below_find()->communicators, wanted);
    if (windows)
        use_window();
    int status = finish("prepared");
    if (below_find()->communicators != 0) {
        fprintf(stderr, "rank %d: %d communicators are not given back\n", rank,
                below_find()->communicators);
        status = 1;
    }
    return status;
}
