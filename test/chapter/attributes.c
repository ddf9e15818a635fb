/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes of windows of every flavor: the predefined ones, and the program's own with their copy
 * and delete functions.
 *
 *   attributes [light]
 *
 * light: under MPICH, with PROA_HOST_WINDOWS=0, every window has a handle that MPICH never gives
 * out; it must make no difference.
 */
#include "light.h"

static const int flavors[nkinds] = {MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_CREATE,
                                    MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED};

enum { unit = 4 };

static MPI_Aint bytes_of(int who)
{
    return 64 + 16 * who;
}

/* ---- predefined ---- */

static void *predefined(MPI_Win win, int keyval, const char *kind)
{
    void *value = NULL;
    int found = -1, code = MPI_Win_get_attr(win, keyval, &value, &found);
    CHECK(code == MPI_SUCCESS && found == 1, "%s: predefined attribute: class %d, found %d", kind,
          error_class(code), found);
    return value;
}

static int int_of(MPI_Win win, int keyval, const char *kind)
{
    const int *value = predefined(win, keyval, kind);
    return value ? *value : -1;
}

static void check_predefined(const struct area *a)
{
    const char *kind = kind_names[a->kind];
    int dynamic = a->kind == kind_dynamic;
    const MPI_Aint *size = predefined(a->win, MPI_WIN_SIZE, kind);
    CHECK(predefined(a->win, MPI_WIN_BASE, kind) == (dynamic ? MPI_BOTTOM : a->base),
          "%s: MPI_WIN_BASE", kind);
    CHECK(size && *size == (dynamic ? 0 : bytes_of(rank)), "%s: MPI_WIN_SIZE %ld", kind,
          size ? (long)*size : -1L);
    CHECK(int_of(a->win, MPI_WIN_DISP_UNIT, kind) == (dynamic ? 1 : unit), "%s: MPI_WIN_DISP_UNIT",
          kind);
    CHECK(int_of(a->win, MPI_WIN_CREATE_FLAVOR, kind) == flavors[a->kind],
          "%s: MPI_WIN_CREATE_FLAVOR", kind);
    CHECK(int_of(a->win, MPI_WIN_MODEL, kind) == MPI_WIN_UNIFIED, "%s: MPI_WIN_MODEL", kind);
}

#if MPI_VERSION >= 4
static void check_large_count_forms(void)
{
    struct area a = {.kind = kind_allocate, .comm = MPI_COMM_WORLD};
    MPI_Win_allocate_c(bytes_of(rank), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &a.base, &a.win);
    check_predefined(&a);
    MPI_Win_free(&a.win);
    a.kind = kind_shared;
    MPI_Win_allocate_shared_c(bytes_of(rank), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &a.base, &a.win);
    check_predefined(&a);
    MPI_Win_free(&a.win);
    a.kind = kind_create;
    a.base = need(malloc((size_t)bytes_of(rank)));
    MPI_Win_create_c(a.base, bytes_of(rank), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &a.win);
    check_predefined(&a);
    MPI_Win_free(&a.win);
    free(a.base);
}
#endif

/* ---- the program's own ---- */

static struct {
    int copies, deletions, refuse;
    MPI_Win win;
    int keyval;
    void *value, *extra, *base;
    int group_size;
} seen;

static int on_copy(MPI_Win win, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)win, (void)keyval, (void)extra, (void)in, (void)out;
    seen.copies++;
    *flag = 0;
    return MPI_SUCCESS;
}

/* The window still exists for its delete functions: they may ask for its memory and its group. */
static int on_delete(MPI_Win win, int keyval, void *value, void *extra)
{
    MPI_Group group;
    seen.deletions++;
    seen.win = win;
    seen.keyval = keyval;
    seen.value = value;
    seen.extra = extra;
    seen.base = predefined(win, MPI_WIN_BASE, "in a delete function");
    MPI_Win_get_group(win, &group);
    MPI_Group_size(group, &seen.group_size);
    MPI_Group_free(&group);
    return seen.refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void check_deleted(MPI_Win win, int keyval, const void *value, const void *base,
                          const char *when)
{
    CHECK(seen.deletions == 1 && seen.copies == 0, "%s: %d deletions, %d copies", when,
          seen.deletions, seen.copies);
    CHECK(seen.win == win, "%s: the delete function gets another window", when);
    CHECK(seen.keyval == keyval && seen.value == value && seen.extra == &seen,
          "%s: keyval %d, value %p, extra %p", when, seen.keyval, seen.value, seen.extra);
    CHECK(seen.base == base && seen.group_size == nranks,
          "%s: in the delete function base is %p, the group has %d members", when, seen.base,
          seen.group_size);
    seen.deletions = 0;
}

static void *get(MPI_Win win, int keyval)
{
    void *value = NULL;
    int found = -1;
    MPI_Win_get_attr(win, keyval, &value, &found);
    return found == 1 ? value : NULL;
}

static void check_own(struct area *a)
{
    static int first, second;
    void *base = predefined(a->win, MPI_WIN_BASE, kind_names[a->kind]);
    MPI_Win win = a->win;
    int keyval, other, number;
    memset(&seen, 0, sizeof seen);
    MPI_Win_create_keyval(on_copy, on_delete, &keyval, &seen);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &other, NULL);
    number = keyval;
    CHECK(!get(win, keyval), "an attribute is there before it is set");
    MPI_Win_set_attr(win, keyval, &first);
    MPI_Win_set_attr(win, other, &second);
    CHECK(get(win, keyval) == &first && get(win, other) == &second && !seen.deletions,
          "attributes are not what was set");
    MPI_Win_set_attr(win, keyval, &second);
    check_deleted(win, keyval, &first, base, "set again");
    MPI_Win_delete_attr(win, keyval);
    check_deleted(win, keyval, &second, base, "delete");
    CHECK(!get(win, keyval) && get(win, other) == &second,
          "a deleted attribute is there, or another one is not");
    MPI_Win_set_attr(win, keyval, &first);
    MPI_Win_free_keyval(&keyval);
    MPI_Win_free_keyval(&other);
    CHECK(keyval == MPI_KEYVAL_INVALID && !seen.deletions,
          "freeing a keyval deletes the attribute");
    check_predefined(a);
    close_area(a);
    check_deleted(win, number, &first, base, "free of the window");
}

/* A delete function that fails keeps the attribute, and its error is the call's. */
static void check_refusal(MPI_Win win)
{
    static int value;
    int keyval, code;
    memset(&seen, 0, sizeof seen);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keyval, &seen);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_set_attr(win, keyval, &value);
    seen.refuse = 1;
    code = MPI_Win_delete_attr(win, keyval);
    CHECK(code != MPI_SUCCESS && seen.deletions == 1,
          "a delete function that fails: code %d, %d deletions", code, seen.deletions);
    seen.refuse = 0;
    MPI_Win_delete_attr(win, keyval);
    MPI_Win_free_keyval(&keyval);
    MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int light = argc > 1;
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, (size_t)bytes_of(rank), unit, MPI_COMM_WORLD);
        check_handle(a.win, light);
        check_predefined(&a);
        check_refusal(a.win);
        check_own(&a);
    }
#if MPI_VERSION >= 4
    check_large_count_forms();
#endif
    return finish("attributes");
}
