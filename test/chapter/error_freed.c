/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handle of a window that has been freed, in every call that takes one: MPI_ERR_WIN on
 * MPI_COMM_WORLD's error handler, in the words of Proa. (handles.c looks at MPI_WIN_NULL, too,
 * whose words are the host's, and at what hosts do with such handles: it makes its calls in
 * children.)
 */
#include "wrong.h"

enum { untouched = -77 };

static MPI_Win gone;

#define FREED(function, arguments) \
    WRONG_ON(MPI_COMM_WORLD, MPI_ERR_WIN, "the window has been freed", function, arguments)

static void objects(void)
{
    MPI_Win handle = gone;
    MPI_Aint size = untouched;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    char name[MPI_MAX_OBJECT_NAME] = "untouched";
    int memory[4], unit = untouched, flag = untouched;
    void *base = memory;
    FREED(MPI_Win_free, (&handle));
    FREED(MPI_Win_attach, (gone, memory, sizeof memory));
    FREED(MPI_Win_detach, (gone, memory));
    FREED(MPI_Win_shared_query, (gone, 0, &size, &unit, &base));
    FREED(MPI_Win_get_group, (gone, &group));
    FREED(MPI_Win_set_info, (gone, MPI_INFO_NULL));
    FREED(MPI_Win_get_info, (gone, &info));
    FREED(MPI_Win_get_attr, (gone, MPI_WIN_BASE, &base, &flag));
    FREED(MPI_Win_set_attr, (gone, MPI_WIN_BASE, base));
    FREED(MPI_Win_delete_attr, (gone, MPI_WIN_BASE));
    FREED(MPI_Win_set_name, (gone, "none"));
    FREED(MPI_Win_get_name, (gone, name, &unit));
    FREED(MPI_Win_set_errhandler, (gone, MPI_ERRORS_RETURN));
    FREED(MPI_Win_get_errhandler, (gone, &handler));
    FREED(MPI_Win_call_errhandler, (gone, MPI_ERR_OTHER));
    CHECK(handle == gone && size == untouched && unit == untouched && flag == untouched &&
              base == memory,
          "a freed window gave values");
    CHECK(group == MPI_GROUP_NULL && info == MPI_INFO_NULL && handler == MPI_ERRHANDLER_NULL &&
              strcmp(name, "untouched") == 0,
          "a freed window gave objects, or a name: %s", name);
}

static void synchronization(void)
{
    int flag = untouched;
    FREED(MPI_Win_fence, (0, gone));
    FREED(MPI_Win_start, (MPI_GROUP_EMPTY, 0, gone));
    FREED(MPI_Win_complete, (gone));
    FREED(MPI_Win_post, (MPI_GROUP_EMPTY, 0, gone));
    FREED(MPI_Win_wait, (gone));
    FREED(MPI_Win_test, (gone, &flag));
    FREED(MPI_Win_lock, (MPI_LOCK_SHARED, 0, 0, gone));
    FREED(MPI_Win_unlock, (0, gone));
    FREED(MPI_Win_lock_all, (0, gone));
    FREED(MPI_Win_unlock_all, (gone));
    FREED(MPI_Win_flush, (0, gone));
    FREED(MPI_Win_flush_all, (gone));
    FREED(MPI_Win_flush_local, (0, gone));
    FREED(MPI_Win_flush_local_all, (gone));
    FREED(MPI_Win_sync, (gone));
    CHECK(flag == untouched, "MPI_Win_test of a freed window gives %d", flag);
}

static int sent = 1, got = untouched;
static MPI_Request request = MPI_REQUEST_NULL;

#define FAR 0, 0, 1, MPI_INT

static void operations(void)
{
    FREED(MPI_Put, (&sent, 1, MPI_INT, FAR, gone));
    FREED(MPI_Get, (&got, 1, MPI_INT, FAR, gone));
    FREED(MPI_Accumulate, (&sent, 1, MPI_INT, FAR, MPI_SUM, gone));
    FREED(MPI_Get_accumulate, (&sent, 1, MPI_INT, &got, 1, MPI_INT, FAR, MPI_SUM, gone));
    FREED(MPI_Fetch_and_op, (&sent, &got, MPI_INT, 0, 0, MPI_SUM, gone));
    FREED(MPI_Compare_and_swap, (&sent, &sent, &got, MPI_INT, 0, 0, gone));
    FREED(MPI_Rput, (&sent, 1, MPI_INT, FAR, gone, &request));
    FREED(MPI_Rget, (&got, 1, MPI_INT, FAR, gone, &request));
    FREED(MPI_Raccumulate, (&sent, 1, MPI_INT, FAR, MPI_SUM, gone, &request));
    FREED(MPI_Rget_accumulate, (&sent, 1, MPI_INT, &got, 1, MPI_INT, FAR, MPI_SUM, gone, &request));
}

#if MPI_VERSION >= 4
static void large_counts(void)
{
    MPI_Aint size = untouched, unit = untouched;
    void *base = &sent;
    FREED(MPI_Win_shared_query_c, (gone, 0, &size, &unit, &base));
    FREED(MPI_Put_c, (&sent, 1, MPI_INT, FAR, gone));
    FREED(MPI_Get_c, (&got, 1, MPI_INT, FAR, gone));
    FREED(MPI_Accumulate_c, (&sent, 1, MPI_INT, FAR, MPI_SUM, gone));
    FREED(MPI_Get_accumulate_c, (&sent, 1, MPI_INT, &got, 1, MPI_INT, FAR, MPI_SUM, gone));
    FREED(MPI_Rput_c, (&sent, 1, MPI_INT, FAR, gone, &request));
    FREED(MPI_Rget_c, (&got, 1, MPI_INT, FAR, gone, &request));
    FREED(MPI_Raccumulate_c, (&sent, 1, MPI_INT, FAR, MPI_SUM, gone, &request));
    FREED(MPI_Rget_accumulate_c,
          (&sent, 1, MPI_INT, &got, 1, MPI_INT, FAR, MPI_SUM, gone, &request));
    CHECK(size == untouched && unit == untouched && base == &sent, "a freed window gave values");
}
#else
static void large_counts(void)
{
}
#endif

/* The window *a lives all the while. */
static void run_freed(struct area *a)
{
    struct area other = open_area(a->kind, words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
    gone = other.win;
    close_area(&other);
    objects();
    synchronization();
    operations();
    large_counts();
    CHECK(got == untouched && request == MPI_REQUEST_NULL,
          "an operation on a freed window brings %d, or a request", got);
}

static const struct row rows[] = {{"freed", run_freed, nkinds}};

int main(int argc, char **argv)
{
    start_listening(&argc, &argv);
    run_row(argc, argv, rows, sizeof rows / sizeof rows[0]);
    return finish_listening("error_freed");
}
