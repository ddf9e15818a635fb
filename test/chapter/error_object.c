/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong uses of a window as an object: attach, detach and shared_query on the wrong flavor, regions
 * that overlap or are not there, attributes that are not the program's.
 */
#include "wrong.h"

static int is_dynamic(const struct area *a)
{
    return a->kind == kind_dynamic;
}

/* ---- flavors ---- */

static void run_flavor(struct area *a)
{
    static int memory[4];
    MPI_Aint size = -77;
    int unit = -77;
    void *found = memory;
    if (is_dynamic(a)) {
        WRONG(a, MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_shared_query,
              (a->win, 0, &size, &unit, &found));
        WRONG(a, MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_shared_query,
              (a->win, MPI_PROC_NULL, &size, &unit, &found));
#if MPI_VERSION >= 4
        MPI_Aint large_unit = -77;
        WRONG(a, MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_shared_query_c,
              (a->win, 0, &size, &large_unit, &found));
        CHECK(large_unit == -77, "a wrong query gave a displacement unit");
#endif
        CHECK(size == -77 && unit == -77 && found == memory, "a wrong query gave values");
        return;
    }
    WRONG(a, MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_attach,
          (a->win, memory, sizeof memory));
    WRONG(a, MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_detach, (a->win, memory));
    WRONG(a, MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_detach, (a->win, a->base));
}

/* ---- regions ---- */

static int get_and_flush(const struct area *a, MPI_Aint theirs, int *got)
{
    RIGHT(MPI_Get(got, 1, MPI_INT, right_of(), theirs, 1, MPI_INT, a->win));
    return MPI_Win_flush(right_of(), a->win);
}

/* A word of the right neighbour that cannot be reached; on another node that is found out there. */
static void check_not_there(const struct area *a, MPI_Aint theirs)
{
    int got = 0;
    if (shares_memory()) {
        WRONG(a, MPI_ERR_RMA_RANGE, "not in a region", MPI_Get,
              (&got, 1, MPI_INT, right_of(), theirs, 1, MPI_INT, a->win));
        return;
    }
    WRONG_CALL(a, MPI_ERR_RMA_RANGE, "MPI_Win_flush", "not in a region",
               get_and_flush(a, theirs, &got));
}

/* Two words of the right neighbour's region, one at each end, can be reached; the memory before and
 * behind it, which is not attached, cannot. */
static void check_region(const struct area *a, MPI_Aint theirs, int nbytes)
{
    int got[2] = {0, 0};
    MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win);
    RIGHT(MPI_Get(&got[0], 1, MPI_INT, right_of(), theirs, 1, MPI_INT, a->win));
    RIGHT(MPI_Get(&got[1], 1, MPI_INT, right_of(), theirs + nbytes - (int)sizeof(int), 1, MPI_INT,
                  a->win));
    check_not_there(a, theirs - 4);
    check_not_there(a, theirs + nbytes);
    MPI_Win_unlock(right_of(), a->win);
    CHECK(got[0] == 500 + right_of() && got[1] == 500 + right_of(), "the region holds %d and %d",
          got[0], got[1]);
}

static MPI_Aint address_of_right(void *memory)
{
    MPI_Aint mine, theirs;
    MPI_Get_address(memory, &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, left_of(), 0, &theirs, 1, MPI_AINT, right_of(), 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return theirs;
}

static void wrong_attaches(struct area *a, char *region, int nbytes)
{
    const int error = MPI_ERR_RMA_ATTACH;
    WRONG(a, error, "overlaps", MPI_Win_attach, (a->win, region, nbytes));
    WRONG(a, error, "overlaps", MPI_Win_attach, (a->win, region - 8, 9));
    WRONG(a, error, "overlaps", MPI_Win_attach, (a->win, region + nbytes - 1, 1));
    WRONG(a, error, "overlaps", MPI_Win_attach, (a->win, region + 8, 8));
    WRONG(a, error, "overlaps", MPI_Win_attach, (a->win, region - 8, nbytes + 16));
    WRONG(a, error, "overlaps", MPI_Win_attach, (a->win, a->base, words * sizeof(int)));
    WRONG(a, MPI_ERR_SIZE, "-1 is negative", MPI_Win_attach, (a->win, region + nbytes, -1));
    WRONG(a, MPI_ERR_BASE, "base is NULL", MPI_Win_attach, (a->win, NULL, 8));
}

static void run_attach(struct area *a)
{
    enum { nbytes = 64 };
    static int memory[3 * nbytes / sizeof(int)];
    char *region = (char *)memory + nbytes;
    if (!is_dynamic(a))
        return;
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        memory[i] = 500 + rank;
    RIGHT(MPI_Win_attach(a->win, region, nbytes));
    wrong_attaches(a, region, nbytes);
    MPI_Aint theirs = address_of_right(region);
    check_region(a, theirs, nbytes);
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_attach(a->win, region - 8, 8)); /* touches, but does not overlap */
    RIGHT(MPI_Win_attach(a->win, region + nbytes, 8));
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_detach(a->win, region));
    MPI_Barrier(MPI_COMM_WORLD);
    check_region(a, theirs - 8, 8);
    check_region(a, theirs + nbytes, 8);
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_detach(a->win, region - 8));
    RIGHT(MPI_Win_detach(a->win, region + nbytes));
}

