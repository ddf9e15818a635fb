/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Error_string gives Proa's sentence for the program's last failure only if that was one of
 * Proa's: also where another chapter's call fails with the same class.
 */
#include "window.h"

static MPI_Comm comm; /* returns its errors */
static char text[MPI_MAX_ERROR_STRING];

static const char *text_of(int code)
{
    int length = 0;
    MPI_Error_string(code, text, &length);
    return text;
}

static int fail_put(MPI_Win win)
{
    int code = MPI_Put(&rank, 1, MPI_INT, nranks, 0, 1, MPI_INT, win);
    CHECK(error_class(code) == MPI_ERR_RANK, "MPI_Put to rank %d returns class %d", nranks,
          error_class(code));
    return code;
}

static int fail_send(void)
{
    int code = MPI_Send(&rank, 1, MPI_INT, nranks, 0, comm);
    CHECK(error_class(code) == MPI_ERR_RANK, "MPI_Send to rank %d returns class %d", nranks,
          error_class(code));
    return code;
}

static void check_ours(int code, const char *when)
{
    CHECK(strncmp(text_of(code), "MPI_Put: ", 9) == 0, "%s: %s", when, text);
}

static void check_theirs(int code, const char *when)
{
    CHECK(!strstr(text_of(code), "MPI_Put"), "%s: %s", when, text);
}

static void after_another_chapter(MPI_Win win)
{
    check_ours(fail_put(win), "asked at once");
    check_theirs(fail_send(), "a failing send after a failing put whose text was asked for");
    fail_put(win);
    check_theirs(fail_send(), "a failing send after a failing put");
    check_ours(fail_put(win), "a failing put after a failing send");
}

static void after_what_went_well(MPI_Win win)
{
    int code = fail_put(win), got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % nranks, 0, &got, 1, MPI_INT,
                 (rank + nranks - 1) % nranks, 0, comm, MPI_STATUS_IGNORE);
    CHECK(got == (rank + nranks - 1) % nranks, "received %d", got);
    check_ours(code, "asked after a message");
}

/* An error handler that is called by the program itself is told what Proa said. */
static void after_a_call_of_the_handler(MPI_Win win)
{
    int code = fail_put(win);
    MPI_Win_call_errhandler(win, code);
    check_ours(code, "asked after MPI_Win_call_errhandler");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 64, 4, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
        MPI_Win_fence(0, a.win);
        after_another_chapter(a.win);
        after_what_went_well(a.win);
        after_a_call_of_the_handler(a.win);
        MPI_Win_fence(0, a.win);
        close_area(&a);
    }
    MPI_Comm_free(&comm);
    return finish("text");
}
