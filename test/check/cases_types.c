/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived datatypes that meet in a few bytes; other units, ranks and windows for the same bytes. */
#include "cases.h"

#include <stdlib.h>

/* ---- datatypes ---- */

/* Both put, each by a datatype of its own. */
static INLINE void put_types(MPI_Datatype first, MPI_Datatype second, MPI_Aint at)
{
    MPI_Type_commit(&first);
    MPI_Type_commit(&second);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        MPI_Put(buffer, 4, MPI_LONG, TARGET, 0, 1, first, win);
    if (rank == SECOND)
        MPI_Put(buffer, 4, MPI_LONG, TARGET, at, 1, second, win);
    MPI_Win_unlock_all(win);
    MPI_Type_free(&first);
    MPI_Type_free(&second);
}

static INLINE MPI_Datatype comb(int stride)
{
    MPI_Datatype type;

    MPI_Type_vector(4, 1, stride, MPI_LONG, &type);
    return type;
}

static INLINE MPI_Datatype list(int a, int b, int c, int d)
{
    const int at[] = {a, b, c, d};
    MPI_Datatype type;

    MPI_Type_create_indexed_block(4, 1, at, MPI_LONG, &type);
    return type;
}

/* 0, 2, 4, 6 and 1, 4, 7, 10. */
static void wrong_combs(void)
{
    put_types(comb(2), comb(3), 1);
}

/* 0, 2, 4, 6 and 1, 3, 5, 7. */
static void right_combs(void)
{
    put_types(comb(2), comb(2), 1);
}

static void wrong_lists(void)
{
    put_types(list(0, 7, 3, 9), list(1, 9, 2, 4), 0);
}

static void right_lists(void)
{
    put_types(list(0, 7, 3, 9), list(1, 8, 2, 4), 0);
}

/* From its end to its begin. */
static INLINE MPI_Datatype backward(void)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(4, 1, -(MPI_Aint)sizeof(long), MPI_LONG, &type);
    return type;
}

/* 0, 1, 2, 3 and 6, 5, 4, 3. */
static void wrong_backward(void)
{
    put_types(comb(1), backward(), 6);
}

static void right_backward(void)
{
    put_types(comb(1), backward(), 7);
}

static INLINE MPI_Datatype block(int row, int column)
{
    const int sizes[] = {4, 4}, part[] = {2, 2}, at[] = {row, column};
    MPI_Datatype type;

    MPI_Type_create_subarray(2, sizes, part, at, MPI_ORDER_C, MPI_LONG, &type);
    return type;
}

static void wrong_blocks(void)
{
    put_types(block(0, 0), block(1, 1), 0);
}

static void right_blocks(void)
{
    put_types(block(0, 0), block(0, 2), 0);
}

/* Members of a struct, by origins that count it in several. */
static INLINE void members(int member, int count)
{
    const int lengths[] = {1, 1};
    const MPI_Aint at[] = {0, 8};
    const MPI_Datatype basics[] = {MPI_LONG, MPI_DOUBLE};
    MPI_Datatype whole, sized;

    MPI_Type_create_struct(2, lengths, at, basics, &whole);
    MPI_Type_create_resized(MPI_LONG, 0, 16, &sized);
    MPI_Type_commit(&whole);
    MPI_Type_commit(&sized);
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        MPI_Get(buffer, 1, whole, TARGET, 4, 1, whole, win);
    if (rank == SECOND)
        MPI_Put(buffer, count, MPI_LONG, TARGET, member, count, sized, win);
    MPI_Win_fence(0, win);
    MPI_Type_free(&whole);
    MPI_Type_free(&sized);
}

/* 1, 3, 5. */
static void wrong_members(void)
{
    members(1, 3);
}

/* 1, 3. */
static void right_members(void)
{
    members(1, 2);
}

/* ---- atomics ---- */

static INLINE void both(void (*first)(void), void (*second)(void))
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        first();
    if (rank == SECOND)
        second();
    MPI_Win_unlock_all(win);
}

static INLINE void add_int(void)
{
    MPI_Accumulate(buffer, 1, MPI_INT, TARGET, 2, 1, MPI_INT, MPI_SUM, win);
}

static INLINE void fetch_long(void)
{
    MPI_Fetch_and_op(buffer, buffer + WORDS, MPI_LONG, TARGET, 2, MPI_SUM, win);
}