static void run_detach(struct area *a)
{
    static int memory[16], never[4];
    const int error = MPI_ERR_BASE;
    if (!is_dynamic(a))
        return;
    for (int i = 0; i < 16; i++)
        memory[i] = 500 + rank;
    WRONG(a, error, "attached", MPI_Win_detach, (a->win, memory));
    RIGHT(MPI_Win_attach(a->win, memory, sizeof memory));
    WRONG(a, error, "attached", MPI_Win_detach, (a->win, never));
    WRONG(a, error, "attached", MPI_Win_detach, (a->win, NULL));
    /* inside, but not where it starts */
    WRONG(a, error, "attached", MPI_Win_detach, (a->win, memory + 1));
    WRONG(a, error, "attached", MPI_Win_detach, (a->win, memory + 16)); /* behind it */
    MPI_Aint theirs = address_of_right(memory);
    check_region(a, theirs, sizeof memory);
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_detach(a->win, memory));
    WRONG(a, error, "attached", MPI_Win_detach, (a->win, memory));
}

/* ---- keyvals ---- */

static void predefined_are_not_ours(struct area *a)
{
    static const int predefined[] = {MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT,
                                     MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL};
    void *before, *after;
    int found;
    for (int i = 0; i < 5; i++) {
        MPI_Win_get_attr(a->win, predefined[i], &before, &found);
        WRONG(a, MPI_ERR_KEYVAL, "predefined", MPI_Win_set_attr, (a->win, predefined[i], &found));
        WRONG(a, MPI_ERR_KEYVAL, "predefined", MPI_Win_delete_attr, (a->win, predefined[i]));
        MPI_Win_get_attr(a->win, predefined[i], &after, &found);
        CHECK(found && after == before, "predefined attribute %d changed", i);
    }
}

static void no_keyvals(struct area *a, int keyval)
{
    int found = -77;
    void *value = &found;
    WRONG(a, MPI_ERR_KEYVAL, "keyval", MPI_Win_set_attr, (a->win, keyval, &found));
    WRONG(a, MPI_ERR_KEYVAL, "keyval", MPI_Win_get_attr, (a->win, keyval, &value, &found));
    WRONG(a, MPI_ERR_KEYVAL, "keyval", MPI_Win_delete_attr, (a->win, keyval));
    CHECK(value == &found, "the value of an attribute that is none was given");
}

static void own_keyval_works(struct area *a)
{
    int keyval, found = 0;
    void *value = NULL;
    RIGHT(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL));
    RIGHT(MPI_Win_set_attr(a->win, keyval, &keyval));
    RIGHT(MPI_Win_get_attr(a->win, keyval, &value, &found));
    CHECK(found && value == &keyval, "own attribute: found %d", found);
    RIGHT(MPI_Win_delete_attr(a->win, keyval));
    RIGHT(MPI_Win_get_attr(a->win, keyval, &value, &found));
    CHECK(!found, "deleted attribute is still there");
    RIGHT(MPI_Win_free_keyval(&keyval));
}

/* The host alone can know that a keyval is another object's. Open MPI says so by another class, and
 * finds no attribute of it. */
static void keyval_of(struct area *a, int keyval, const char *whose)
{
    int found = -77, codes[3];
    void *value = &found;
    listen_on_window(a->win, 1);
    codes[0] = MPI_Win_set_attr(a->win, keyval, &keyval);
    codes[1] = MPI_Win_delete_attr(a->win, keyval);
    codes[2] = MPI_Win_get_attr(a->win, keyval, &value, &found);
    CHECK(codes[0] != MPI_SUCCESS && codes[1] != MPI_SUCCESS, "keyval of a %s: classes %d, %d",
          whose, error_class(codes[0]), error_class(codes[1]));
    CHECK(codes[2] == MPI_SUCCESS ? !found : value == &found,
          "keyval of a %s: an attribute is found", whose);
    CHECK(heard.calls == 2 + (codes[2] != MPI_SUCCESS) && heard.win == a->win,
          "keyval of a %s: %d calls of the handler", whose, heard.calls);
    listen_on_window(a->win, 0);
}

static void keyvals_of_others(struct area *a)
{
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    keyval_of(a, keyval, "communicator");
    MPI_Comm_free_keyval(&keyval);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL);
    keyval_of(a, keyval, "datatype");
    MPI_Type_free_keyval(&keyval);
    keyval_of(a, MPI_TAG_UB, "communicator, MPI_TAG_UB,");
}

static void run_keyval(struct area *a)
{
    enum { never_given = 12345 };
    predefined_are_not_ours(a);
    no_keyvals(a, MPI_KEYVAL_INVALID);
    no_keyvals(a, never_given);
    keyvals_of_others(a);
    own_keyval_works(a);
}

static const struct row rows[] = {{"flavor", run_flavor, nkinds},
                                  {"attach", run_attach, nkinds},
                                  {"detach", run_detach, nkinds},
                                  {"keyval", run_keyval, nkinds}};

int main(int argc, char **argv)
{
    start_listening(&argc, &argv);
    run_row(argc, argv, rows, sizeof rows / sizeof rows[0]);
    return finish_listening("error_object");
}
