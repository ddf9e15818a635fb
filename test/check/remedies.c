/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `remedies wrong` runs all wrong programs, each on a window that has its name, and `remedies
 * applied` the same ones, once for each remedy that is proposed. With --list it prints name, level,
 * and remedy of each.
 */
#include "remedies.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int rank;
MPI_Win win;
long *memory;
long buffer[3 * WORDS];

static const struct ill *const lists[] = {ill_accesses, ill_loads, ill_uses};
enum { LISTS = sizeof lists / sizeof *lists };

MPI_Group ranks_of(int count, const int *ranks)
{
    MPI_Group all, group;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, count, ranks, &group);
    MPI_Group_free(&all);
    return group;
}

void name_as_this(MPI_Win other)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    MPI_Win_get_name(win, name, &length);
    MPI_Win_set_name(other, name);
}

/* Each side of a named pipe is open when the other one is. */
static char pipe_name[64];

void order_unseen(int before, int after)
{
    if (rank == before || rank == after)
        close(open(pipe_name, (rank == before ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
}

static void pipe_begin(void)
{
    int number = (int)getpid();

    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(pipe_name, sizeof pipe_name, "/tmp/proa-remedies-%d", number);
    if (rank == 0 && mkfifo(pipe_name, 0600) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void pipe_end(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(pipe_name);
}

static void run(const struct ill *ill, int applied)
{
    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    memset(memory, 0, WORDS * sizeof(long));
    MPI_Win_set_name(win, ill->name);
    MPI_Barrier(MPI_COMM_WORLD);
    ill->run(applied);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

static void run_all(int is_applied)
{
    const char *level = getenv("PROA_CHECK");
    const int has_local = level && strcmp(level, "memory") == 0;

    for (int i = 0; i < LISTS; i++)
        for (const struct ill *ill = lists[i]; ill->name; ill++)
            if (is_applied)
                for (int applied = 1; applied <= ill->proposals; applied++)
                    run(ill, applied);
            else if (has_local || !ill->is_local)
                run(ill, 0);
}

static void list_all(void)
{
    for (int i = 0; i < LISTS; i++)
        for (const struct ill *ill = lists[i]; ill->name; ill++)
            printf("%s %s %s\n", ill->name, ill->is_local ? "memory" : "calls", ill->remedy);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int size;

    if (strcmp(way, "--list") == 0) {
        list_all();
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    pipe_begin();
    run_all(strcmp(way, "applied") == 0);
    pipe_end();
    MPI_Finalize();
    return 0;
}
