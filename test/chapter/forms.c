/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The large-count forms of operations (MPI-4.0) do what the plain ones do: each moves or combines
 * the same words as its sibling. And sums and differences of addresses, which dynamic windows are
 * used with.
 */
#include "window.h"

enum { words = 8 };

static int left, right;

/* Word i of a rank at the beginning. */
static int64_t first(int who, int i)
{
    return 1000 * (who + 1) + i;
}

static void fill(const struct area *a)
{
    for (int i = 0; i < words; i++)
        ((int64_t *)a->base)[i] = first(rank, i);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_word(const struct area *a, int i, int64_t expected, const char *form)
{
    int64_t found = ((int64_t *)a->base)[i];
    CHECK(found == expected, "%s: %s makes it %lld, not %lld", kind_names[a->kind], form,
          (long long)found, (long long)expected);
}

static void end_epoch(const struct area *a)
{
    MPI_Win_unlock(right, a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

#if MPI_VERSION >= 4

/* One element from `buffer`, to word i of the right neighbour. */
#define ONE(buffer) buffer, 1, MPI_INT64_T
#define THERE(i) right, disp_at(a, right, i), 1, MPI_INT64_T

static void check_got(const struct area *a, int64_t got, int64_t expected, const char *form)
{
    CHECK(got == expected, "%s: %s brings %lld, not %lld", kind_names[a->kind], form,
          (long long)got, (long long)expected);
}

static void large_requests(const struct area *a)
{
    int64_t sent[4] = {rank, 0, 5, 7}, got[4] = {0, 0, 0, 0};
    MPI_Request requests[4];
    MPI_Status statuses[4];
    fill(a);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    MPI_Rput_c(ONE(&sent[0]), THERE(0), a->win, &requests[0]);
    MPI_Rget_c(ONE(&got[1]), THERE(1), a->win, &requests[1]);
    MPI_Raccumulate_c(ONE(&sent[2]), THERE(2), MPI_SUM, a->win, &requests[2]);
    MPI_Rget_accumulate_c(ONE(&sent[3]), ONE(&got[3]), THERE(3), MPI_SUM, a->win, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    end_epoch(a);
    check_word(a, 0, left, "MPI_Rput_c");
    check_got(a, got[1], first(right, 1), "MPI_Rget_c");
    check_word(a, 2, first(rank, 2) + 5, "MPI_Raccumulate_c");
    check_word(a, 3, first(rank, 3) + 7, "MPI_Rget_accumulate_c");
    check_got(a, got[3], first(right, 3), "MPI_Rget_accumulate_c");
}

static void large_operations(const struct area *a)
{
    int64_t sent[4] = {rank, 0, 5, 7}, got[4] = {0, 0, 0, 0};
    fill(a);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    MPI_Put_c(ONE(&sent[0]), THERE(0), a->win);
    MPI_Get_c(ONE(&got[1]), THERE(1), a->win);
    MPI_Accumulate_c(ONE(&sent[2]), THERE(2), MPI_SUM, a->win);
    MPI_Get_accumulate_c(ONE(&sent[3]), ONE(&got[3]), THERE(3), MPI_SUM, a->win);
    end_epoch(a);
    check_word(a, 0, left, "MPI_Put_c");
    check_got(a, got[1], first(right, 1), "MPI_Get_c");
    check_word(a, 2, first(rank, 2) + 5, "MPI_Accumulate_c");
    check_word(a, 3, first(rank, 3) + 7, "MPI_Get_accumulate_c");
    check_got(a, got[3], first(right, 3), "MPI_Get_accumulate_c");
}

#else

static void large_requests(const struct area *a)
{
    (void)a;
}
static void large_operations(const struct area *a)
{
    (void)a;
}

#endif

static void addresses(const struct area *a)
{
    MPI_Aint begin, end;
    int64_t value = 77 + rank;
    MPI_Get_address(a->base, &begin);
    MPI_Get_address((char *)a->base + words * sizeof(int64_t), &end);
    CHECK(MPI_Aint_diff(end, begin) == words * (MPI_Aint)sizeof(int64_t), "MPI_Aint_diff gives %ld",
          (long)MPI_Aint_diff(end, begin));
    CHECK(MPI_Aint_add(begin, MPI_Aint_diff(end, begin)) == end,
          "MPI_Aint_add and MPI_Aint_diff do not fit");
    fill(a);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    MPI_Put(&value, 1, MPI_INT64_T, right, disp_at(a, right, 5), 1, MPI_INT64_T, a->win);
    end_epoch(a);
    check_word(a, 5, 77 + left, "a put at a sum of addresses");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    left = (rank + nranks - 1) % nranks;
    right = (rank + 1) % nranks;
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, words * sizeof(int64_t), sizeof(int64_t), MPI_COMM_WORLD);
        large_operations(&a);
        large_requests(&a);
        addresses(&a);
        close_area(&a);
    }
    return finish("forms");
}
