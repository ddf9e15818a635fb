/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong uses that are seen at the call: the error class that each must return once
 * MPI_ERRORS_RETURN is set, and that the window (or the communicator) still works afterwards.
 */
#include "window.h"

static void expect(int code, int class, const char *what)
{
    int found = error_class(code), length = 0;
    char text[MPI_MAX_ERROR_STRING] = "";
    MPI_Error_string(found, text, &length);
    CHECK(found == class, "%s: class %d (%s) instead of %d", what, found, text, class);
}

static int put_to(struct area *a, int target, MPI_Aint disp, int count)
{
    static const int values[4] = {1, 2, 3, 4};
    return MPI_Put(values, count, MPI_INT, target, disp, count, MPI_INT, a->win);
}

static void outside_epochs(struct area *a)
{
    int value = 1, old = 0;
    expect(put_to(a, 0, 0, 1), MPI_ERR_RMA_SYNC, "put outside any epoch");
    expect(MPI_Get(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, a->win), MPI_ERR_RMA_SYNC,
           "get outside any epoch");
    expect(MPI_Fetch_and_op(&value, &old, MPI_INT, 0, 0, MPI_SUM, a->win), MPI_ERR_RMA_SYNC,
           "fetch_and_op outside any epoch");
}

static void bad_targets(struct area *a)
{
    MPI_Win_lock_all(0, a->win);
    expect(put_to(a, nranks, 0, 1), MPI_ERR_RANK, "target above the last rank");
    expect(put_to(a, -77, 0, 1), MPI_ERR_RANK, "negative target");
    MPI_Win_unlock_all(a->win);
}

static void bad_places(struct area *a)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, a->win);
    expect(put_to(a, 0, 4, 1), MPI_ERR_RMA_RANGE, "put behind the end of the window");
    expect(put_to(a, 0, 2, 4), MPI_ERR_RMA_RANGE, "put across the end of the window");
    expect(put_to(a, 0, (MPI_Aint)1 << 61, 1), MPI_ERR_RMA_RANGE,
           "put at a displacement that overflows");
    expect(put_to(a, 0, -1, 1), MPI_ERR_DISP, "put before the start of the window");
    expect(put_to(a, 0, 0, 4), MPI_SUCCESS, "put of all words");
    MPI_Win_unlock(0, a->win);
}

static void still_works(struct area *a)
{
    MPI_Win_fence(0, a->win);
    expect(put_to(a, (rank + 1) % nranks, 1, 1), MPI_SUCCESS, "put in a fence epoch");
    MPI_Win_fence(0, a->win);
    CHECK(((int *)a->base)[1] == 1, "put after errors brings %d", ((int *)a->base)[1]);
}

/* More memory than there is: an error, not a kill, and nothing is left of it. */
static void too_large(void)
{
    void *base = NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Aint huge = (MPI_Aint)1 << 46;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect(MPI_Win_allocate(huge, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_NO_MEM,
           "huge MPI_Win_allocate");
    if (shares_memory())
        expect(MPI_Win_allocate_shared(huge, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
               MPI_ERR_NO_MEM, "huge MPI_Win_allocate_shared");
    expect(MPI_Alloc_mem(huge, MPI_INFO_NULL, &base), MPI_ERR_NO_MEM, "huge MPI_Alloc_mem");
    /* One rank alone asks for too much: all must learn that there is no window. */
    int code =
        MPI_Win_allocate(rank == 0 ? huge : 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    CHECK(error_class(code) != MPI_SUCCESS,
          "MPI_Win_allocate succeeds on a rank although it failed on rank 0");
    CHECK(rank != 0 || error_class(code) == MPI_ERR_NO_MEM,
          "huge MPI_Win_allocate on rank 0: class %d", error_class(code));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Handles of variables that were never set. The host answers, by the handler of a communicator. */
static void never_set(struct area *a)
{
    static MPI_Win win;
    static MPI_Datatype datatype;
    int value = 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    expect(MPI_Win_lock_all(0, win), MPI_ERR_WIN, "lock_all of no window");
    expect(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_WIN, "put to no window");
    if (!a)
        return;
    MPI_Win_lock_all(0, a->win);
    expect(MPI_Put(&value, 1, datatype, 0, 0, 1, datatype, a->win), MPI_ERR_TYPE,
           "put of no datatype");
    MPI_Win_unlock_all(a->win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    never_set(NULL);
    struct area a = open_area(kind_allocate, 4 * sizeof(int), sizeof(int), MPI_COMM_WORLD);
    MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
    never_set(&a);
    outside_epochs(&a);
    bad_targets(&a);
    bad_places(&a);
    MPI_Barrier(MPI_COMM_WORLD);
    still_works(&a);
    close_area(&a);
    too_large();
    a = open_area(kind_allocate, 4 * sizeof(int), sizeof(int), MPI_COMM_WORLD);
    still_works(&a);
    close_area(&a);
    never_set(NULL);
    return finish("errors");
}
