/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles that stand for no window: MPI_WIN_NULL, and that of a window that has been freed. Every
 * call of the chapter that takes a handle is made with both, each in a child process, and how the
 * child ends is looked at: the call must have returned an error of class MPI_ERR_WIN. It must do so
 * even where the host alone would not: Open MPI's handles are addresses of memory that is given
 * back, and MPICH takes a freed window for a good one in many calls.
 *
 * One call may succeed: MPI-4.1 gives MPI_WIN_NULL a name, "MPI_WIN_NULL" (Naming Objects), and
 * hosts of that version tell it.
 *
 *   handles [light]
 */
#include "light.h"
#include <execinfo.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

/* ---- the calls ---- */

typedef int handle_call(MPI_Win win);

static int value, flag, unit;
static MPI_Aint size;
static void *base;
static MPI_Request request;
static char name[MPI_MAX_OBJECT_NAME];
static MPI_Group group;
static MPI_Info info;
static MPI_Errhandler handler;

#define CALL(function, arguments)         \
    static int do_##function(MPI_Win win) \
    {                                     \
        return function arguments;        \
    }
#define CALLS(X)                                                                                   \
    X(MPI_Win_free, (&win))                                                                        \
    X(MPI_Win_attach, (win, &value, 4))                                                            \
    X(MPI_Win_detach, (win, &value))                                                               \
    X(MPI_Win_shared_query, (win, 0, &size, &unit, &base))                                         \
    X(MPI_Win_get_group, (win, &group))                                                            \
    X(MPI_Win_set_info, (win, MPI_INFO_NULL))                                                      \
    X(MPI_Win_get_info, (win, &info))                                                              \
    X(MPI_Win_get_attr, (win, MPI_WIN_BASE, &base, &flag))                                         \
    X(MPI_Win_set_attr, (win, MPI_WIN_BASE, &base))                                                \
    X(MPI_Win_delete_attr, (win, MPI_WIN_BASE))                                                    \
    X(MPI_Win_set_name, (win, "none"))                                                             \
    X(MPI_Win_get_name, (win, name, &unit))                                                        \
    X(MPI_Win_set_errhandler, (win, MPI_ERRORS_RETURN))                                            \
    X(MPI_Win_get_errhandler, (win, &handler))                                                     \
    X(MPI_Win_call_errhandler, (win, MPI_ERR_OTHER))                                               \
    X(MPI_Win_fence, (0, win))                                                                     \
    X(MPI_Win_start, (MPI_GROUP_EMPTY, 0, win))                                                    \
    X(MPI_Win_complete, (win))                                                                     \
    X(MPI_Win_post, (MPI_GROUP_EMPTY, 0, win))                                                     \
    X(MPI_Win_wait, (win))                                                                         \
    X(MPI_Win_test, (win, &flag))                                                                  \
    X(MPI_Win_lock, (MPI_LOCK_SHARED, 0, 0, win))                                                  \
    X(MPI_Win_unlock, (0, win))                                                                    \
    X(MPI_Win_lock_all, (0, win))                                                                  \
    X(MPI_Win_unlock_all, (win))                                                                   \
    X(MPI_Win_flush, (0, win))                                                                     \
    X(MPI_Win_flush_all, (win))                                                                    \
    X(MPI_Win_flush_local, (0, win))                                                               \
    X(MPI_Win_flush_local_all, (win))                                                              \
    X(MPI_Win_sync, (win))                                                                         \
    X(MPI_Put, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win))                                        \
    X(MPI_Get, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win))                                        \
    X(MPI_Accumulate, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win))                        \
    X(MPI_Get_accumulate, (&value, 1, MPI_INT, &unit, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win)) \
    X(MPI_Fetch_and_op, (&value, &unit, MPI_INT, 0, 0, MPI_SUM, win))                              \
    X(MPI_Compare_and_swap, (&value, &value, &unit, MPI_INT, 0, 0, win))                           \
    X(MPI_Rput, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request))                             \
    X(MPI_Rget, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request))                             \
    X(MPI_Raccumulate, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request))             \
    X(MPI_Rget_accumulate,                                                                         \
      (&value, 1, MPI_INT, &unit, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request))
CALLS(CALL)

#if MPI_VERSION >= 4
static MPI_Aint large_unit;
#define LARGE_CALLS(X)                                                                   \
    X(MPI_Win_shared_query_c, (win, 0, &size, &large_unit, &base))                       \
    X(MPI_Put_c, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win))                            \
    X(MPI_Get_c, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win))                            \
    X(MPI_Accumulate_c, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win))            \
    X(MPI_Get_accumulate_c,                                                              \
      (&value, 1, MPI_INT, &unit, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win))           \
    X(MPI_Rput_c, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request))                 \
    X(MPI_Rget_c, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request))                 \
    X(MPI_Raccumulate_c, (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request)) \
    X(MPI_Rget_accumulate_c,                                                             \
      (&value, 1, MPI_INT, &unit, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request))
