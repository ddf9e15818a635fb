/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and collectives in more forms: what orders two origins that put to the same word. */
#include "cases.h"

#include <unistd.h>

enum { LATE_US = 100000 };

static INLINE void put_done(void)
{
    put(TARGET, 0);
    MPI_Win_flush(TARGET, win);
}

/* Each does its own in an epoch of all. */
static INLINE void in_epoch(void (*first)(void), void (*target)(void), void (*second)(void))
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        first();
    if (rank == TARGET)
        target();
    if (rank == SECOND)
        second();
    MPI_Win_unlock_all(win);
}

static INLINE void nothing(void)
{
}

/* ---- messages ---- */

static INLINE void put_and_send(void)
{
    put_done();
    MPI_Ssend(buffer, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD);
}

/* The message is under way before the put is issued. */
static INLINE void send_and_put(void)
{
    MPI_Request request;

    MPI_Isend(buffer, 0, MPI_LONG, SECOND, 0, MPI_COMM_WORLD, &request);
    put_done();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static INLINE void receive_and_put(void)
{
    MPI_Recv(buffer + WORDS, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    put_done();
}

static INLINE void begin_receive_and_put(void)
{
    MPI_Request request;

    MPI_Irecv(buffer + WORDS, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, &request);
    put_done();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static INLINE void test_receive_and_put(void)
{
    MPI_Request request;
    int is_there = 0;

    MPI_Irecv(buffer + WORDS, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, &request);
    while (!is_there)
        MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    put_done();
}

static INLINE void probe_and_put(void)
{
    int is_there = 0;

    while (!is_there)
        MPI_Iprobe(FIRST, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    put_done();
    MPI_Recv(buffer + WORDS, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static INLINE void match_and_put(void)
{
    MPI_Message message;

    MPI_Mprobe(FIRST, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    put_done();
    MPI_Mrecv(buffer + WORDS, 1, MPI_LONG, &message, MPI_STATUS_IGNORE);
}

/* To the other direction: its receiver knows nothing by it. */
static INLINE void put_and_receive(void)
{
    put_done();
    MPI_Recv(buffer + WORDS, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static INLINE void put_and_answer(void)
{
    put_done();
    MPI_Send(buffer, 0, MPI_LONG, FIRST, 0, MPI_COMM_WORLD);
}

static void wrong_isend_early(void)
{
    in_epoch(send_and_put, nothing, receive_and_put);
}

static void right_ssend(void)
{
    in_epoch(put_and_send, nothing, receive_and_put);
}

static void wrong_irecv_late(void)
{
    in_epoch(put_and_send, nothing, begin_receive_and_put);
}

static void right_irecv_test(void)
{
    in_epoch(put_and_send, nothing, test_receive_and_put);
}

static void right_iprobe(void)
{
    in_epoch(put_and_send, nothing, probe_and_put);
}

static void right_mprobe(void)
{
    in_epoch(put_and_send, nothing, match_and_put);
}

static void wrong_other_direction(void)
{
    in_epoch(put_and_receive, nothing, put_and_answer);
}

/* ---- collectives that begin before they end ---- */

static INLINE void ibarrier(int first_is_early, int second_is_early)
{
    const int is_early = rank == FIRST ? first_is_early : second_is_early;
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST && !is_early)
        put_done();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank != TARGET && is_early)
        put_done();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == SECOND && !is_early)
        put_done();
    MPI_Win_unlock_all(win);
}

/* The first puts when it has entered already. */
static void wrong_ibarrier_entered(void)
{
    ibarrier(1, 0);
}

/* The second puts before it has left. */
static void wrong_ibarrier_not_left(void)
{
    ibarrier(0, 1);
}

static void right_ibarrier(void)
{
    ibarrier(0, 0);
}

/* The second one has heard all that messages brought before the first one puts, and it enters when
 * that has entered. */
static void wrong_ibarrier_late(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    long has_heard = 0;

    MPI_Win_lock_all(0, win);
    if (rank == SECOND) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memory[1] = 1;
        MPI_Win_sync(win);
        usleep(LATE_US);
    }
    while (rank == FIRST && !has_heard) {
        MPI_Fetch_and_op(NULL, &has_heard, MPI_LONG, SECOND, 1, MPI_NO_OP, win);
        MPI_Win_flush(SECOND, win);
    }
    if (rank == FIRST)
        put_done();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank == SECOND)
        put_done();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
}

/* ---- collectives with a root, and others ---- */

enum what { GATHER, SCATTER, BCAST, SCAN, EXSCAN, ALLGATHER, ALLTOALL, REDUCE_SCATTER, DUP };

static INLINE void meet(enum what what, int root, MPI_Comm comm)
{
    long *const mine = buffer + WORDS, *const all = buffer + 2 * WORDS;
    MPI_Comm copy;

    if (what == GATHER)
        MPI_Gather(mine, 1, MPI_LONG, all, 1, MPI_LONG, root, comm);
    else if (what == SCATTER)
        MPI_Scatter(all, 1, MPI_LONG, mine, 1, MPI_LONG, root, comm);
    else if (what == BCAST)
        MPI_Bcast(mine, 1, MPI_LONG, root, comm);
    else if (what == SCAN)
        MPI_Scan(mine, all, 1, MPI_LONG, MPI_SUM, comm);
    else if (what == EXSCAN)
        MPI_Exscan(mine, all, 1, MPI_LONG, MPI_SUM, comm);
    else if (what == ALLGATHER)
        MPI_Allgather(mine, 1, MPI_LONG, all, 1, MPI_LONG, comm);
    else if (what == ALLTOALL)
        MPI_Alltoall(all, 1, MPI_LONG, all + 4, 1, MPI_LONG, comm);
    else if (what == REDUCE_SCATTER)
        MPI_Reduce_scatter_block(all, mine, 1, MPI_LONG, MPI_SUM, comm);
    else if (MPI_Comm_dup(comm, &copy) == MPI_SUCCESS)
        MPI_Comm_free(&copy);
}

static INLINE void around(enum what what, int root)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done();
    meet(what, root, MPI_COMM_WORLD);
    if (rank == SECOND)
        put_done();
    MPI_Win_unlock_all(win);
}

/* Of no root, each hears of each: those that are named right below. */
static void right_gather(void)
{
    around(GATHER, SECOND);
}

static void right_scatter(void)
{
    around(SCATTER, FIRST);
}

static void wrong_scatter(void)
{
    around(SCATTER, SECOND);
}

static void right_scan(void)
{
    around(SCAN, 0);
}

static void right_exscan(void)
{
    around(EXSCAN, 0);
}

static void right_allgather(void)
{
    around(ALLGATHER, 0);
}

static void right_alltoall(void)
{
    around(ALLTOALL, 0);
}

static void right_reduce_scatter(void)
{
    around(REDUCE_SCATTER, 0);
}

static void right_dup(void)
{
    around(DUP, 0);
}

/* By way of the target, and of two communicators. */
static INLINE void on_the_way(int is_wrong)
{
    MPI_Comm low, high;

    MPI_Comm_split(MPI_COMM_WORLD, rank != SECOND, rank, &low);
    MPI_Comm_split(MPI_COMM_WORLD, rank != FIRST, rank, &high);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_done();
    if (is_wrong && rank != FIRST)
        MPI_Barrier(high);
    if (rank != SECOND)
        MPI_Barrier(low);
    if (!is_wrong && rank != FIRST)
        MPI_Barrier(high);
    if (rank == SECOND)
        put_done();
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&low);
    MPI_Comm_free(&high);
}

/* The target meets the second one first. */
static void wrong_on_the_way(void)
{
    on_the_way(1);
}

static void right_on_the_way(void)
{
    on_the_way(0);
}

const struct scene messages[] = {
    WRONG(isend_early, "Put", FIRST, "Put", SECOND),
    RIGHT(ssend),
    WRONG(irecv_late, "Put", FIRST, "Put", SECOND),
    RIGHT(irecv_test),
    RIGHT(iprobe),
    RIGHT(mprobe),
    WRONG(other_direction, "Put", FIRST, "Put", SECOND),
    WRONG(ibarrier_entered, "Put", FIRST, "Put", SECOND),
    WRONG(ibarrier_not_left, "Put", FIRST, "Put", SECOND),
    RIGHT(ibarrier),
    WRONG(ibarrier_late, "Put", FIRST, "Put", SECOND),
    RIGHT(gather),
    RIGHT(scatter),
    WRONG(scatter, "Put", FIRST, "Put", SECOND),
    RIGHT(scan),
    RIGHT(exscan),
    RIGHT(allgather),
    RIGHT(alltoall),
    RIGHT(reduce_scatter),
    RIGHT(dup),
    WRONG(on_the_way, "Put", FIRST, "Put", SECOND),
    RIGHT(on_the_way),
    {0},
};
