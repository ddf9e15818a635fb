/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs all scenes, or those that arguments name, each on a window that is named after it. With
 * --list, which comes first, it prints what is expected of each instead: name, verdict, call, rank,
 * call, rank. Without PROA_CHECK=1 it tests nothing.
 */
#include "cases.h"

#include <stdio.h>
#include <string.h>

int rank;
MPI_Win win;
long *memory;
long buffer[3 * WORDS];

#ifdef THREADS
static const struct scene *const lists[] = {threads};
enum { LEVEL = MPI_THREAD_MULTIPLE };
#elif defined MEMORY
enum { LEVEL = MPI_THREAD_SINGLE };
#ifdef APART
static const struct scene *const lists[] = {local, shapes, flavors, direct};
#else
static const struct scene *const lists[] = {local, shapes, flavors, direct, signals};
#endif
#else
enum { LEVEL = MPI_THREAD_SINGLE };
static const struct scene *const lists[] = {conflicts, orders, atomics,  hidden,  buffers,
                                            syncs,     types,  messages, notified};
#endif
enum { LISTS = sizeof lists / sizeof *lists };

/* ThreadSanitizer tells of an address once, so each scene has memory of its own: windows are freed
 * at the end, and stacks begin APART bytes further down. */
static MPI_Win windows[128];
static int window_count;

/* In one word. */
static void print_call(const char *call, int caller)
{
    putchar(' ');
    for (; *call; call++)
        putchar(*call == ' ' ? '-' : *call);
    printf(" %d", caller);
}

static void list(const struct scene *scene)
{
    const struct report *report = &scene->report;

    printf("%s %s", scene->name, report->verdict ? report->verdict : "none");
    if (report->verdict) {
        print_call(report->first, report->first_rank);
        print_call(report->second, report->second_rank);
    }
    putchar('\n');
}

static void run(const struct scene *scene)
{
    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    memset(memory, 0, WORDS * sizeof(long));
    MPI_Win_set_name(win, scene->name);
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef APART
    volatile char above[++window_count * APART];
    above[0] = 0;
    (void)above[0];
#endif
    scene->run();
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef APART
    windows[window_count - 1] = win;
#else
    MPI_Win_free(&win);
#endif
}

static int is_named(const char *name, char **names)
{
    for (char **at = names; *at; at++)
        if (strcmp(*at, name) == 0)
            return 1;
    return !*names;
}

int main(int argc, char **argv)
{
    const int lists_only = argc > 1 && strcmp(argv[1], "--list") == 0;
    char **names = argv + 1 + lists_only;
    int size, level;

    if (!lists_only) {
        MPI_Init_thread(&argc, &argv, LEVEL, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (size != RANKS || level < LEVEL)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < LISTS; i++)
        for (const struct scene *scene = lists[i]; scene->name; scene++)
            if (!is_named(scene->name, names))
                continue;
            else if (lists_only)
                list(scene);
            else
                run(scene);
    while (window_count > 0)
        MPI_Win_free(&windows[--window_count]);
    if (!lists_only)
        MPI_Finalize();
    return 0;
}
