/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is no page: groups and communicators of the host's, descriptors, threads and mappings. After
 * a thousand windows of all kinds, each with an epoch of each sort and a call that fails, there are
 * as many as after the first few.
 */
#include "window.h"

#include "below.h"
#include <dirent.h>

enum { FEW = 5, ROUNDS = 250 };

struct held {
    int groups, communicators, windows, descriptors, threads, mappings;
};

static struct below *below;

static int entries(const char *path)
{
    DIR *all = need(opendir(path));
    int count = 0;

    while (readdir(all))
        count++;
    closedir(all);
    return count;
}

static int lines(const char *path)
{
    FILE *file = need(fopen(path, "re"));
    int count = 0;

    for (int c = getc(file); c != EOF; c = getc(file))
        count += c == '\n';
    fclose(file);
    return count;
}

static struct held held_now(void)
{
    return (struct held){.groups = below->groups,
                         .communicators = below->communicators,
                         .windows = below->makes - below->frees,
                         .descriptors = entries("/proc/self/fd"),
                         .threads = entries("/proc/self/task"),
                         .mappings = lines("/proc/self/maps")};
}

static void use(struct area *area)
{
    const int right = (rank + 1) % nranks;
    MPI_Group all;
    long one = 1;

    MPI_Win_set_errhandler(area->win, MPI_ERRORS_RETURN);
    MPI_Win_get_group(area->win, &all);
    MPI_Win_fence(0, area->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win);
    MPI_Win_post(all, 0, area->win);
    MPI_Win_start(all, 0, area->win);
    MPI_Put(&one, 1, MPI_LONG, right, disp_at(area, right, 0), 1, MPI_LONG, area->win);
    MPI_Win_complete(area->win);
    MPI_Win_wait(area->win);
    MPI_Group_free(&all);
    below->groups++; /* that one was the program's */
    CHECK(MPI_Win_start(MPI_GROUP_NULL, 0, area->win) != MPI_SUCCESS, "no error");
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, area->win);
    MPI_Accumulate(&one, 1, MPI_LONG, right, disp_at(area, right, 0), 1, MPI_LONG, MPI_SUM,
                   area->win);
    CHECK(MPI_Put(&one, 1, MPI_LONG, nranks, 0, 1, MPI_LONG, area->win) != MPI_SUCCESS, "no error");
    MPI_Win_unlock(right, area->win);
}

static void come_and_go(int rounds)
{
    for (int i = 0; i < rounds; i++)
        for (int kind = 0; kind < nkinds; kind++) {
            struct area area = open_area((enum kind)kind, 64, sizeof(long), MPI_COMM_WORLD);

            use(&area);
            close_area(&area);
        }
}

#define SAME(what) CHECK(now.what == before.what, #what ": %d, %d before", now.what, before.what)

int main(int argc, char **argv)
{
    struct held before, now;

    start(&argc, &argv);
    below = below_find();
    come_and_go(FEW);
    before = held_now();
    come_and_go(ROUNDS);
    now = held_now();
    SAME(groups);
    SAME(communicators);
    SAME(windows);
    SAME(descriptors);
    SAME(threads);
    CHECK(now.mappings < before.mappings + ROUNDS, "mappings: %d, %d before", now.mappings,
          before.mappings);
    return finish("leaks");
}
