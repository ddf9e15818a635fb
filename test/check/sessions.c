/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check mode in programs of two ranks that never call MPI_Init (sessions.sh):
 *
 *   race   both put to the same bytes
 *   right  the same one after the other; rank 0 alone has opened and closed another session before
 *   hang   a fence that one rank leaves out; ends once the file is there that PROA_TEST_TOLD names
 *   left   rank 0 puts twice to the same bytes, and exits with status 3 in the middle of its session,
 *          while rank 1 waits for it
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <signal.h>
#include <unistd.h>

static MPI_Session session;
static MPI_Comm comm;
static MPI_Win win;
static long *memory;
static int rank;

static void open_all(void)
{
    MPI_Group group;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "proa.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(64, sizeof(long), MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_set_name(win, "of_session");
}

static void put(MPI_Aint at)
{
    static const long one = 1;

    MPI_Put(&one, 1, MPI_LONG, 0, at, 1, MPI_LONG, win);
}

static void race(void)
{
    MPI_Win_fence(0, win);
    put(0);
    MPI_Win_fence(0, win);
}

static void right(void)
{
    for (int turn = 0; turn < 2; turn++) {
        MPI_Win_fence(0, win);
        if (turn == rank)
            put(0);
    }
    MPI_Win_fence(0, win);
}

static void look(int number)
{
    (void)number;
    if (access(getenv("PROA_TEST_TOLD"), F_OK) == 0)
        _exit(0);
}

static void hang(void)
{
    const struct itimerval often = {{0, 200000}, {0, 200000}};

    signal(SIGALRM, look);
    setitimer(ITIMER_REAL, &often, NULL);
    if (rank == 0)
        MPI_Win_fence(0, win);
    else
        MPI_Barrier(comm);
}

static void left(void)
{
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        put(0);
        put(0);
        exit(3);
    }
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"race", race}, {"right", right}, {"hang", hang}, {"left", left}};
    const char *number = getenv("PMI_RANK");

    if (argc > 1 && strcmp(argv[1], "right") == 0 && number && atoi(number) == 0) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Session_finalize(&session);
    }
    open_all();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            ways[i].run();
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    return MPI_Session_finalize(&session);
}
