/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rest of what a window is as an object: its name, its group, its number in Fortran.
 *
 *   objects [light]
 */
#include "light.h"

static const char *name_of(MPI_Win win)
{
    static char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    memset(name, 'x', sizeof name);
    MPI_Win_get_name(win, name, &length);
    CHECK(length == (int)strlen(name), "length %d of name %s", length, name);
    return name;
}

static void names(MPI_Win win)
{
    char longest[MPI_MAX_OBJECT_NAME];
    CHECK(name_of(win)[0] == '\0', "a new window has the name %s", name_of(win));
    MPI_Win_set_name(win, "outrigger");
    CHECK(strcmp(name_of(win), "outrigger") == 0, "name %s", name_of(win));
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    MPI_Win_set_name(win, longest);
    CHECK(strcmp(name_of(win), longest) == 0, "a name of the greatest length is not kept");
    MPI_Win_set_name(win, "");
    CHECK(name_of(win)[0] == '\0', "a name cannot be taken away: %s", name_of(win));
}

/* The same ranks in the same order, and a group of the program's: it may free it, and ask again. */
static void groups(MPI_Win win, MPI_Comm comm)
{
    MPI_Group by_win, by_comm;
    int same;
    MPI_Comm_group(comm, &by_comm);
    for (int i = 0; i < 3; i++) {
        MPI_Win_get_group(win, &by_win);
        MPI_Group_compare(by_win, by_comm, &same);
        CHECK(same == MPI_IDENT, "the group of the window is not that of its communicator");
        MPI_Group_free(&by_win);
    }
    MPI_Group_free(&by_comm);
}

/* There and back; and the handle that comes back is as good. */
static void numbers(const struct area *a)
{
    MPI_Win back = win_by_number(a->win);
    int value = rank;
    CHECK(back == a->win, "by its number it is another handle");
    MPI_Win_fence(0, back);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % nranks, disp_at(a, (rank + 1) % nranks, 0), 1, MPI_INT,
            back);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, back);
    CHECK(*(int *)a->base == (rank + nranks - 1) % nranks,
          "a put by a handle from Fortran brings %d", *(int *)a->base);
    CHECK(win_by_number(MPI_WIN_NULL) == MPI_WIN_NULL,
          "MPI_WIN_NULL does not come back from Fortran");
}

int main(int argc, char **argv)
{
    MPI_Comm reversed;
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 64, 4, MPI_COMM_WORLD);
        check_handle(a.win, argc > 1);
        names(a.win);
        groups(a.win, MPI_COMM_WORLD);
        numbers(&a);
        close_area(&a);
        CHECK(a.win == MPI_WIN_NULL, "MPI_Win_free leaves the handle");
    }
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    struct area a = open_area(kind_allocate, 64, 4, reversed);
    groups(a.win, reversed);
    close_area(&a);
    MPI_Comm_free(&reversed);
    return finish("objects");
}
