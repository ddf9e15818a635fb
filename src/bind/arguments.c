/* SPDX-License-Identifier: BSD-3-Clause */
/* The general way of operations (operation.h): converts MPI's arguments to core's, and calls core.
 */
#include "bind/operation.h"

/* ---- arguments ---- */

static int count_negative(const char *which, int64_t count) __attribute__((cold));
static int count_negative(const char *which, int64_t count)
{
    return proa_fail(PROA_ERR_COUNT, "%s count %lld is negative", which, (long long)count);
}

/* Returns PROA_OK, PROA_NOWHERE or a code. */
static inline int set_there(const struct proa_win *win, struct proa_there *there, int rank,
                            MPI_Aint displacement, int64_t count, MPI_Datatype datatype,
                            enum proa_call call)
{
    there->rank = rank;
    there->displacement = displacement;
    there->count = (uint64_t)count;
    there->type = proa_type_find(datatype);
    there->call = call;
    if (PROA_RARELY(count < 0))
        return count_negative("target", count);
    return proa_check_rank(win, rank);
}

static int set_operation(MPI_Op op, enum proa_operation *operation)
{
    int found = proa_operation_find(op);

    if (found < 0)
        return proa_fail(PROA_ERR_OP, op == MPI_OP_NULL ? "the operation is MPI_OP_NULL"
                                                        : "the operation is not a predefined one");
    *operation = (enum proa_operation)found;
    return PROA_OK;
}

/* ---- the general way ---- */

static int set_buffer(struct proa_buffer *buffer, const char *which, const void *address,
                      int64_t count, MPI_Datatype datatype)
{
    buffer->address = (void *)(uintptr_t)address;
    buffer->count = (uint64_t)count;
    buffer->type = proa_type_find(datatype);
    return PROA_RARELY(count < 0) ? count_negative(which, count) : PROA_OK;
}

/* Returns whether there is nothing to do, and no error: there are no bytes, or no target. */
static inline int is_nothing(struct proa_win *win, int64_t count, MPI_Datatype datatype, int rank,
                             int64_t target_count, MPI_Datatype target_datatype)
{
    if (rank == MPI_PROC_NULL)
        return count >= 0 && target_count >= 0;
    return (count | target_count) == 0 && datatype == target_datatype && proa_is_in(win, rank) &&
           proa_type_find(datatype)->dense && proa_is_open(win, rank);
}

/* Sets both sides of an operation that uses one buffer. */
static inline int set_sides(struct proa_buffer *near, struct proa_there *there, const void *origin,
                            int64_t count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
                            int64_t target_count, MPI_Datatype target_datatype,
                            const struct proa_win *win, enum proa_call call)
{
    int error = set_buffer(near, "origin", origin, count, datatype);

    return error ? error
                 : set_there(win, there, rank, displacement, target_count, target_datatype, call);
}

int proa_move_slow(const void *origin, int64_t count, MPI_Datatype datatype, int rank,
                   MPI_Aint displacement, int64_t target_count, MPI_Datatype target_datatype,
                   struct proa_win *win, enum proa_call call, enum proa_direction direction)
{
    struct proa_buffer near;
    struct proa_there there;
    int error;

    if (is_nothing(win, count, datatype, rank, target_count, target_datatype))
        return MPI_SUCCESS;
    error = set_sides(&near, &there, origin, count, datatype, rank, displacement, target_count,
                      target_datatype, win, call);
    if (!error)
        error = direction == PROA_PUT ? proa_put(win, &near, &there) : proa_get(win, &near, &there);
    return proa_return(win, call, error);
}

int proa_accumulate_slow(const void *origin, int64_t count, MPI_Datatype datatype, int rank,
                         MPI_Aint displacement, int64_t target_count, MPI_Datatype target_datatype,
                         MPI_Op op, struct proa_win *win, enum proa_call call)
{
    struct proa_buffer near;
    struct proa_there there;
    enum proa_operation operation = PROA_OP_NO_OP;
    int error = set_operation(op, &operation);

    if (!error && is_nothing(win, count, datatype, rank, target_count, target_datatype))
        return MPI_SUCCESS;
    if (!error)
        error = set_sides(&near, &there, origin, count, datatype, rank, displacement, target_count,
                          target_datatype, win, call);
    if (!error)
        error = proa_accumulate(win, &near, &there, operation);
    return proa_return(win, call, error);
}

/* The origin arguments of a no-op are ignored (MPI-4.1, 13.3.4). */
int proa_get_accumulate_slow(const void *origin, int64_t count, MPI_Datatype datatype, void *result,
                             int64_t result_count, MPI_Datatype result_datatype, int rank,
                             MPI_Aint displacement, int64_t target_count,
                             MPI_Datatype target_datatype, MPI_Op op, struct proa_win *win,
                             enum proa_call call)
{
    struct proa_buffer near = {0}, fetched;
    struct proa_there there;
    enum proa_operation operation = PROA_OP_NO_OP;
    int error = set_operation(op, &operation);

    if (!error && result_count == count && result_datatype == datatype &&
        is_nothing(win, count, datatype, rank, target_count, target_datatype))
        return MPI_SUCCESS;
    if (!error && operation != PROA_OP_NO_OP)
        error = set_buffer(&near, "origin", origin, count, datatype);
    if (!error)
        error = set_buffer(&fetched, "result", result, result_count, result_datatype);
    if (!error)
        error = set_there(win, &there, rank, displacement, target_count, target_datatype, call);
    if (!error)
        error = proa_get_accumulate(win, &near, &fetched, &there, operation);
    return proa_return(win, call, error);
}

int proa_fetch_and_op_slow(struct proa_win *win, const void *origin, void *result,
                           MPI_Datatype datatype, int rank, MPI_Aint displacement, MPI_Op op)
{
    enum proa_operation operation = PROA_OP_NO_OP;
    struct proa_there there;
    int error = set_operation(op, &operation);

    if (!error)
        error = set_there(win, &there, rank, displacement, 1, datatype, PROA_CALL_Fetch_and_op);
    if (!error)
        error = proa_fetch_and_op(win, origin, result, &there, operation);
    return proa_return(win, PROA_CALL_Fetch_and_op, error);
}

int proa_compare_and_swap_slow(struct proa_win *win, const void *origin, const void *compare,
                               void *result, MPI_Datatype datatype, int rank, MPI_Aint displacement)
{
    struct proa_there there;
    int error = set_there(win, &there, rank, displacement, 1, datatype, PROA_CALL_Compare_and_swap);

    if (!error)
        error = proa_compare_and_swap(win, origin, compare, result, &there);
    return proa_return(win, PROA_CALL_Compare_and_swap, error);
}
