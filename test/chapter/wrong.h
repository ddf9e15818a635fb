/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong uses of the chapter that are seen at the call: what every program error_*.c uses.
 *
 *   start_listening(&argc, &argv);
 *   run_row(argc, argv, rows, nrows);
 *   return finish_listening(argv[1]);
 *
 * A row is a line of the table of errors (doc/CHAPTER.md). It runs on a window of each kind, named
 * "halo", in whose memory lies a known pattern. The row makes its wrong calls through WRONG, which
 * makes each of them twice: under MPI_ERRORS_RETURN, and under an error handler of the program's
 * own. After the row no byte of any window may have changed, and correct epochs of every sort must
 * work. MPI_COMM_WORLD keeps MPI_ERRORS_ARE_FATAL: an error that is raised on the wrong handler
 * ends the run.
 */
#ifndef PROA_TEST_WRONG_H
#define PROA_TEST_WRONG_H

#include "window.h"

enum { words = 16 };

/* Rows of what both hosts serve are run in both ways: with PROA_STRICT=1 they are errors, without
 * it they must do what was meant. */
static inline int is_strict(void)
{
    const char *strict = getenv("PROA_STRICT");
    return strict && strcmp(strict, "1") == 0;
}

struct row {
    const char *name;
    void (*run)(struct area *);
    int kinds; /* of windows that it is run on: nkinds, or 1 for a row that makes its own */
};

/* ---- what an error handler of the program's own was told last ---- */

static struct {
    int calls, class;
    MPI_Win win;
    MPI_Comm comm;
    char text[MPI_MAX_ERROR_STRING];
} heard;

static inline void hear(int code)
{
    int length;
    heard.calls++;
    heard.class = error_class(code);
    MPI_Error_string(code, heard.text, &length);
}

static inline void on_window_error(MPI_Win *win, int *code, ...)
{
    heard.win = *win;
    hear(*code);
}

static inline void on_comm_error(MPI_Comm *comm, int *code, ...)
{
    heard.comm = *comm;
    hear(*code);
}

static MPI_Errhandler own_for_windows, own_for_comms;

/* ---- what is expected ---- */

struct expected {
    int line, class;
    const char *call;  /* the text must begin with this name */
    const char *about; /* and must say this */
    int own;           /* under the program's own handler */
};

static inline void check_text(const struct expected *e, const char *text)
{
    size_t length = strlen(e->call);
    CHECK(strncmp(text, e->call, length) == 0 && text[length] == ':',
          "line %d, %s: the text does not name the call: %s", e->line, e->call, text);
    CHECK(strstr(text, e->about), "line %d, %s: the text does not say \"%s\": %s", e->line, e->call,
          e->about, text);
}

static inline void check_code(const struct expected *e, int code, char *text)
{
    int length;
    CHECK(error_class(code) == e->class, "line %d, %s: class %d, not %d", e->line, e->call,
          error_class(code), e->class);
    CHECK(heard.calls == e->own, "line %d, %s: the error handler was called %d times, not %d",
          e->line, e->call, heard.calls, e->own);
    CHECK(!e->own || heard.class == e->class,
          "line %d, %s: the error handler was told class %d, not %d", e->line, e->call, heard.class,
          e->class);
    MPI_Error_string(code, text, &length);
    CHECK(!e->own || strcmp(text, heard.text) == 0,
          "line %d, %s: the error handler was told another text: %s", e->line, e->call, heard.text);
}

static inline void check_window_error(const struct area *a, struct expected e, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "", where[80];
    int me;
    check_code(&e, code, text);
    check_text(&e, text);
    MPI_Comm_rank(a->comm, &me);
    snprintf(where, sizeof where, "(rank %d, window \"halo\")", me);
    CHECK(strstr(text, where), "line %d, %s: the text does not say %s: %s", e.line, e.call, where,
          text);
    CHECK(!e.own || heard.win == a->win, "line %d, %s: the error handler was given another window",
          e.line, e.call);
}

static inline void check_comm_error(MPI_Comm comm, struct expected e, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    check_code(&e, code, text);
    check_text(&e, text);
    CHECK(!e.own || heard.comm == comm,
          "line %d, %s: the error handler was given another communicator", e.line, e.call);
}

static inline void listen_on_window(MPI_Win win, int own)
{
    heard.calls = 0;
    MPI_Win_set_errhandler(win, own ? own_for_windows : MPI_ERRORS_RETURN);
}

static inline void listen_on_comm(MPI_Comm comm, int own)
{
    heard.calls = 0;
    MPI_Comm_set_errhandler(comm, own ? own_for_comms : MPI_ERRORS_RETURN);
}

static inline void check_right(int line, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    CHECK(code == MPI_SUCCESS, "line %d, %s: %s", line, what, text);
}

/* The expression is a call on a->win with this name; it is evaluated twice. */
#define WRONG_CALL(a, error, name, about, expression)                                          \
    do {                                                                                       \
        listen_on_window((a)->win, 0);                                                         \
        check_window_error(a, (struct expected){__LINE__, error, name, about, 0}, expression); \
        listen_on_window((a)->win, 1);                                                         \
        check_window_error(a, (struct expected){__LINE__, error, name, about, 1}, expression); \
        listen_on_window((a)->win, 0);                                                         \
    } while (0)

/* The same, named after the function: WRONG(a, MPI_ERR_RMA_SYNC, "no MPI_Win_start",
 * MPI_Win_complete, (a->win)); */
