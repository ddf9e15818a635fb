/* SPDX-License-Identifier: BSD-3-Clause */
/* What a window says of itself: the five predefined attributes, its group, its name, and
 * MPI_Win_f2c(MPI_Win_c2f()). */
#include "window.h"

static const int flavors[nkinds] = {MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_CREATE,
                                    MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED};

static void *attribute(MPI_Win win, int keyval, const char *name)
{
    void *value = NULL;
    int found = 0;
    MPI_Win_get_attr(win, keyval, &value, &found);
    CHECK(found, "no attribute %s", name);
    return found ? value : NULL;
}

static void check_int(MPI_Win win, int keyval, int expected, const char *kind, const char *name)
{
    const int *value = attribute(win, keyval, name);
    CHECK(value && *value == expected, "%s: %s is %d, not %d", kind, name, value ? *value : -1,
          expected);
}

static void check_attributes(const struct area *a, MPI_Aint bytes)
{
    const char *kind = kind_names[a->kind];
    int dynamic = a->kind == kind_dynamic;
    void *base = attribute(a->win, MPI_WIN_BASE, "MPI_WIN_BASE");
    const MPI_Aint *size = attribute(a->win, MPI_WIN_SIZE, "MPI_WIN_SIZE");
    CHECK(base == (dynamic ? MPI_BOTTOM : a->base), "%s: MPI_WIN_BASE is %p, not %p", kind, base,
          a->base);
    CHECK(size && *size == (dynamic ? 0 : bytes), "%s: MPI_WIN_SIZE is %ld", kind,
          size ? (long)*size : -1);
    check_int(a->win, MPI_WIN_DISP_UNIT, dynamic ? 1 : a->disp_unit, kind, "MPI_WIN_DISP_UNIT");
    if (a->kind != kind_shared || shares_memory())
        check_int(a->win, MPI_WIN_CREATE_FLAVOR, flavors[a->kind], kind, "MPI_WIN_CREATE_FLAVOR");
    check_int(a->win, MPI_WIN_MODEL, MPI_WIN_UNIFIED, kind, "MPI_WIN_MODEL");
}

static void check_group(MPI_Win win, MPI_Comm comm, const char *kind)
{
    MPI_Group by_win, by_comm;
    int same = MPI_UNEQUAL;
    MPI_Win_get_group(win, &by_win);
    MPI_Comm_group(comm, &by_comm);
    MPI_Group_compare(by_win, by_comm, &same);
    CHECK(same == MPI_IDENT, "%s: MPI_Win_get_group gives another group", kind);
    MPI_Group_free(&by_win);
    MPI_Group_free(&by_comm);
}

static void check_name(MPI_Win win, const char *kind)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Win_set_name(win, "outrigger");
    MPI_Win_get_name(win, name, &length);
    CHECK(length == 9 && strcmp(name, "outrigger") == 0, "%s: name is %s", kind, name);
    CHECK(win_by_number(win) == win, "%s: by its number it is another handle", kind);
}

static int copies, deletions;

static int on_copy(MPI_Win win, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)win, (void)keyval, (void)extra, (void)in, (void)out;
    copies++;
    *flag = 0;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval;
    deletions++;
    CHECK(value == (void *)0x1234 && extra == (void *)0x5678, "delete function is given %p and %p",
          value, extra);
    return MPI_SUCCESS;
}

/* Attributes of the program: kept, and their delete function runs when the window is freed. */
static void check_keyval(struct area *a)
{
    int keyval;
    MPI_Win_create_keyval(on_copy, on_delete, &keyval, (void *)0x5678);
    MPI_Win_set_attr(a->win, keyval, (void *)0x1234);
    CHECK(attribute(a->win, keyval, "own") == (void *)0x1234, "%s: attribute lost",
          kind_names[a->kind]);
    deletions = 0;
    close_area(a);
    CHECK(deletions == 1 && copies == 0, "%s: %d deletions and %d copies at MPI_Win_free",
          kind_names[a->kind], deletions, copies);
    MPI_Win_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    for (int kind = 0; kind < nkinds; kind++) {
        MPI_Aint bytes = 400 + 16 * rank;
        struct area a = open_area(kind, (size_t)bytes, 4, reversed);
        check_attributes(&a, bytes);
        check_group(a.win, reversed, kind_names[kind]);
        check_name(a.win, kind_names[kind]);
        check_keyval(&a);
    }
    MPI_Comm_free(&reversed);
    return finish("win_query");
}
