/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates on vectors, of blocks short and long, close and far: all ranks add to the same
 * elements of rank 0's memory at once, and each addition is done once; what lies between the blocks
 * stays. */
#include "check.h"

enum { words = 1 << 17, rounds = 4 };

static long memory[words], ones[words], results[words];

static const struct shape {
    int blocks, length, stride;
} shapes[] = {
    {1000, 1, 2},      {700, 3, 5},   {300, 1, 300},  {40, 700, 900}, {6, 9000, 12000},
    {3, 20000, 30000}, {513, 16, 17}, {255, 64, 512}, {2, 1, 60000},  {1, 100, 100},
};

static int is_touched(const struct shape *s, int i)
{
    return i / s->stride < s->blocks && i % s->stride < s->length;
}

/* What was there is told in order: each rank finds more than it has added itself. */
static void check_results(const struct shape *s, int round)
{
    for (int i = 0; i < s->blocks * s->length; i++)
        CHECK(results[i] >= round && results[i] < (long)rounds * nranks,
              "%d blocks of %d: element %d had %ld in round %d", s->blocks, s->length, i,
              results[i], round);
}

static void use(MPI_Win win, const struct shape *s)
{
    int count = s->blocks * s->length;
    MPI_Datatype vector;
    MPI_Type_vector(s->blocks, s->length, s->stride, MPI_LONG, &vector);
    MPI_Type_commit(&vector);
    MPI_Win_fence(0, win);
    for (int i = 0; i < words; i++)
        memory[i] = is_touched(s, i) ? 0 : -7;
    MPI_Win_fence(0, win);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < rounds; round++) {
        if (round % 2) {
            MPI_Accumulate(ones, count, MPI_LONG, 0, 0, 1, vector, MPI_SUM, win);
            MPI_Win_flush(0, win);
            continue;
        }
        MPI_Get_accumulate(ones, 1, vector, results, count, MPI_LONG, 0, 0, 1, vector, MPI_SUM,
                           win);
        MPI_Win_flush(0, win);
        check_results(s, round);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    for (int i = 0; rank == 0 && i < words; i++) {
        long right = is_touched(s, i) ? (long)rounds * nranks : -7;
        CHECK(memory[i] == right, "%d blocks of %d: word %d is %ld, not %ld", s->blocks, s->length,
              i, memory[i], right);
    }
    MPI_Type_free(&vector);
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