#define WRONG(a, error, about, function, arguments) \
    WRONG_CALL(a, error, #function, about, function arguments)

/* The same for a call whose error is the communicator's. */
#define WRONG_ON(comm, error, about, function, arguments)                               \
    do {                                                                                \
        listen_on_comm(comm, 0);                                                        \
        check_comm_error(comm, (struct expected){__LINE__, error, #function, about, 0}, \
                         function arguments);                                           \
        listen_on_comm(comm, 1);                                                        \
        check_comm_error(comm, (struct expected){__LINE__, error, #function, about, 1}, \
                         function arguments);                                           \
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);                            \
    } while (0)

#define RIGHT(expression) check_right(__LINE__, #expression, expression)

/* ---- the window ---- */

static inline int pattern(int who, int i)
{
    return 100000 * (who + 1) + i;
}

static inline void lay_pattern(const struct area *a)
{
    for (int i = 0; i < words; i++)
        ((int *)a->base)[i] = pattern(rank, i);
}

static inline void check_pattern(const struct area *a, const char *row)
{
    for (int i = 0; i < words; i++)
        CHECK(((int *)a->base)[i] == pattern(rank, i), "%s, %s: word %d is %d", row,
              kind_names[a->kind], i, ((int *)a->base)[i]);
}

static inline int right_of(void)
{
    return (rank + 1) % nranks;
}
static inline int left_of(void)
{
    return (rank + nranks - 1) % nranks;
}

static inline int put_word(const struct area *a, int target, int at, const int *value)
{
    return MPI_Put(value, 1, MPI_INT, target, disp_at(a, target, at), 1, MPI_INT, a->win);
}

static inline void by_fence(const struct area *a)
{
    int value = 7000 + rank;
    RIGHT(MPI_Win_fence(0, a->win));
    RIGHT(put_word(a, right_of(), 1, &value));
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
    CHECK(((int *)a->base)[1] == 7000 + left_of(), "put and fence bring %d", ((int *)a->base)[1]);
}

static inline void by_post(const struct area *a)
{
    int value = 8000 + rank;
    MPI_Group right = group_of_one(right_of()), left = group_of_one(left_of());
    RIGHT(MPI_Win_post(left, 0, a->win));
    RIGHT(MPI_Win_start(right, 0, a->win));
    RIGHT(put_word(a, right_of(), 2, &value));
    RIGHT(MPI_Win_complete(a->win));
    RIGHT(MPI_Win_wait(a->win));
    CHECK(((int *)a->base)[2] == 8000 + left_of(), "post, start, put, complete and wait bring %d",
          ((int *)a->base)[2]);
    MPI_Group_free(&right);
    MPI_Group_free(&left);
}

static inline void by_lock(const struct area *a)
{
    int value = 9000 + rank, one = 1, got = 0;
    MPI_Barrier(a->comm);
    RIGHT(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right_of(), 0, a->win));
    RIGHT(put_word(a, right_of(), 3, &value));
    RIGHT(MPI_Win_flush(right_of(), a->win));
    RIGHT(MPI_Get(&got, 1, MPI_INT, right_of(), disp_at(a, right_of(), 3), 1, MPI_INT, a->win));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    CHECK(got == value, "lock, put, get and unlock bring %d", got);
    RIGHT(MPI_Win_lock_all(0, a->win));
    for (int target = 0; target < nranks; target++)
        RIGHT(MPI_Accumulate(&one, 1, MPI_INT, target, disp_at(a, target, 4), 1, MPI_INT, MPI_SUM,
                             a->win));
    RIGHT(MPI_Win_unlock_all(a->win));
    MPI_Barrier(a->comm);
    CHECK(((int *)a->base)[4] == pattern(rank, 4) + nranks, "lock_all and accumulate bring %d",
          ((int *)a->base)[4] - pattern(rank, 4));
}

/* Anything that a wrong call may have left behind in the window's state shows in one of these. */
static inline void sail_on(const struct area *a)
{
    listen_on_window(a->win, 0);
    by_lock(a);
    by_post(a);
    by_fence(a);
    by_post(a);
}

static inline void run_on_kind(const struct row *row, int kind)
{
    struct area a = open_area(kind, words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
    MPI_Win_set_name(a.win, "halo");
    MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
    lay_pattern(&a);
    MPI_Barrier(MPI_COMM_WORLD);
    row->run(&a);
    MPI_Barrier(MPI_COMM_WORLD);
    check_pattern(&a, row->name);
    MPI_Barrier(MPI_COMM_WORLD);
    sail_on(&a);
    close_area(&a);
}

static inline void start_listening(int *argc, char ***argv)
{
    start(argc, argv);
    MPI_Win_create_errhandler(on_window_error, &own_for_windows);
    MPI_Comm_create_errhandler(on_comm_error, &own_for_comms);
}

static inline int finish_listening(const char *name)
{
    MPI_Errhandler_free(&own_for_windows);
    MPI_Errhandler_free(&own_for_comms);
    return finish(name);
}

/* The row that the first argument names. */
static inline void run_row(int argc, char **argv, const struct row *rows, int nrows)
{
    const char *name = argc > 1 ? argv[1] : "";
    int found = 0;
    for (int i = 0; i < nrows; i++)
        for (int kind = 0; strcmp(rows[i].name, name) == 0 && kind < rows[i].kinds;
             kind++, found = 1)
            run_on_kind(&rows[i], kind);
    CHECK(found, "no row %s", name);
}

#endif