LARGE_CALLS(CALL)
#else
#define LARGE_CALLS(X)
#endif

#define ENTRY(function, arguments) {#function, do_##function},
static const struct {
    const char *name;
    handle_call *call;
} calls[] = {CALLS(ENTRY) LARGE_CALLS(ENTRY)};
enum { ncalls = sizeof calls / sizeof calls[0] };

/* ---- the children ---- */

enum ending {
    ended_by_host,
    ended_win_error = 200,
    ended_other_error,
    ended_success,
    ended_named,
    ended_in_host,
    ended_in_proa,
    after_endings
};

static const char *ending_name(enum ending ending)
{
    switch (ending) {
    case ended_win_error:
        return "MPI_ERR_WIN";
    case ended_other_error:
        return "another error";
    case ended_success:
        return "success";
    case ended_named:
        return "the name of MPI_WIN_NULL";
    case ended_in_host:
        return "a crash or a hang in the host";
    case ended_in_proa:
        return "a crash or a hang in Proa";
    default:
        return "the end of the process by the host";
    }
}

/* Whose function was interrupted? Frame 0 is this handler, frame 1 the C library's way into it;
 * functions of the C library are as good as their caller. */
static void on_signal(int number)
{
    void *frame[40];
    int n = backtrace(frame, 40);
    (void)number;
    for (int i = 2; i < n; i++) {
        Dl_info where;
        if (!dladdr(frame[i], &where) || !where.dli_fname || strstr(where.dli_fname, "libc.so"))
            continue;
        _exit(strstr(where.dli_fname, "libproa") ? ended_in_proa : ended_in_host);
    }
    _exit(ended_in_host);
}

static void end_by_call(handle_call *call, MPI_Win win)
{
    const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGPROF};
    /* processor time, which a busy machine does not use up; and a call that sleeps for ever */
    const struct itimerval computing = {.it_value = {.tv_sec = 1}},
                           asleep = {.it_value = {.tv_sec = 20}};
    for (int i = 0; i < 7; i++)
        signal(deadly[i], on_signal);
    setitimer(ITIMER_PROF, &computing, NULL);
    setitimer(ITIMER_REAL, &asleep, NULL);
    int class = error_class(call(win));
    if (class == MPI_SUCCESS)
        _exit(strcmp(name, "MPI_WIN_NULL") == 0 ? ended_named : ended_success);
    _exit(class == MPI_ERR_WIN ? ended_win_error : ended_other_error);
}

static enum ending ending_of(handle_call *call, MPI_Win win)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        end_by_call(call, win);
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) < ended_win_error ||
        WEXITSTATUS(status) >= after_endings)
        return ended_by_host;
    return (enum ending)WEXITSTATUS(status);
}

static void all_calls(MPI_Win win, const char *what)
{
    int count[after_endings] = {0};
    for (int i = 0; i < ncalls; i++) {
        enum ending ending = ending_of(calls[i].call, win);
        count[ending]++;
        int named =
            win == MPI_WIN_NULL && calls[i].call == do_MPI_Win_get_name && ending == ended_named;
        CHECK(ending == ended_win_error || named, "%s with %s: %s", calls[i].name, what,
              ending_name(ending));
    }
    for (int i = 0; i < after_endings && rank == 0; i++)
        if (count[i])
            printf("%s: %s %d times\n", what, ending_name((enum ending)i), count[i]);
}

int main(int argc, char **argv)
{
    void *frame[1];
    start(&argc, &argv);
    backtrace(frame, 1); /* loads what it needs now, not in a signal handler */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    struct area a = open_area(kind_allocate, 64, 4, MPI_COMM_WORLD);
    MPI_Win freed = a.win;
    check_handle(freed, argc > 1);
    close_area(&a);
    all_calls(MPI_WIN_NULL, "MPI_WIN_NULL");
    all_calls(freed, "a freed window");
    a = open_area(kind_allocate, 64, 4, MPI_COMM_WORLD); /* and all goes on */
    MPI_Win_fence(0, a.win);
    value = rank;
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % nranks, 0, 1, MPI_INT, a.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
    CHECK(*(int *)a.base == (rank + nranks - 1) % nranks, "a window after wrong handles: %d",
          *(int *)a.base);
    close_area(&a);
    return finish("handles");
}
