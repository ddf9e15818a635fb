/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server that spawns a child, has a window with it, and disconnects, again and again: of children
 * that have ended nothing is kept mapped but of the last one. Skipped where the host cannot spawn.
 * Open MPI 4.1.4 by itself now and then never comes back from it: the child waits in PMIx_Init, the
 * parent in PMIx_Lookup, before either has got to Proa. Hence few rounds, and a limit on that call
 * alone.
 */
#include "window.h"
#include <errno.h>
#include <signal.h>
#include <time.h>

enum { rounds = 2, spawn_s = 20, skipped = 77 };

static int mappings(void)
{
    char line[600];
    int count = 0;
    FILE *maps = need(fopen("/proc/self/maps", "r"));
    while (fgets(line, sizeof line, maps))
        count += strstr(line, "memfd:proa") != NULL;
    fclose(maps);
    return count;
}

static void put_to_each_other(MPI_Comm merged)
{
    int me, value, got;
    MPI_Comm_rank(merged, &me);
    value = 100 + me;
    struct area a = open_area(kind_allocate, 64, sizeof(int), merged);
    MPI_Win_fence(0, a.win);
    MPI_Put(&value, 1, MPI_INT, 1 - me, 1, 1, MPI_INT, a.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
    got = ((int *)a.base)[1];
    CHECK(got == 100 + 1 - me, "put brings %d", got);
    close_area(&a);
}

/* One that has ended and is not waited for, as by MPICH 5's Hydra, holds nothing any more. */
static int is_zombie(long pid)
{
    char path[40], line[600] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *stat = fopen(path, "r");
    if (!stat)
        return 0;
    char *end = fgets(line, sizeof line, stat) ? strrchr(line, ')') : NULL;
    fclose(stat);
    return end && strncmp(end, ") Z", 3) == 0;
}

static void wait_for_end(long pid)
{
    const struct timespec pause = {0, 1000000};
    while ((kill((pid_t)pid, 0) == 0 || errno != ESRCH) && !is_zombie(pid))
        nanosleep(&pause, NULL);
}

static void spawn_hangs(int number)
{
    static const char text[] = "skipped: the host's MPI_Comm_spawn does not return\n";
    (void)number;
    _exit(write(1, text, sizeof text - 1) < 0 ? 1 : skipped);
}

static int child(MPI_Comm parent)
{
    MPI_Comm merged;
    long pid = getpid();
    MPI_Intercomm_merge(parent, 1, &merged);
    put_to_each_other(merged);
    MPI_Send(&pid, 1, MPI_LONG, 0, 0, merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&parent);
    return finish("spawn_often, the spawned");
}

int main(int argc, char **argv)
{
    MPI_Comm parent, merged;
    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(parent);
    signal(SIGALRM, spawn_hangs);
    for (int i = 0; i < rounds; i++) {
        long pid;
        alarm(spawn_s);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        if (MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &parent,
                           MPI_ERRCODES_IGNORE) != MPI_SUCCESS)
            return skip("the host cannot spawn here");
        alarm(0);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
        MPI_Intercomm_merge(parent, 0, &merged);
        put_to_each_other(merged);
        MPI_Recv(&pid, 1, MPI_LONG, 1, 0, merged, MPI_STATUS_IGNORE);
        MPI_Comm_free(&merged);
        MPI_Comm_disconnect(&parent);
        wait_for_end(pid);
        CHECK(mappings() <= 2, "after %d children: %d mappings", i + 1, mappings());
    }
    return finish("spawn_often");
}
