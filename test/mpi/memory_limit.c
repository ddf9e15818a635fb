/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a control group with a limit on memory, as a batch system or a container sets it: a larger
 * window is MPI_ERR_NO_MEM on all ranks, one that fits can be filled, memory that the program
 * brings moves and comes back, and no process is killed. Skipped where no group can be made.
 */
#include "window.h"
#include <fcntl.h>
#include <sys/stat.h>

enum { mib = 1 << 20, limit = 384 * mib, fitting = 32 * mib };
static const MPI_Aint larger = 1l << 30;

/* ---- the group ---- */

/* Where groups for memory are made, the name of the limit there, and the line of /proc/self/cgroup
 * that tells in which we are. */
static const struct hierarchy {
    const char *folder, *limit, *line;
} hierarchies[] = {{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", ":memory:"},
                   {"/sys/fs/cgroup", "memory.max", "0::"}};

static int put_number(const char *folder, const char *file, long number)
{
    char path[400], text[32];
    int length = snprintf(text, sizeof text, "%ld", number);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int fd = open(path, O_WRONLY);
    int done = fd >= 0 && write(fd, text, (size_t)length) == length;
    if (fd >= 0)
        close(fd);
    return done;
}

/* The folder of the group that this process is in. */
static void find_own(const struct hierarchy *h, char *own, size_t room)
{
    char line[300];
    FILE *file = fopen("/proc/self/cgroup", "r");
    snprintf(own, room, "%s", h->folder);
    while (file && fgets(line, sizeof line, file)) {
        const char *found = strstr(line, h->line);
        line[strcspn(line, "\n")] = '\0';
        if (found)
            snprintf(own, room, "%s%s", h->folder, found + strlen(h->line));
    }
    if (file)
        fclose(file);
}

/* Makes a group with the limit. Which hierarchy it is in; -1: none could be made. */
static int make_group(char *group, size_t room)
{
    for (int i = 0; i < 2; i++) {
        snprintf(group, room, "%s/proa-test-%d", hierarchies[i].folder, (int)getpid());
        if (mkdir(group, 0700) != 0)
            continue;
        if (put_number(group, hierarchies[i].limit, limit))
            return i;
        rmdir(group);
    }
    return -1;
}

/* ---- in it ---- */

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

static void refused(void)
{
    void *base = NULL;
    MPI_Win win = MPI_WIN_NULL;
    int code = MPI_Win_allocate(larger, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    CHECK(class_of(code) == MPI_ERR_NO_MEM, "a window that is too large: class %d", class_of(code));
    code = MPI_Alloc_mem(larger, MPI_INFO_NULL, &base);
    CHECK(class_of(code) == MPI_ERR_NO_MEM, "MPI_Alloc_mem: class %d", class_of(code));
}

/* All of it is touched, by its owner and by a neighbour. */
static void fits(enum kind kind)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    struct area a = open_area(kind, fitting, 1, MPI_COMM_WORLD);
    char *values = need(malloc(fitting));
    memset(values, rank + 1, fitting);
    MPI_Win_fence(0, a.win);
    MPI_Put(values, fitting, MPI_CHAR, right, disp_at(&a, right, 0), fitting, MPI_CHAR, a.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
    CHECK(memcmp(a.base, memset(values, left + 1, fitting), fitting) == 0, "%s: put is not there",
          kind_names[kind]);
    free(values);
    close_area(&a);
}

int main(int argc, char **argv)
{
    char group[200] = "", own[400];
    int which = -1, in = 0, all = 0;
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return skip("sanitizers keep freed memory");
#endif
    if (rank == 0)
        which = make_group(group, sizeof group);
    MPI_Bcast(&which, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (which < 0)
        return skip("no control group can be made here");
    MPI_Bcast(group, sizeof group, MPI_CHAR, 0, MPI_COMM_WORLD);
    find_own(&hierarchies[which], own, sizeof own);
    in = put_number(group, "cgroup.procs", getpid());
    MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    for (int turn = 0; turn < 2 && all; turn++) {
        for (int kind = 0; kind < nkinds; kind++)
            fits(kind);
        refused();
    }
    put_number(own, "cgroup.procs", getpid());
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        rmdir(group);
    return all ? finish("memory_limit") : skip("the control group takes no processes");
}
