/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks may do to a launcher, for the tests of `proa run`:
 *
 *   act abort   rank 1 dies of a signal
 *   act copy    rank 0 copies its standard input to its standard output
 *   act sleep   all say "asleep" and sleep for a minute
 */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void die(void)
{
    raise(SIGKILL);
}

static int copy(void)
{
    char bytes[4096];
    ssize_t got;

    while ((got = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        if (write(STDOUT_FILENO, bytes, (size_t)got) != got)
            return 1;
    return 0;
}

static int say_and_sleep(void)
{
    if (write(STDOUT_FILENO, "asleep\n", strlen("asleep\n")) < 0)
        return 1;
    sleep(60);
    return 0;
}

int main(int argc, char **argv)
{
    int rank, status = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 2 && strcmp(argv[1], "abort") == 0) {
        if (rank == 1)
            die();
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (argc == 2 && strcmp(argv[1], "copy") == 0) {
        status = rank == 0 ? copy() : 0;
    } else if (argc == 2 && strcmp(argv[1], "sleep") == 0) {
        status = say_and_sleep();
    }
    MPI_Finalize();
    return status;
}
