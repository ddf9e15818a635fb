/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More windows alive than MPICH has communicators for half of them: 1,200, each with a name, an
 * attribute and an error handler of the program's own (MPICH gives every window a communicator's
 * number out of some 2,000; past PROA_HOST_WINDOWS windows Proa does without).
 */
#include "light.h"

enum { windows = 1200 };

static MPI_Win wins[windows];
static MPI_Win told;
static int deletions, wrong_deletions;

static void on_error(MPI_Win *win, int *code, ...)
{
    (void)code;
    told = *win;
}

/* The value of an attribute is the window's place in the array. */
static int on_delete(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)keyval, (void)extra;
    deletions++;
    wrong_deletions += wins[(intptr_t)value] != win;
    return MPI_SUCCESS;
}

static void check_window(int w, int keyval)
{
    char name[MPI_MAX_OBJECT_NAME], expected[40];
    int length, found, value = 1;
    void *place = NULL;
    snprintf(expected, sizeof expected, "window %d", w);
    MPI_Win_get_name(wins[w], name, &length);
    CHECK(strcmp(name, expected) == 0, "%s has the name %s", expected, name);
    MPI_Win_get_attr(wins[w], keyval, &place, &found);
    CHECK(found && place == (void *)(intptr_t)w, "%s: attribute found %d, %p", expected, found,
          place);
    told = MPI_WIN_NULL;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, wins[w]); /* outside of any epoch */
    CHECK(told == wins[w], "%s: the error handler is given another window", expected);
}

static void check_memory(int w, const int *memory)
{
    int value = w + rank, right = (rank + 1) % nranks;
    MPI_Win_fence(0, wins[w]);
    MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, wins[w]);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, wins[w]);
    CHECK(*memory == w + (rank + nranks - 1) % nranks, "window %d: %d", w, *memory);
}

int main(int argc, char **argv)
{
    static int *memory[windows];
    int keyval, light = 0;
    char name[40];
    MPI_Errhandler handler;
    start(&argc, &argv);
    MPI_Win_create_errhandler(on_error, &handler);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keyval, NULL);
    for (int w = 0; w < windows; w++) {
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[w],
                         &wins[w]);
        light += is_light(wins[w]);
    }
    for (int w = 0; w < windows; w++) {
        snprintf(name, sizeof name, "window %d", w);
        MPI_Win_set_name(wins[w], name);
        MPI_Win_set_attr(wins[w], keyval, (void *)(intptr_t)w);
        MPI_Win_set_errhandler(wins[w], handler);
    }
    for (int w = 0; w < windows; w++) {
        check_window(w, keyval);
        check_memory(w, memory[w]);
    }
    for (int w = 0; w < windows; w++) {
        MPI_Win gone = wins[w];
        MPI_Win_free(&gone);
    }
    CHECK(light > 0 || !HAS_LIGHT, "no window has a light handle");
    CHECK(deletions == windows && wrong_deletions == 0, "%d deletions, %d with another window",
          deletions, wrong_deletions);
    MPI_Win_free_keyval(&keyval);
    MPI_Errhandler_free(&handler);
    return finish("many");
}
