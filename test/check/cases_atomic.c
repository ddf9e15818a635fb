/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates of two origins, which are atomic to one another under some conditions. */
#include "cases.h"

static INLINE void as_both(void (*first)(void), void (*second)(void))
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        first();
    if (rank == SECOND)
        second();
    MPI_Win_unlock_all(win);
}

static INLINE void add_there(void)
{
    add(TARGET, 0);
}

static INLINE void put_there(void)
{
    put(TARGET, 0);
}

static INLINE void get_there(void)
{
    get(TARGET, 0);
}

static INLINE void add_doubles(void)
{
    double one = 1;

    MPI_Accumulate(&one, 1, MPI_DOUBLE, TARGET, 0, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush(TARGET, win);
}

static INLINE void fetch_there(void)
{
    MPI_Fetch_and_op(buffer, buffer + WORDS, MPI_LONG, TARGET, 0, MPI_SUM, win);
}

static INLINE void swap_there(void)
{
    MPI_Compare_and_swap(buffer, buffer + 1, buffer + WORDS, MPI_LONG, TARGET, 0, win);
}

static INLINE void look_there(void)
{
    MPI_Get_accumulate(NULL, 0, MPI_LONG, buffer + WORDS, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG,
                       MPI_NO_OP, win);
}

static INLINE void add_pair(void)
{
    MPI_Datatype pair;

    MPI_Type_vector(2, 1, 2, MPI_LONG, &pair);
    MPI_Type_commit(&pair);
    MPI_Accumulate(buffer, 2, MPI_LONG, TARGET, 0, 1, pair, MPI_SUM, win);
    MPI_Type_free(&pair);
}

/* The second half of an element, and the first half of the next one. */
static INLINE void add_between(void)
{
    const int two[] = {1, 1};
    MPI_Datatype type;

    MPI_Type_create_hindexed_block(1, 1, (MPI_Aint[]){sizeof(int)}, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_Accumulate(two, 1, MPI_LONG, TARGET, 0, 1, type, MPI_SUM, win);
    MPI_Type_free(&type);
}

static INLINE void put_nothing(void)
{
}

static INLINE void put_between(void)
{
    put(TARGET, 1);
}

static INLINE void put_behind(void)
{
    put(TARGET, 2);
}

/* What the program says of its accumulates. */
static INLINE void assert_ops(const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ops", value);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
}

static INLINE void raise_there(void)
{
    MPI_Accumulate(buffer, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, MPI_MAX, win);
}

static INLINE void add_and_raise(void)
{
    add_there();
    raise_there();
}

static void wrong_ops(void)
{
    assert_ops("same_op_no_op");
    as_both(add_there, raise_there);
}

static void wrong_no_op(void)
{
    assert_ops("same_op");
    as_both(add_there, look_there);
}

static void right_no_op(void)
{
    assert_ops("same_op_no_op");
    as_both(fetch_there, look_there);
}

/* Those of one origin are ordered. */
static void right_ops_ordered(void)
{
    assert_ops("same_op");
    as_both(add_and_raise, put_nothing);
}

/* The program has asserted nothing. */
static void right_ops(void)
{
    as_both(add_there, raise_there);
}

static void right_add_add(void)
{
    as_both(add_there, add_there);
}

static void right_add_fetch(void)
{
    as_both(add_there, fetch_there);
}

static void right_swap_look(void)
{
    as_both(swap_there, look_there);
}

static void right_look_get(void)
{
    as_both(look_there, get_there);
}

static void wrong_add_put(void)
{
    as_both(add_there, put_there);
}

static void wrong_add_get(void)
{
    as_both(add_there, get_there);
}

static void wrong_add_types(void)
{
    as_both(add_there, add_doubles);
}

static void wrong_add_misaligned(void)
{
    as_both(add_there, add_between);
}

/* The word is read in halves on the way. */
static INLINE void add_halves(void)
{
    int half;

    MPI_Fetch_and_op(NULL, &half, MPI_INT, TARGET, 0, MPI_NO_OP, win);
    MPI_Win_flush(TARGET, win);
    add_there();
}

static void right_add_aligned(void)
{
    as_both(add_there, add_halves);
}

static void wrong_fetch_put(void)
{
    as_both(fetch_there, put_there);
}

static void wrong_swap_get(void)
{
    as_both(swap_there, get_there);
}

static void wrong_look_put(void)
{
    as_both(look_there, put_there);
}

static void right_pair_between(void)
{
    as_both(add_pair, put_between);
}

static void wrong_pair_behind(void)
{
    as_both(add_pair, put_behind);
}

const struct scene atomics[] = {
    RIGHT(add_add),
    RIGHT(add_fetch),
    WRONG(ops, "Accumulate", FIRST, "Accumulate", SECOND),
    WRONG(no_op, "Accumulate", FIRST, "Get_accumulate", SECOND),
    RIGHT(no_op),
    RIGHT(ops_ordered),
    RIGHT(ops),
    RIGHT(swap_look),
    RIGHT(look_get),
    WRONG(add_put, "Accumulate", FIRST, "Put", SECOND),
    WRONG(add_get, "Accumulate", FIRST, "Get", SECOND),
    WRONG(add_types, "Accumulate", FIRST, "Accumulate", SECOND),
    WRONG(add_misaligned, "Accumulate", FIRST, "Accumulate", SECOND),
    RIGHT(add_aligned),
    WRONG(fetch_put, "Fetch_and_op", FIRST, "Put", SECOND),
    WRONG(swap_get, "Compare_and_swap", FIRST, "Get", SECOND),
    WRONG(look_put, "Get_accumulate", FIRST, "Put", SECOND),
    RIGHT(pair_between),
    WRONG(pair_behind, "Accumulate", FIRST, "Put", SECOND),
    {0},
};
