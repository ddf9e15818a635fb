/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error handlers of windows: made, set, got, called, freed; the program's own are given the handle
 * that the program knows. (What MPI_ERRORS_ARE_FATAL does: fatal.sh. MPI_ERRORS_ABORT, which MPICH
 * 4.0.2 declares, fails an assertion of its own on any object.)
 *
 *   handlers [light]
 */
#include "light.h"

static struct {
    int calls, code;
    MPI_Win win;
} heard, heard_by_second;

static void on_error(MPI_Win *win, int *code, ...)
{
    heard.calls++;
    heard.win = *win;
    heard.code = *code;
}

static void on_error_second(MPI_Win *win, int *code, ...)
{
    heard_by_second.calls++;
    heard_by_second.win = *win;
    heard_by_second.code = *code;
}

static MPI_Errhandler get(MPI_Win win)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Win_get_errhandler(win, &handler);
    return handler;
}

static void check_is(MPI_Win win, MPI_Errhandler expected, const char *what)
{
    MPI_Errhandler found = get(win);
    CHECK(found == expected, "%s is not what MPI_Win_get_errhandler gives", what);
    MPI_Errhandler_free(&found);
}

static int wrong_put(const struct area *a)
{
    static const int value = 1;
    /* outside of any epoch */
    return MPI_Put(&value, 1, MPI_INT, rank, disp_at(a, rank, 0), 1, MPI_INT, a->win);
}

static void check_heard(MPI_Win win, int class, int calls, const char *what)
{
    CHECK(heard.calls == calls && error_class(heard.code) == class, "%s: %d calls, class %d", what,
          heard.calls, error_class(heard.code));
    CHECK(heard.win == win, "%s: the handler is given another window", what);
    heard.calls = 0;
}

static void predefined(const struct area *a)
{
    check_is(a->win, MPI_ERRORS_ARE_FATAL, "MPI_ERRORS_ARE_FATAL, the default,");
    MPI_Win_set_errhandler(a->win, MPI_ERRORS_RETURN);
    check_is(a->win, MPI_ERRORS_RETURN, "MPI_ERRORS_RETURN");
    CHECK(error_class(wrong_put(a)) == MPI_ERR_RMA_SYNC, "MPI_ERRORS_RETURN: class %d",
          error_class(wrong_put(a)));
    CHECK(MPI_Win_call_errhandler(a->win, MPI_ERR_OTHER) == MPI_SUCCESS,
          "MPI_Win_call_errhandler with MPI_ERRORS_RETURN fails");
}

static void own(const struct area *a)
{
    MPI_Errhandler handler;
    MPI_Win_create_errhandler(on_error, &handler);
    MPI_Win_set_errhandler(a->win, handler);
    check_is(a->win, handler, "an error handler of the program's own");
    CHECK(MPI_Win_call_errhandler(a->win, MPI_ERR_SPAWN) == MPI_SUCCESS,
          "MPI_Win_call_errhandler fails");
    check_heard(a->win, MPI_ERR_SPAWN, 1, "MPI_Win_call_errhandler");
    MPI_Errhandler_free(&handler); /* the window keeps it */
    CHECK(error_class(wrong_put(a)) == MPI_ERR_RMA_SYNC, "class %d", error_class(wrong_put(a)));
    check_heard(a->win, MPI_ERR_RMA_SYNC, 1, "a wrong put");
}

static void two_windows(const struct area *a)
{
    struct area second = open_area(a->kind, 64, 4, MPI_COMM_WORLD);
    MPI_Errhandler handler;
    MPI_Win_create_errhandler(on_error_second, &handler);
    MPI_Win_set_errhandler(second.win, handler);
    MPI_Errhandler_free(&handler);
    wrong_put(&second);
    CHECK(heard.calls == 0 && heard_by_second.calls == 1, "two windows: %d and %d calls",
          heard.calls, heard_by_second.calls);
    CHECK(heard_by_second.win == second.win, "two windows: the handler is given another one");
    wrong_put(a);
    CHECK(heard.calls == 1 && heard_by_second.calls == 1, "two windows: %d and %d calls",
          heard.calls, heard_by_second.calls);
    heard.calls = heard_by_second.calls = 0;
    close_area(&second);
}

/* A handler that the program uses for its communicators, too, sees what belongs to them and no
 * error of windows. */
static void not_the_communicators(const struct area *a)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    wrong_put(a);
    check_heard(a->win, MPI_ERR_RMA_SYNC, 1, "with MPI_ERRORS_RETURN on MPI_COMM_WORLD");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

#if defined(HOST_IS_MPICH)

static struct {
    int calls, class;
    MPI_Comm comm;
} heard_by_comm;

static void on_comm_error(MPI_Comm *comm, int *code, ...)
{
    heard_by_comm.calls++;
    heard_by_comm.comm = *comm;
    heard_by_comm.class = error_class(*code);
}

/* From 4.2 on MPICH asks MPI_COMM_SELF first. */
static int asks_self(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major = 0, minor = 0;
    MPI_Get_library_version(version, &length);
    sscanf(version, "MPICH Version: %d.%d", &major, &minor);
    return major > 4 || (major == 4 && minor >= 2);
}

static void check_goes_to(const struct area *a, MPI_Comm comm, const char *what)
{
    int class = error_class(wrong_put(a));
    CHECK(class == MPI_ERR_RMA_SYNC, "%s: class %d", what, class);
    CHECK(heard_by_comm.calls == 1 && heard_by_comm.class == class && heard_by_comm.comm == comm,
          "%s: %d calls, class %d", what, heard_by_comm.calls, heard_by_comm.class);
    heard_by_comm.calls = 0;
}

/* Under MPICH a window for which the program has set none has a communicator's error handler. */
static void unset(int kind)
{
    struct area a = open_area(kind, 64, 4, MPI_COMM_WORLD);
    MPI_Errhandler handler;
    check_is(a.win, MPI_ERRORS_ARE_FATAL, "the default");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(error_class(wrong_put(&a)) == MPI_ERR_RMA_SYNC, "MPI_ERRORS_RETURN on MPI_COMM_WORLD");
    MPI_Comm_create_errhandler(on_comm_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    check_goes_to(&a, MPI_COMM_WORLD, "a handler on MPI_COMM_WORLD");
    if (asks_self()) {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
        check_goes_to(&a, MPI_COMM_SELF, "a handler on MPI_COMM_SELF");
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    }
    MPI_Errhandler_free(&handler);
    MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
    wrong_put(&a);
    CHECK(heard_by_comm.calls == 0, "the communicator's is called in place of the window's");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    close_area(&a);
}

#else

static void unset(int kind)
{
    (void)kind; /* MPI_ERRORS_ARE_FATAL (fatal.sh) */
}

#endif

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 64, 4, MPI_COMM_WORLD);
        check_handle(a.win, argc > 1);
        predefined(&a);
        own(&a);
        two_windows(&a);
        not_the_communicators(&a);
        close_area(&a);
        unset(kind);
    }
    return finish("handlers");
}
