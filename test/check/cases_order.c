/* SPDX-License-Identifier: BSD-3-Clause */
/* What orders two origins, and what does not: each puts to the same word. */
#include "cases.h"

#include <string.h>

static INLINE void put_done(MPI_Aint at)
{
    put(TARGET, at);
    MPI_Win_flush(TARGET, win);
}

/* ---- the host's messages ---- */

static INLINE void message(int from, int to)
{
    if (rank == from)
        MPI_Send(NULL, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    if (rank == to)
        MPI_Recv(NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void right_send(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(0);
    message(FIRST, SECOND);
    if (rank == SECOND)
        put_done(0);
    MPI_Win_unlock_all(win);
}

/* The message goes before the put. */
static void wrong_send_early(void)
{
    MPI_Win_lock_all(0, win);
    message(FIRST, SECOND);
    if (rank != TARGET)
        put_done(0);
    MPI_Win_unlock_all(win);
}

static void right_send_on(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(1);
    message(FIRST, TARGET);
    message(TARGET, SECOND);
    if (rank == SECOND)
        put_done(1);
    MPI_Win_unlock_all(win);
}

/* Told, and not complete. */
static void wrong_send_without_flush(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put(TARGET, 1);
    message(FIRST, SECOND);
    if (rank == SECOND)
        put_done(1);
    MPI_Win_unlock_all(win);
}

static void right_isend(void)
{
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put_done(2);
        MPI_Isend(NULL, 0, MPI_BYTE, SECOND, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == SECOND) {
        MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        put_done(2);
    }
    MPI_Win_unlock_all(win);
}

static void right_persistent(void)
{
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put_done(2);
        MPI_Send_init(NULL, 0, MPI_BYTE, SECOND, 0, MPI_COMM_WORLD, &request);
    }
    if (rank == SECOND)
        MPI_Recv_init(NULL, 0, MPI_BYTE, FIRST, 0, MPI_COMM_WORLD, &request);
    if (rank != TARGET) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (rank == SECOND)
        put_done(2);
    MPI_Win_unlock_all(win);
}

static void right_sendrecv(void)
{
    long mine = 0, theirs;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(2);
    if (rank != TARGET)
        MPI_Sendrecv(&mine, 1, MPI_LONG, FIRST + SECOND - rank, 0, &theirs, 1, MPI_LONG,
                     FIRST + SECOND - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == SECOND)
        put_done(2);
    MPI_Win_unlock_all(win);
}

/* ---- the host's collectives ---- */

static void right_barrier(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(3);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == SECOND)
        put_done(3);
    MPI_Win_unlock_all(win);
}

static void wrong_barrier_early(void)
{
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != TARGET)
        put_done(3);
    MPI_Win_unlock_all(win);
}

static void wrong_barrier_of_others(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, rank == SECOND, 0, &comm);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(3);
    MPI_Barrier(comm);
    if (rank == SECOND)
        put_done(3);
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&comm);
}

static void right_ibarrier(void)
{
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(4);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == SECOND)
        put_done(4);
    MPI_Win_unlock_all(win);
}

static void right_allreduce(void)
{
    long mine = 1, sum;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(4);
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == SECOND)
        put_done(4);
    MPI_Win_unlock_all(win);
}

static void right_bcast(void)
{
    long word = 1;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(5);
    MPI_Bcast(&word, 1, MPI_LONG, FIRST, MPI_COMM_WORLD);
    if (rank == SECOND)
        put_done(5);
    MPI_Win_unlock_all(win);
}

/* It comes from another root. */
static void wrong_bcast_of_target(void)
{
    long word = 1;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(5);
    MPI_Bcast(&word, 1, MPI_LONG, TARGET, MPI_COMM_WORLD);
    if (rank == SECOND)
        put_done(5);
    MPI_Win_unlock_all(win);
}

static void right_reduce(void)
{
    long mine = 1, sum;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(5);
    MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, SECOND, MPI_COMM_WORLD);
    if (rank == SECOND)
        put_done(5);
    MPI_Win_unlock_all(win);
}

static void right_split(void)
{
    MPI_Comm comm;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(6);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    if (rank == SECOND)
        put_done(6);
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&comm);
}

/* MPICH over UCX opens no port, or ends a program that connects to one (doc/HOSTS.md). */
static int host_has_ports(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(version, &length);
    return !strstr(version, "MPICH");
}

/* Processes of this job meet as strangers. */
static void right_accept(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, both;

    if (!host_has_ports())
        return;
    if (rank == FIRST)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, FIRST, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank == SECOND, rank, &half);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(6);
    if (rank == SECOND)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &both);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, FIRST, half, &both);
    if (rank == SECOND)
        put_done(6);
    MPI_Win_unlock_all(win);
    MPI_Comm_disconnect(&both);
    MPI_Comm_free(&half);
    if (rank == FIRST)
        MPI_Close_port(port);
}

/* ---- windows ---- */

static void right_unlock_lock(void)
{
    if (rank == FIRST) {
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
        put(TARGET, 7);
        MPI_Win_unlock(TARGET, win);
    }
    message(FIRST, SECOND);
    if (rank == SECOND) {
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
        put(TARGET, 7);
        MPI_Win_unlock(TARGET, win);
    }
}

/* A fence of another window. */
static void right_other_fence(void)
{
    MPI_Win other;
    long word;

    MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(8);
    MPI_Win_fence(0, other);
    if (rank == SECOND)
        put_done(8);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&other);
}

static void right_creation(void)
{
    MPI_Win other;
    long word;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done(8);
    MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    if (rank == SECOND)
        put_done(8);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&other);
}

/* The target polls, and tells the second one. */
static void right_polled(void)
{
    const long one = 1;
    long seen = 0;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put_done(9);
        MPI_Accumulate(&one, 1, MPI_LONG, TARGET, 10, 1, MPI_LONG, MPI_REPLACE, win);
        MPI_Win_flush(TARGET, win);
    }
    while (rank == SECOND && !seen) {
        MPI_Fetch_and_op(NULL, &seen, MPI_LONG, TARGET, 10, MPI_NO_OP, win);
        MPI_Win_flush(TARGET, win);
    }
    if (rank == SECOND)
        put_done(9);
    MPI_Win_unlock_all(win);
}

const struct scene orders[] = {
    RIGHT(send),
    WRONG(send_early, "Put", FIRST, "Put", SECOND),
    RIGHT(send_on),
    WRONG(send_without_flush, "Put", FIRST, "Put", SECOND),
    RIGHT(isend),
    RIGHT(persistent),
    RIGHT(sendrecv),
    RIGHT(barrier),
    WRONG(barrier_early, "Put", FIRST, "Put", SECOND),
    WRONG(barrier_of_others, "Put", FIRST, "Put", SECOND),
    RIGHT(ibarrier),
    RIGHT(allreduce),
    RIGHT(bcast),
    WRONG(bcast_of_target, "Put", FIRST, "Put", SECOND),
    RIGHT(reduce),
    RIGHT(split),
    RIGHT(accept),
    RIGHT(unlock_lock),
    RIGHT(other_fence),
    RIGHT(creation),
    RIGHT(polled),
    {0},
};
