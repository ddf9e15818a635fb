/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes one mistake under the error handler that every window and communicator has from the start,
 * MPI_ERRORS_ARE_FATAL: the program must not live to print its last line (fatal.sh looks).
 *
 *   fatal put | abort | unset | set | create | null | end
 *
 * abort: the put under MPI_ERRORS_ABORT, where the host has that. unset, set: the put with
 * MPI_ERRORS_RETURN on MPI_COMM_WORLD, without an error handler that the program has set for the
 * window; and with MPI_ERRORS_ARE_FATAL. end: the put with MPI_ERRORS_RETURN, and MPI_Abort.
 */
#include "window.h"

int main(int argc, char **argv)
{
    static const int value = 1;
    void *base;
    MPI_Win bad = MPI_WIN_NULL;
    start(&argc, &argv);
    const char *mistake = argc > 1 ? argv[1] : "";
    struct area a = open_area(kind_allocate, 64, 4, MPI_COMM_WORLD);
    MPI_Win_set_name(a.win, "halo");
#ifdef HAS_ERRORS_ABORT
    if (strcmp(mistake, "abort") == 0)
        MPI_Win_set_errhandler(a.win, MPI_ERRORS_ABORT);
#endif
    if (strcmp(mistake, "unset") == 0 || strcmp(mistake, "set") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(mistake, "set") == 0)
        MPI_Win_set_errhandler(a.win, MPI_ERRORS_ARE_FATAL);
    if (strcmp(mistake, "end") == 0)
        MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
    if (strcmp(mistake, "create") != 0 && strcmp(mistake, "null") != 0)
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, a.win);
    else if (strcmp(mistake, "create") == 0)
        MPI_Win_allocate(-8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &bad);
    else if (strcmp(mistake, "null") == 0)
        MPI_Win_fence(0, MPI_WIN_NULL);
    if (strcmp(mistake, "end") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1; /* where two ranks abort the job, that of MPICH 4.2 may return */
    }
    printf("still here\n");
    close_area(&a);
    return finish("fatal");
}
