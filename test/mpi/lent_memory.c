/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a shared window, any rank's part of it, and of a neighbour's MPI_Alloc_mem, given to
 * MPI_Win_create or attached by another rank: the same bytes then lie in several windows, under
 * several ranks. All can be worked with by load and store, also by ranks that never had a window
 * with the one whose memory it is, and accumulates through all of them are atomic towards each
 * other.
 */
#include "window.h"

enum { words = 1000, rounds = 400 };

static int is_on(void)
{
    const char *expect = getenv("PROA_EXPECT");
    return expect && strcmp(expect, "1") == 0;
}

/* By load and store, not through the kernel: only then does the query give an address. */
static void check_direct(MPI_Win win, int target, const char *what)
{
    MPI_Aint size;
    int unit;
    void *base = NULL;
    if (!is_on())
        return;
    MPI_Win_shared_query(win, target, &size, &unit, &base);
    CHECK(base, "%s: the memory of %d is not within reach of loads and stores", what, target);
}

static int64_t *part_of(MPI_Win win, int who)
{
    MPI_Aint size;
    int unit;
    int64_t *base = NULL;
    MPI_Win_shared_query(win, who, &size, &unit, &base);
    return base;
}

/* The ways to word `at` of the memory of rank 0. */
struct way {
    MPI_Win win;
    int target;
    MPI_Aint base;
};

static void add_by_all(struct way *ways, int nways, const int64_t *memory, const char *what)
{
    static int64_t ones[20], got[20];
    int64_t one = 1, old;
    for (int i = 0; i < 20; i++)
        ones[i] = 1;
    for (int w = 0; w < nways; w++)
        MPI_Win_lock_all(0, ways[w].win);
    for (int i = 0; i < rounds; i++)
        for (int w = 0; w < nways; w++) {
            MPI_Fetch_and_op(&one, &old, MPI_INT64_T, ways[w].target, ways[w].base + 8 * 5, MPI_SUM,
                             ways[w].win);
            if (i % 8 == w) /* long enough for stripes */
                MPI_Get_accumulate(ones, 20, MPI_INT64_T, got, 20, MPI_INT64_T, ways[w].target,
                                   ways[w].base, 20, MPI_INT64_T, MPI_SUM, ways[w].win);
            MPI_Win_flush(ways[w].target, ways[w].win);
        }
    for (int w = 0; w < nways; w++)
        MPI_Win_unlock_all(ways[w].win);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t longs = (int64_t)nranks * nways * (rounds / 8);
    if (memory) {
        CHECK(memory[5] == longs + (int64_t)nranks * nways * rounds, "%s: word 5 is %lld", what,
              (long long)memory[5]);
        CHECK(memory[6] == longs, "%s: word 6 is %lld, not %lld", what, (long long)memory[6],
              (long long)longs);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The memory of rank 0, as each rank sees it, in a window of each rank's own and attached by each:
 * every rank adds through the first, and through those of the last rank. */
static void through_all(MPI_Win first, int64_t *memory, const char *what)
{
    int last = nranks - 1;
    MPI_Win created, dynamic;
    MPI_Aint address;
    struct way ways[3] = {{first, 0, 0}};
    if (rank == 0)
        memset(memory, 0, words * sizeof *memory);
    MPI_Win_create(memory, words * sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, memory, words / 2 * sizeof *memory); /* two regions, side by side */
    MPI_Win_attach(dynamic, memory + words / 2, words / 2 * sizeof *memory);
    MPI_Get_address(memory, &address);
    MPI_Bcast(&address, 1, MPI_AINT, last, MPI_COMM_WORLD);
    check_direct(created, last, what);
    ways[1] = (struct way){created, last, 0};
    ways[2] = (struct way){dynamic, last, address};
    add_by_all(ways, 3, rank == 0 ? memory : NULL, what);

    int64_t sent[2] = {100 + rank, 200 + rank};
    MPI_Win_fence(0, dynamic);
    if (rank == 0) /* over the border between two regions */
        MPI_Put(sent, 2, MPI_INT64_T, last, MPI_Aint_add(address, 8 * (words / 2 - 1)), 2,
                MPI_INT64_T, dynamic);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, dynamic);
    CHECK(memory[words / 2 - 1] == 100 && memory[words / 2] == 200,
          "%s: put over two regions brings %lld, %lld", what, (long long)memory[words / 2 - 1],
          (long long)memory[words / 2]);
    MPI_Win_detach(dynamic, memory);
    MPI_Win_detach(dynamic, memory + words / 2);
    MPI_Win_free(&dynamic);
    MPI_Win_free(&created);
}

/* Ranks 0 and 1 have a shared window; rank 1 gives a part of it to a window with rank 2, which has
 * never met rank 0. */
static void to_a_stranger(void)
{
    MPI_Comm pair, strangers;
    MPI_Win shared = MPI_WIN_NULL, lent = MPI_WIN_NULL;
    int64_t *own, value = 77;
    if (nranks < 3)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 || rank == 2 ? 0 : MPI_UNDEFINED, rank, &strangers);
    if (rank < 2)
        MPI_Win_allocate_shared(words * sizeof *own, 8, MPI_INFO_NULL, pair, &own, &shared);
    if (rank == 1 || rank == 2) {
        MPI_Win_create(rank == 1 ? own : NULL, rank == 1 ? words * sizeof *own : 0, 8,
                       MPI_INFO_NULL, strangers, &lent);
        check_direct(lent, 0, "a stranger's memory");
        MPI_Win_fence(0, lent);
        if (rank == 2)
            MPI_Put(&value, 1, MPI_INT64_T, 0, 3, 1, MPI_INT64_T, lent);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, lent);
        if (rank == 1)
            CHECK(own[3] == 77, "put by a rank that never met the memory's owner brings %lld",
                  (long long)own[3]);
        MPI_Win_free(&lent);
        MPI_Comm_free(&strangers);
    }
    if (rank < 2) {
        MPI_Win_free(&shared);
        MPI_Comm_free(&pair);
    }
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int64_t *memory;
    start(&argc, &argv);
    to_a_stranger();

    MPI_Win_allocate_shared(rank == 0 ? words * sizeof *memory : 64, 1, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &memory, &win);
    through_all(win, part_of(win, 0), "shared window");
    MPI_Win_free(&win);

    MPI_Info apart;
    MPI_Info_create(&apart);
    MPI_Info_set(apart, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(rank == 0 ? words * sizeof *memory : 64, 1, apart, MPI_COMM_WORLD,
                            &memory, &win);
    through_all(win, part_of(win, 0), "shared window, each part by itself");
    MPI_Win_free(&win);
    MPI_Info_free(&apart);

    if (is_on()) { /* elsewhere no query tells a neighbour where that is */
        MPI_Alloc_mem(words * sizeof *memory, MPI_INFO_NULL, &memory);
        MPI_Win_create(memory, words * sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        through_all(win, part_of(win, 0), "MPI_Alloc_mem");
        MPI_Win_free(&win);
        MPI_Free_mem(memory);
    }
    return finish("lent_memory");
}
