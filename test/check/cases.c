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

#ifdef SESSIONS
MPI_Comm session_comm;
static const struct scene *const lists[] = {orders, values};
enum { LEVEL = MPI_THREAD_SINGLE };
#elif defined THREADS
static const struct scene *const lists[] = {threads};
enum { LEVEL = MPI_THREAD_MULTIPLE };
#elif defined MEMORY
enum { LEVEL = MPI_THREAD_SINGLE };
static const struct scene *const lists[] = {local,   shapes, flavors, direct,
                                            signals, polls,  futexes};
#else
enum { LEVEL = MPI_THREAD_SINGLE };
static const struct scene *const lists[] = {conflicts, orders,   atomics,  hidden, buffers, syncs,
                                            types,     messages, notified, values, locks,   given};
#endif
enum { LISTS = sizeof lists / sizeof *lists };

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
    scene->run();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

static int is_named(const char *name, char **names)
{
    for (char **at = names; *at; at++)
        if (strcmp(*at, name) == 0)
            return 1;
    return !*names;
}

#ifdef SESSIONS
static MPI_Session session;

static int begin(int *argc, char ***argv)
{
    MPI_Group group;

    (void)argc, (void)argv;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "proa.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                               &session_comm);
    MPI_Group_free(&group);
    return LEVEL;
}

static void end(void)
{
    MPI_Comm_free(&session_comm);
    MPI_Session_finalize(&session);
}
#else
static int begin(int *argc, char ***argv)
{
    int level;

    MPI_Init_thread(argc, argv, LEVEL, &level);
    return level;
}

static void end(void)
{
    MPI_Finalize();
}
#endif

int main(int argc, char **argv)
{
    const int lists_only = argc > 1 && strcmp(argv[1], "--list") == 0;
    char **names = argv + 1 + lists_only;
    int size;

    if (!lists_only) {
        const int level = begin(&argc, &argv);

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
    if (!lists_only)
        end();
    return 0;
}
