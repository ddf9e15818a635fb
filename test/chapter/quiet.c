/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without one-sided communication, which tells what its process holds after it has used
 * the rest of MPI (quiet.sh compares).
 *
 *   quiet [window]
 *
 * window: makes one after all, to see that what is looked for is there to be found.
 */
#include "check.h"
#include <dirent.h>

static void talk(void)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, got = -1, sum = 0;
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, twin, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, twin);
    CHECK(got == left && sum == nranks * (nranks - 1) / 2, "messages bring %d and %d", got, sum);
    MPI_Comm_free(&twin);
}

static int count_threads(void)
{
    int n = 0;
    DIR *list = opendir("/proc/self/task");
    for (struct dirent *entry; list && (entry = readdir(list));)
        n += entry->d_name[0] != '.';
    if (list)
        closedir(list);
    return n;
}

/* Open files whose path has `text` in it. */
static int count_files(const char *text)
{
    int n = 0;
    char path[300], target[400];
    DIR *list = opendir("/proc/self/fd");
    for (struct dirent *entry; list && (entry = readdir(list));) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        n += strstr(target, text) != NULL;
    }
    if (list)
        closedir(list);
    return n;
}

/* Mappings of files whose name, without its folder, begins with `text`. */
static int count_mappings(const char *text)
{
    int n = 0;
    char line[600];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        const char *slash = strrchr(line, '/');
        n += slash && strncmp(slash + 1, text, strlen(text)) == 0;
    }
    if (maps)
        fclose(maps);
    return n;
}

int main(int argc, char **argv)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base;
    start(&argc, &argv);
    if (argc > 1)
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    talk();
    if (rank == 0)
        printf("library %s\nthreads %d\nfiles %d\nmemory %d\n",
               count_mappings("libproa-") ? "there" : "not there", count_threads(),
               count_files("proa"), count_mappings("memfd:proa"));
    fflush(stdout);
    if (win != MPI_WIN_NULL)
        MPI_Win_free(&win);
    MPI_Finalize();
    return check_failures != 0;
}
