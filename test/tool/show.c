/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says what a rank was given, for the tests of `proa run`: one line per rank with its LD_PRELOAD,
 * whether the stand-in for Proa's library is loaded, PROA_TOOL_TEST, and every argument between
 * angle brackets. `--exit N` makes N the exit status.
 */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *text_or_none(const char *text)
{
    return text ? text : "none";
}

int main(int argc, char **argv)
{
    char line[8192];
    int rank, size, status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int length =
        snprintf(line, sizeof line,
                 "rank %d of %d preload=[%s] loaded=[%s] variable=[%s] session=[%s] "
                 "arguments=",
                 rank, size, text_or_none(getenv("LD_PRELOAD")),
                 text_or_none(dlsym(RTLD_DEFAULT, "proa_tool_stand_in")),
                 text_or_none(getenv("PROA_TOOL_TEST")), getsid(0) == getpid() ? "own" : "shared");
    for (int i = 1; i < argc; i++) {
        length += snprintf(line + length, sizeof line - (size_t)length, "<%s>", argv[i]);
        if (strcmp(argv[i], "--exit") == 0 && i + 1 < argc)
            status = atoi(argv[i + 1]);
    }
    length += snprintf(line + length, sizeof line - (size_t)length, "\n");
    /* at once, so that lines of ranks do not mix */
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        status = EXIT_FAILURE;
    MPI_Finalize();
    return status;
}
