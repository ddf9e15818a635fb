/* SPDX-License-Identifier: BSD-3-Clause */
/* A mistake, and what is said of it: a put to a rank that is not in the group given to
 * MPI_Win_start. With a handler that returns, the program goes on, and asks for the sentence. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, *window, length, code;
    const int value = 7, nobody[] = {0};
    char text[MPI_MAX_ERROR_STRING];
    MPI_Group all, group;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    MPI_Win_set_name(win, "halo");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, nobody, &group); /* rank 0 alone, with itself */

    code = MPI_SUCCESS;
    if (rank == 0) {
        MPI_Win_post(group, 0, win);
        MPI_Win_start(group, 0, win);
        code = MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    if (code != MPI_SUCCESS) {
        MPI_Error_string(code, text, &length);
        printf("mistake: %s\n", text);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Finalize();
    return rank == 0 && code == MPI_SUCCESS;
}
