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

/* ---- window memory in messages ---- */

/* FIRST puts to a word of TARGET, which sends it to SECOND. */
static INLINE void send_window(int at)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put(TARGET, at);
    if (rank == TARGET)
        send_to_second(memory);
    if (rank == SECOND)
        MPI_Recv(spare, 1, MPI_LONG, TARGET, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
}

static void wrong_window_sent(void)
{
    send_window(0);
}

static void right_window_sent(void)
{
    send_window(1);
}

/* The message that the put comes after has been loaded from there. */
static void right_window_answered(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == TARGET)
        MPI_Send(memory, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD);
    if (rank == FIRST) {
        MPI_Recv(spare, 1, MPI_LONG, TARGET, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put(TARGET, 0);
    }
    MPI_Win_unlock_all(win);
}

/* A message tells that the word may be got, and another one that it may be stored to. */
static INLINE void receive_window(int is_wrong)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        if (!is_wrong)
            MPI_Win_flush(TARGET, win);
        MPI_Send(spare, 1, MPI_LONG, TARGET, 0, MPI_COMM_WORLD);
    }
    if (rank == TARGET)
        MPI_Recv(memory, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
}

static void wrong_window_received(void)
{
    receive_window(1);
}

static void right_window_received(void)
{
    receive_window(0);
}

static INLINE void broadcast_window(int at)
{
    MPI_Win_lock_all(0, win);
    if (rank == SECOND)
        add(TARGET, at);
    MPI_Bcast(rank == TARGET ? memory : spare, 1, MPI_LONG, FIRST, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
}

static void wrong_window_broadcast(void)
{
    broadcast_window(0);
}

static void right_window_broadcast(void)
{
    broadcast_window(1);
}

static INLINE void begin_window(int is_wrong)
{
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == FIRST && !is_wrong)
        MPI_Win_flush(TARGET, win);
    if (!is_wrong)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == TARGET) {
        MPI_Irecv(memory, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == SECOND)
        MPI_Send(spare, 1, MPI_LONG, TARGET, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
}

static void wrong_window_begun(void)
{
    begin_window(1);
}

static void right_window_begun(void)
{
    begin_window(0);
}

/* The same of a region that is attached: sent, or the origin buffer of a put. */
static INLINE void use_region(int at, int is_sent)
{
    static long words[2];
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Aint address;
    MPI_Win regions;
    int length;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &regions);
    MPI_Win_attach(regions, words, sizeof words);
    MPI_Win_get_name(win, name, &length);
    MPI_Win_set_name(regions, name);
    MPI_Get_address(&words[at], &address);
    MPI_Bcast(&address, 1, MPI_AINT, TARGET, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, regions);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        MPI_Put(buffer, 1, MPI_LONG, TARGET, address, 1, MPI_LONG, regions);
    if (rank == TARGET && is_sent)
        send_to_second(words);
    if (rank == SECOND && is_sent)
        MPI_Recv(spare, 1, MPI_LONG, TARGET, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == TARGET && !is_sent)
        MPI_Put(words, 1, MPI_LONG, SECOND, 0, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
    MPI_Win_unlock_all(regions);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(regions, words);
    MPI_Win_free(&regions);
}

static void wrong_region_sent(void)
{
    use_region(0, 1);
}

static void right_region_sent(void)
{
    use_region(1, 1);
}

static void wrong_region_put(void)
{
    use_region(0, 0);
}

static void right_region_put(void)
{
    use_region(1, 0);
}

/* By an operation of its own. */
static INLINE void send_own(int is_wrong)
{
    MPI_Win_lock_all(0, win);
    if (rank == TARGET) {
        put(TARGET, 0);
        if (!is_wrong)
            MPI_Win_flush(TARGET, win);
        send_to_second(memory);
    }
    if (rank == SECOND)
        MPI_Recv(spare, 1, MPI_LONG, TARGET, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
}

static void wrong_window_own(void)
{
    send_own(1);
}

static void right_window_own(void)
{
    send_own(0);
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
    WRONG(window_sent, "Put", FIRST, "Send", TARGET),
    RIGHT(window_sent),
    RIGHT(window_answered),
    WRONG(window_received, "Get", FIRST, "Recv", TARGET),
    RIGHT(window_received),
    WRONG(window_broadcast, "Accumulate", SECOND, "Bcast", TARGET),
    RIGHT(window_broadcast),
    WRONG(window_begun, "Put", FIRST, "Irecv", TARGET),
    RIGHT(window_begun),
    WRONG(region_sent, "Put", FIRST, "Send", TARGET),
    RIGHT(region_sent),
    WRONG(region_put, "Put", FIRST, "Put", TARGET),
    RIGHT(region_put),
    WRONG(window_own, "Put", TARGET, "Send", TARGET),
    RIGHT(window_own),
    {0},
};