static INLINE void swap_unsigned(void)
{
    MPI_Compare_and_swap(buffer, buffer + 1, buffer + WORDS, MPI_UNSIGNED_LONG, TARGET, 2, win);
}

static INLINE void replace(void)
{
    MPI_Accumulate(buffer, 1, MPI_LONG, TARGET, 2, 1, MPI_LONG, MPI_REPLACE, win);
}

static INLINE void put_there(void)
{
    put(TARGET, 2);
}

static INLINE void largest(void)
{
    struct {
        long value;
        int where;
    } pair = {1, 1};

    MPI_Accumulate(&pair, 1, MPI_LONG_INT, TARGET, 2, 1, MPI_LONG_INT, MPI_MAXLOC, win);
    MPI_Win_flush(TARGET, win);
}

static void wrong_int_and_long(void)
{
    both(add_int, fetch_long);
}

static void wrong_long_and_unsigned(void)
{
    both(fetch_long, swap_unsigned);
}

static void wrong_replaced(void)
{
    both(replace, put_there);
}

static void right_replaced(void)
{
    both(replace, replace);
}

static void right_largest(void)
{
    both(largest, largest);
}

static void wrong_largest(void)
{
    both(largest, put_there);
}

/* ---- windows ---- */

/* A window over a part of the memory, in bytes, of the same ranks the other way round. */
static INLINE void in_part(const char *name, MPI_Aint at)
{
    MPI_Comm comm;
    MPI_Win other;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Win_create(memory + 2, 4 * sizeof(long), 1, MPI_INFO_NULL, comm, &other);
    MPI_Win_set_name(other, name);
    MPI_Win_set_name(win, name);
    MPI_Barrier(MPI_COMM_WORLD); /* all reports have the name */
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    if (rank == FIRST)
        put(TARGET, 3);
    if (rank == SECOND)
        MPI_Put(buffer, 4, MPI_BYTE, RANKS - 1 - TARGET, at, 4, MPI_BYTE, other);
    MPI_Win_fence(0, other);
    MPI_Win_fence(0, win);
    MPI_Win_free(&other);
    MPI_Comm_free(&comm);
}

static void wrong_part(void)
{
    in_part("wrong_part", 12);
}

static void right_part(void)
{
    in_part("right_part", 16);
}

/* Ranks of the window's communicator are others than those of the world. */
static INLINE void reversed(const char *name, int apart)
{
    MPI_Comm comm;
    MPI_Win other;
    long *words;

    MPI_Comm_split(MPI_COMM_WORLD, rank == TARGET, -rank, &comm);
    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &words, &other);
    MPI_Win_set_name(other, name);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, other);
    if (rank == FIRST)
        MPI_Put(buffer, 1, MPI_LONG, 0, 0, 1, MPI_LONG, other);
    if (rank == SECOND)
        MPI_Put(buffer, 1, MPI_LONG, 0, apart, 1, MPI_LONG, other);
    MPI_Win_fence(0, other);
    MPI_Win_free(&other);
    MPI_Comm_free(&comm);
}

static void wrong_reversed(void)
{
    reversed("wrong_reversed", 0);
}

static void right_reversed(void)
{
    reversed("right_reversed", 1);
}

/* The target has memory of MPI_Win_allocate_shared, which none loads from directly. */
static INLINE void in_shared(const char *name, int apart)
{
    MPI_Win other;
    long *words;

    if (getenv("PROA_TEST_NODES")) /* they share none */
        MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &words,
                         &other);
    else
        MPI_Win_allocate_shared(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                                &words, &other);
    MPI_Win_set_name(other, name);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, other);
    if (rank == FIRST)
        MPI_Put(buffer, 2, MPI_LONG, TARGET, 0, 2, MPI_LONG, other);
    if (rank == SECOND)
        MPI_Get(buffer, 1, MPI_LONG, TARGET, 1 + apart, 1, MPI_LONG, other);
    MPI_Win_fence(0, other);
    MPI_Win_free(&other);
}

static void wrong_shared(void)
{
    in_shared("wrong_shared", 0);
}

static void right_shared(void)
{
    in_shared("right_shared", 1);
}

/* ---- dynamic windows ---- */

