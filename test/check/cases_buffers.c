/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of pending operations that other operations use, or messages and collectives. */
#include "cases.h"

static long *const result = buffer + WORDS, *const spare = buffer + 2 * WORDS;

static INLINE void send_to_second(const long *from)
{
    MPI_Send(from, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD);
}

static void receive_at_second(void)
{
    if (rank == SECOND)
        MPI_Recv(spare, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_to_first(void)
{
    if (rank == SECOND)
        MPI_Send(spare, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD);
}

static INLINE void receive_from_second(long *to)
{
    MPI_Recv(to, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- messages ---- */

static void wrong_result_sent(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        send_to_second(result);
    }
    MPI_Win_unlock_all(win);
    receive_at_second();
}

static void right_result_sent(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        MPI_Win_flush(TARGET, win);
        send_to_second(result);
    }
    MPI_Win_unlock_all(win);
    receive_at_second();
}

static void right_origin_sent(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        send_to_second(buffer);
    }
    MPI_Win_unlock_all(win);
    receive_at_second();
}

static void wrong_origin_received(void)
{
    send_to_first();
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        receive_from_second(buffer);
    }
    MPI_Win_unlock_all(win);
}

static void right_origin_received(void)
{
    send_to_first();
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        MPI_Win_flush_local(TARGET, win);
        receive_from_second(buffer);
    }
    MPI_Win_unlock_all(win);
}

static void right_received_beside(void)
{
    send_to_first();
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        receive_from_second(buffer + 1);
    }
    MPI_Win_unlock_all(win);
}

/* The result has the even longs, and the odd ones are sent. */
static void right_result_between(void)
{
    MPI_Datatype even;

    MPI_Type_vector(4, 1, 2, MPI_LONG, &even);
    MPI_Type_commit(&even);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Get(result, 1, even, TARGET, 0, 4, MPI_LONG, win);
        send_to_second(result + 1);
    }
    MPI_Win_unlock_all(win);
    receive_at_second();
    MPI_Type_free(&even);
}

static void wrong_result_in_vector(void)
{
    MPI_Datatype even;

    MPI_Type_vector(4, 1, 2, MPI_LONG, &even);
    MPI_Type_commit(&even);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Get(result, 1, even, TARGET, 0, 4, MPI_LONG, win);
        send_to_second(result + 6);
    }
    MPI_Win_unlock_all(win);
    receive_at_second();
    MPI_Type_free(&even);
}

static void right_requested(void)
{
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Rget(result, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        send_to_second(result);
    }
    MPI_Win_unlock_all(win);
    receive_at_second();
}

/* ---- collectives ---- */

static void wrong_result_reduced(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        get(TARGET, 0);
    MPI_Allreduce(result, spare, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
}

static void wrong_origin_broadcast(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    MPI_Bcast(buffer, 1, MPI_LONG, SECOND, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
}

static void right_origin_broadcast(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    MPI_Bcast(buffer, 1, MPI_LONG, FIRST, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
}

/* ---- operations ---- */

static void wrong_results_meet(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        MPI_Fetch_and_op(buffer, result, MPI_LONG, SECOND, 0, MPI_SUM, win);
    }
    MPI_Win_unlock_all(win);
}

static void right_results_in_turn(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        MPI_Win_flush_local(TARGET, win);
        MPI_Fetch_and_op(buffer, result, MPI_LONG, SECOND, 0, MPI_SUM, win);
    }
    MPI_Win_unlock_all(win);
}

static void wrong_result_put(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        MPI_Put(result, 1, MPI_LONG, SECOND, 0, 1, MPI_LONG, win);
    }
    MPI_Win_fence(0, win);
}

static void wrong_origin_got(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        MPI_Get(buffer, 1, MPI_LONG, SECOND, 0, 1, MPI_LONG, win);
    }
    MPI_Win_unlock_all(win);
}

static void right_origin_shared(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        put(SECOND, 0);
    }
    MPI_Win_unlock_all(win);
}

/* MPI_NO_OP does not look at the origin buffer. */
static void right_no_op(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        MPI_Fetch_and_op(result, spare, MPI_LONG, SECOND, 0, MPI_NO_OP, win);
    }
    MPI_Win_unlock_all(win);
}

const struct scene buffers[] = {
    WRONG(result_sent, "Get", FIRST, "Send", FIRST),
    RIGHT(result_sent),
    RIGHT(origin_sent),
    WRONG(origin_received, "Put", FIRST, "Recv", FIRST),
    RIGHT(origin_received),
    RIGHT(received_beside),
    RIGHT(result_between),
    WRONG(result_in_vector, "Get", FIRST, "Send", FIRST),
    RIGHT(requested),
    WRONG(result_reduced, "Get", FIRST, "Allreduce", FIRST),
    WRONG(origin_broadcast, "Put", FIRST, "Bcast", FIRST),
    RIGHT(origin_broadcast),
    WRONG(results_meet, "Get", FIRST, "Fetch_and_op", FIRST),
    RIGHT(results_in_turn),
    WRONG(result_put, "Get", FIRST, "Put", FIRST),
    WRONG(origin_got, "Put", FIRST, "Get", FIRST),
    RIGHT(origin_shared),
    RIGHT(no_op),
    {0},
};
