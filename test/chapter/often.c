/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that fail again and again under MPI_ERRORS_RETURN, at PROA_LOG=2: the same line from the
 * same place is written the 1st, 10th, 100th time and so on.
 */
#include "window.h"

static FILE *lines; /* standard error while calls fail */
static int standard_error;

static void begin(void)
{
    lines = need(tmpfile());
    standard_error = dup(STDERR_FILENO);
    dup2(fileno(lines), STDERR_FILENO);
}

static void end(void)
{
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    rewind(lines);
}

static void put_wrongly(const struct area *a, int target, int times)
{
    int value = 1;
    for (int i = 0; i < times; i++)
        CHECK(error_class(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, a->win)) ==
                  MPI_ERR_RANK,
              "a put to rank %d, time %d", target, i);
}

/* The next line ends with this. */
static void check_line(const char *expected)
{
    char line[600];
    if (!fgets(line, sizeof line, lines))
        strcpy(line, "(none)");
    line[strcspn(line, "\n")] = '\0';
    size_t length = strlen(line), most = strlen(expected);
    CHECK(length >= most && strcmp(line + length - most, expected) == 0, "\"%s\" for \"...%s\"",
          line, expected);
}

static void check_end(void)
{
    char line[600];
    CHECK(!fgets(line, sizeof line, lines), "a line too many: %s", line);
    fclose(lines);
}

static void one_place(const struct area *a)
{
    begin();
    put_wrongly(a, nranks, 1000);
    end();
    check_line("\"halo\")");
    check_line("\"halo\") (10 times so far)");
    check_line("\"halo\") (100 times so far)");
    check_line("\"halo\") (1000 times so far)");
    check_end();
}

/* Another text from that place, and the same text from another. */
static void others(const struct area *a)
{
    int value = 1;
    begin();
    put_wrongly(a, nranks + 1, 2);
    MPI_Put(&value, 1, MPI_INT, nranks, 0, 1, MPI_INT, a->win);
    end();
    check_line("\"halo\")");
    check_line("\"halo\")");
    check_end();
}

/* A new line takes the place of the oldest, which is new again. */
static void many(const struct area *a)
{
    begin();
    for (int i = 0; i < 300; i++)
        put_wrongly(a, nranks + 2 + i, 1);
    put_wrongly(a, nranks, 1);
    end();
    for (int i = 0; i < 301; i++)
        check_line("\"halo\")");
    check_end();
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    struct area a = open_area(kind_allocate, 64, 4, MPI_COMM_WORLD);
    MPI_Win_set_name(a.win, "halo");
    MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, a.win);
    one_place(&a);
    others(&a);
    many(&a);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
    close_area(&a);
    return finish("often");
}