/* Two regions, of which the second is attached twice; by one origin. */
static INLINE void in_regions(const char *name, int is_wrong)
{
    static long words[2 * WORDS];
    MPI_Aint address;
    MPI_Win other;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_set_name(other, name);
    MPI_Win_attach(other, words, WORDS * sizeof(long));
    MPI_Win_attach(other, words + WORDS, WORDS * sizeof(long));
    MPI_Win_detach(other, words + WORDS);
    MPI_Win_attach(other, words + WORDS, WORDS * sizeof(long));
    MPI_Get_address(words + WORDS, &address);
    MPI_Bcast(&address, 1, MPI_AINT, TARGET, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, other);
    if (rank == FIRST) {
        MPI_Put(buffer, 2, MPI_LONG, TARGET, MPI_Aint_add(address, 8), 2, MPI_LONG, other);
        if (!is_wrong)
            MPI_Win_flush(TARGET, other);
        MPI_Get(buffer + WORDS, 1, MPI_LONG, TARGET, MPI_Aint_add(address, 16), 1, MPI_LONG, other);
    }
    MPI_Win_unlock_all(other);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(other, words + WORDS);
    MPI_Win_detach(other, words);
    MPI_Win_free(&other);
}

static void wrong_regions(void)
{
    in_regions("wrong_regions", 1);
}

static void right_regions(void)
{
    in_regions("right_regions", 0);
}

/* ---- ways to a call ---- */

static INLINE void by_table(int is_wrong)
{
    int (*const volatile calls[])(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
                                  MPI_Win) = {MPI_Put};

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        calls[0](buffer, 1, MPI_LONG, TARGET, 9, 1, MPI_LONG, win); /* MPI_Put */
    if (rank == SECOND)
        get(TARGET, 9 + !is_wrong);
    MPI_Win_fence(0, win);
}

static void wrong_by_table(void)
{
    by_table(1);
}

static void right_by_table(void)
{
    by_table(0);
}

/* ---- buffers in windows ---- */

/* The origin buffer is window memory that another rank puts to. */
static INLINE void from_window(int at)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        MPI_Put(memory, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
    if (rank == SECOND)
        MPI_Put(buffer, 1, MPI_LONG, FIRST, at, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
}

static void wrong_from_window(void)
{
    from_window(0);
}

static void right_from_window(void)
{
    from_window(1);
}

/* The result buffer is window memory that another rank gets. */
static INLINE void into_window(int at)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        MPI_Get(memory, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
    if (rank == SECOND)
        MPI_Get(buffer, 1, MPI_LONG, FIRST, at, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
}

static void wrong_into_window(void)
{
    into_window(0);
}

static void right_into_window(void)
{
    into_window(1);
}

const struct scene types[] = {
    WRONG(combs, "Put", FIRST, "Put", SECOND),
    RIGHT(combs),
    WRONG(lists, "Put", FIRST, "Put", SECOND),
    RIGHT(lists),
    WRONG(backward, "Put", FIRST, "Put", SECOND),
    RIGHT(backward),
    WRONG(blocks, "Put", FIRST, "Put", SECOND),
    RIGHT(blocks),
    WRONG(members, "Get", FIRST, "Put", SECOND),
    RIGHT(members),
    WRONG(int_and_long, "Accumulate", FIRST, "Fetch_and_op", SECOND),
    WRONG(long_and_unsigned, "Fetch_and_op", FIRST, "Compare_and_swap", SECOND),
    WRONG(replaced, "Accumulate", FIRST, "Put", SECOND),
    RIGHT(replaced),
    RIGHT(largest),
    WRONG(largest, "Accumulate", FIRST, "Put", SECOND),
    WRONG(part, "Put", FIRST, "Put", SECOND),
    RIGHT(part),
    WRONG(reversed, "Put", FIRST, "Put", SECOND),
    RIGHT(reversed),
    WRONG(shared, "Put", FIRST, "Get", SECOND),
    RIGHT(shared),
    WRONG(regions, "Put", FIRST, "Get", FIRST),
    RIGHT(regions),
    WRONG(by_table, "Put", FIRST, "Get", SECOND),
    RIGHT(by_table),
    WRONG(from_window, "Put", FIRST, "Put", SECOND),
    RIGHT(from_window),
    WRONG(into_window, "Get", FIRST, "Get", SECOND),
    RIGHT(into_window),
    {0},
};
