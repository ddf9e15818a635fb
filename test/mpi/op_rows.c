/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates on vectors, and on blocks at no regular distances, short and long, close and far: all
 * ranks add to the same elements of rank 0's memory at once, and each addition is done once; what
 * lies between the blocks stays. */
#include "check.h"

enum { words = 1 << 17, rounds = 24 };

static long memory[words], ones[words], results[words];

/* irregular: the distance is stride or less, down to the length. */
static const struct shape {
    int blocks, length, stride;
    enum order { REGULAR, BACKWARDS, UPWARDS, DOWNWARDS, SHUFFLED, TWICE } order;
} shapes[] = {
    {1000, 1, 2, REGULAR},    {700, 3, 5, REGULAR},      {300, 1, 300, REGULAR},
    {40, 700, 900, REGULAR},  {6, 9000, 12000, REGULAR}, {3, 20000, 30000, REGULAR},
    {513, 16, 17, REGULAR},   {255, 64, 512, REGULAR},   {2, 1, 60000, REGULAR},
    {1, 100, 100, REGULAR},   {1000, 1, 7, UPWARDS},     {700, 5, 9, UPWARDS},
    {40, 700, 3000, UPWARDS}, {5, 9000, 20000, UPWARDS}, {300, 1, 400, UPWARDS},
    {1000, 1, 7, DOWNWARDS},  {1000, 2, 9, SHUFFLED},    {999, 1, 8, SHUFFLED},
    {999, 3, 99, SHUFFLED},   {300, 200, 400, SHUFFLED}, {20, 900, 4000, SHUFFLED},
    {1000, 1, 3, BACKWARDS},  {300, 3, 300, BACKWARDS},  {1000, 1, 7, TWICE},
    {1000, 2, 90, TWICE},
};

/* Where the blocks begin, in the order in which they are worked on; and which words they have. */
static int starts[words];
static char touched[words];

/* TWICE: each block is named twice, which is not allowed, but both hosts add as often as a block is
 * named. */
static int times(const struct shape *s)
{
    return s->order == TWICE ? 2 : 1;
}

static int is_regular(const struct shape *s)
{
    return s->order == REGULAR || s->order == BACKWARDS;
}

/* Of the first block that is worked on. */
static int begins_at(const struct shape *s)
{
    return s->order == BACKWARDS ? (s->blocks - 1) * s->stride : 0;
}

static void place(const struct shape *s)
{
    memset(touched, 0, sizeof touched);
    for (int i = 0, at = 0, blocks = s->blocks / times(s); i < blocks; i++) {
        int k = s->order == DOWNWARDS  ? blocks - 1 - i
                : s->order == SHUFFLED ? (int)(i * 77L % blocks)
                                       : i;
        for (int n = 0; n < times(s); n++)
            starts[k * times(s) + n] = at;
        memset(touched + at, 1, (size_t)s->length);
        at += is_regular(s) ? s->stride : s->length + i * 7919 % 1009 % (s->stride - s->length + 1);
    }
}

static void make(const struct shape *s, MPI_Datatype *type)
{
    place(s);
    if (is_regular(s))
        MPI_Type_vector(s->blocks, s->length, s->order == BACKWARDS ? -s->stride : s->stride,
                        MPI_LONG, type);
    else
        MPI_Type_create_indexed_block(s->blocks, s->length, starts, MPI_LONG, type);
    MPI_Type_commit(type);
}

/* The old values come in order: each rank finds more than it has added itself. */
static void check_results(const struct shape *s, int round)
{
    for (int i = 0; i < s->blocks * s->length; i++)
        CHECK(results[i] >= (long)round * times(s) && results[i] < (long)rounds * nranks * times(s),
              "%d blocks of %d: element %d had %ld in round %d", s->blocks, s->length, i,
              results[i], round);
}

static void use(MPI_Win win, const struct shape *s)
{
    int count = s->blocks * s->length, at = begins_at(s);
    MPI_Datatype type;
    make(s, &type);
    MPI_Win_fence(0, win);
    for (int i = 0; i < words; i++)
        memory[i] = touched[i] ? 0 : -7;
    MPI_Win_fence(0, win);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < rounds; round++) {
        if (round % 2) {
            MPI_Accumulate(ones, count, MPI_LONG, 0, at, 1, type, MPI_SUM, win);
            MPI_Win_flush(0, win);
            continue;
        }
        MPI_Get_accumulate(ones + at, 1, type, results, count, MPI_LONG, 0, at, 1, type, MPI_SUM,
                           win);
        MPI_Win_flush(0, win);
        check_results(s, round);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    for (int i = 0; rank == 0 && i < words; i++) {
        long right = touched[i] ? (long)rounds * nranks * times(s) : -7;
        CHECK(memory[i] == right, "%d blocks of %d: word %d is %ld, not %ld", s->blocks, s->length,
              i, memory[i], right);
    }
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Win win;
    for (int i = 0; i < words; i++)
        ones[i] = 1;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        use(win, &shapes[i]);
    MPI_Win_free(&win);
    return finish("op_rows");
}
