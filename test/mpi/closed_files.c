/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that closes files by number, Proa's among them, and opens its own there: its files stay
 * as they are, and a window that needs a file which is lost is the host's, for all ranks.
 */
#include "window.h"
#include <dirent.h>

enum { bytes = 100 << 20 }; /* more than the first segment holds */

/* The highest number of a file of Proa's; -1 if there is none. */
static int last_file(void)
{
    char path[300], name[300];
    DIR *folder = need(opendir("/proc/self/fd"));
    int last = -1;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(path, name, sizeof name - 1);
        if (length > 0 && strncmp(name, "/memfd:proa", strlen("/memfd:proa")) == 0 &&
            atoi(entry->d_name) > last)
            last = atoi(entry->d_name);
    }
    closedir(folder);
    return last;
}

/* Numbers that the kernel's table of this process's files has room for. */
static int files_room(void)
{
    char line[200];
    int room = -1;
    FILE *status = need(fopen("/proc/self/status", "r"));
    while (fgets(line, sizeof line, status) && sscanf(line, "FDSize: %d", &room) != 1)
        continue;
    fclose(status);
    return room;
}

/* A file of the program's, as long as the window, under the number of the segment that the window
 * will need. */
static int put_own_file(void)
{
    int number = last_file();
    char name[] = "/tmp/closed_files_XXXXXX";
    int fd = mkstemp(name);
    CHECK(number >= 0, "no file of Proa's is open");
    CHECK(number > 100, "Proa's file is number %d, in the way of the program's", number);
    unlink(name);
    CHECK(ftruncate(fd, 4 * (off_t)bytes) == 0, "ftruncate fails");
    CHECK(dup2(fd, number) == number, "dup2 fails");
    return fd;
}

static void check_own_file(int fd)
{
    static char block[1 << 16];
    long wrong = 0;
    CHECK(lseek(fd, 0, SEEK_DATA) < 0, "something was written to the program's file at %ld",
          (long)lseek(fd, 0, SEEK_DATA));
    for (int i = 0; i < 16; i++) {
        ssize_t got = pread(fd, block, sizeof block, (off_t)i * bytes / 16);
        for (ssize_t k = 0; k < got; k++)
            wrong += block[k] != 0;
    }
    CHECK(wrong == 0, "%ld bytes of the program's file have changed", wrong);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, value = 100 + rank,
        *memory;
    int room = files_room(); /* with threads it takes the kernel 12 ms to make more */
    /* Proa's, and all are attached */
    struct area first = open_area(kind_allocate, 64, sizeof(int), MPI_COMM_WORLD);
    MPI_Win win;
    CHECK(last_file() < room, "file %d, and there was room for %d", last_file(), room);
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory);
    memset(memory, 0, bytes);
    int own = put_own_file();
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_create(memory, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, right, bytes / 8, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(memory[bytes / 8] == 100 + left, "put brings %d", memory[bytes / 8]);
    MPI_Win_free(&win);
    MPI_Free_mem(memory);
    MPI_Barrier(MPI_COMM_WORLD);
    check_own_file(own);

    MPI_Win_fence(0, first.win); /* memory that all have mapped goes on */
    MPI_Put(&value, 1, MPI_INT, right, 1, 1, MPI_INT, first.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, first.win);
    CHECK(((int *)first.base)[1] == 100 + left, "put into the first window brings %d",
          ((int *)first.base)[1]);
    close_area(&first);
    return finish("closed_files");
}
