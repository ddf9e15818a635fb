/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Displacement units beyond an int, which the large-count forms take: element 1 lies that far
 * behind the window's start. Rank's own memory and its neighbour's, by every kind of operation; the
 * memory is only addresses, of which two pages are ever touched.
 */
#include "window.h"
#include <sys/mman.h>

#if MPI_VERSION >= 4

static const MPI_Aint unit = ((MPI_Aint)1 << 32) + 24;

static void check_attribute(MPI_Win win, const char *flavor)
{
    int *value = NULL, found = 0;
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &found);
    CHECK(found && *value == MPI_UNDEFINED, "%s: MPI_WIN_DISP_UNIT is %d", flavor,
          found ? *value : 0);
}

static void operations(MPI_Win win, int target)
{
    int64_t sent = 1000 + rank, got = 0, before = 0, one = 1, swapped = 0, again = 7;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Put(&sent, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, win);
    MPI_Put(&sent, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win); /* far from element 1 */
    MPI_Win_flush(target, win);
    MPI_Get(&got, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, win);
    MPI_Win_flush(target, win);
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, 1, MPI_SUM, win);
    MPI_Accumulate(&one, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, MPI_SUM, win);
    MPI_Win_flush(target, win);
    sent += 2;
    MPI_Compare_and_swap(&again, &sent, &swapped, MPI_INT64_T, target, 1, win);
    MPI_Win_unlock(target, win);
    CHECK(got == 1000 + rank && before == got && swapped == got + 2,
          "target %d: got %lld, then %lld and %lld", target, (long long)got, (long long)before,
          (long long)swapped);
}

static void outside(MPI_Win win, int target, const char *flavor)
{
    int64_t value = 5;
    const MPI_Aint displacements[] = {2, 1 << 20, (MPI_Aint)1 << 31, (MPI_Aint)1 << 40};
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    for (int i = 0; i < 4; i++) {
        int class = error_class(
            MPI_Put(&value, 1, MPI_INT64_T, target, displacements[i], 1, MPI_INT64_T, win));
        CHECK(class == MPI_ERR_RMA_RANGE, "%s: a put at displacement %lld gives class %d", flavor,
              (long long)displacements[i], class);
    }
    MPI_Win_unlock(target, win);
}

static void created(void)
{
    MPI_Aint bytes = unit + 64;
    char *base = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MPI_Win win;
    need(base == MAP_FAILED ? NULL : base);
    MPI_Win_create_c(base, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check_attribute(win, "create");
    for (int i = 0; i < nranks; i++) { /* one origin at a time */
        int64_t here;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == i)
            operations(win, (rank + 1) % nranks);
        MPI_Barrier(MPI_COMM_WORLD);
        memcpy(&here, base + unit, sizeof here);
        CHECK((rank != (i + 1) % nranks) || here == 7, "rank %d's element 1 is %lld", rank,
              (long long)here);
        if (rank == i)
            operations(win, rank);
    }
    outside(win, (rank + 1) % nranks, "create");
    MPI_Win_free(&win);
    munmap(base, (size_t)bytes);
}

static void allocated(int shared)
{
    const char *flavor = shared ? "allocate_shared" : "allocate";
    int64_t *base = NULL, value = 40 + rank, got = 0;
    int target = (rank + 1) % nranks, small_unit = 0;
    int near = shares_memory() ? target : rank;
    MPI_Aint size = 0, found = 0;
    MPI_Win win;
    void *start;
    if (shared)
        MPI_Win_allocate_shared_c(16, unit + rank, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    else
        MPI_Win_allocate_c(16, unit + rank, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    check_attribute(win, flavor);
    MPI_Win_shared_query_c(win, near, &size, &found, &start);
    CHECK(size == 16 && found == unit + near, "%s: shared_query_c says %lld bytes, unit %lld",
          flavor, (long long)size, (long long)found);
    MPI_Win_shared_query(win, near, &size, &small_unit, &start);
    CHECK(small_unit == MPI_UNDEFINED, "%s: shared_query says unit %d", flavor, small_unit);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(got == value, "%s: element 0 is %lld", flavor, (long long)got);
    outside(win, target, flavor);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    created();
    allocated(0);
    if (shares_memory())
        allocated(1);
    return finish("win_unit");
}

#else

int main(int argc, char **argv)
{
    start(&argc, &argv);
    return skip("this host has no large-count forms");
}

#endif
