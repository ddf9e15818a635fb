/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows on a communicator that was made from a group of a session (MPI-4.0, 11.3), without
 * MPI_Init and beside it.
 *
 *   session alone | again | beside
 *
 * again: a second session when the first has ended.
 */
#include "window.h"

static MPI_Comm comm_of(MPI_Session session)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "proa.test.session", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                               &comm);
    MPI_Group_free(&group);
    return comm;
}

static void exchange(MPI_Comm comm)
{
    int *memory = NULL, me, n, value;
    MPI_Win win;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    value = 300 + me;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (me + 1) % n, 2, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[2] == 300 + (me + n - 1) % n, "put and fence bring %d", memory[2]);
    MPI_Win_free(&win);
}

/* Without the world model finish() cannot be used: it needs MPI_COMM_WORLD. */
static int alone(const char *name)
{
    MPI_Session session;
    long total = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm comm = comm_of(session);
    exchange(comm);
    MPI_Comm_rank(comm, &rank);
    check_served();
    MPI_Allreduce(&check_failures, &total, 1, MPI_LONG, MPI_SUM, comm);
    if (rank == 0)
        printf(total ? "FAILED session %s: %ld checks\n" : "ok session %s\n", name, total);
    fflush(stdout);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return total != 0;
}

int main(int argc, char **argv)
{
    MPI_Session session;
    if (argc > 1 && strcmp(argv[1], "alone") == 0)
        return alone("alone");
    if (argc > 1 && strcmp(argv[1], "again") == 0)
        return alone("the first") | alone("the second");
    start(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm comm = comm_of(session);
    exchange(comm); /* the only windows: finish() sees whether they were Proa's */
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return finish("session beside the world");
}
