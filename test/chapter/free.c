/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Win_free is a barrier (MPI-4.1, 13.2.5): it returns after all have called it, so what others
 * do before they free is done. Its attributes' delete functions run behind that barrier, and still
 * find the memory; then all is gone, and the handle is MPI_WIN_NULL. Where one fails, all is as
 * under the host alone: MPICH keeps the window for a second call, and Open MPI frees it.
 *
 *   free [light]
 */
#include "light.h"

enum { late_ms = 50 };

static int seen_by_delete[64], deletions;

static int on_delete(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval, (void)extra;
    deletions++;
    memcpy(seen_by_delete, value, (size_t)nranks * sizeof(int));
    return MPI_SUCCESS;
}

/* One rank puts into everybody's window long after all others have gone into MPI_Win_free. */
static void come_late(const struct area *a, int late)
{
    int value = 900 + late;
    if (rank != late)
        return;
    usleep(1000 * late_ms);
    for (int target = 0; target < nranks; target++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a->win);
        MPI_Put(&value, 1, MPI_INT, target, disp_at(a, target, late), 1, MPI_INT, a->win);
        MPI_Win_unlock(target, a->win);
    }
}

static void free_with_late_rank(enum kind kind, int late, int light)
{
    struct area a = open_area(kind, (size_t)nranks * sizeof(int), sizeof(int), MPI_COMM_WORLD);
    int keyval;
    check_handle(a.win, light);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keyval, NULL);
    MPI_Win_set_attr(a.win, keyval, a.base);
    deletions = 0;
    memset(seen_by_delete, 0, sizeof seen_by_delete);
    come_late(&a, late);
    MPI_Win_free(&a.win); /* attached memory with it */
    CHECK(a.win == MPI_WIN_NULL, "%s: MPI_Win_free leaves the handle", kind_names[kind]);
    CHECK(deletions == 1, "%s: %d calls of the delete function", kind_names[kind], deletions);
    CHECK(seen_by_delete[late] == 900 + late, "%s: MPI_Win_free did not wait for rank %d: %d",
          kind_names[kind], late, seen_by_delete[late]);
    if (kind == kind_create || kind == kind_dynamic) {
        CHECK(((int *)a.base)[late] == 900 + late, "%s: memory after MPI_Win_free: %d",
              kind_names[kind], ((int *)a.base)[late]);
        free(a.base);
    }
    free(a.at);
    MPI_Win_free_keyval(&keyval);
}

/* ---- delete functions that fail ---- */

static int on_delete_fail(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval, (void)value, (void)extra;
    deletions++;
    return MPI_ERR_OTHER;
}

static void check_kept(struct area *a, int keyval, int code)
{
#ifdef HOST_IS_MPICH
    void *value;
    int found = 1;
    CHECK(code != MPI_SUCCESS, "%s: MPI_Win_free says nothing", kind_names[a->kind]);
    CHECK(a->win != MPI_WIN_NULL, "%s: the handle is gone", kind_names[a->kind]);
    CHECK(((int *)a->base)[0] == 77, "%s: the memory is gone", kind_names[a->kind]);
    CHECK(MPI_Win_get_attr(a->win, keyval, &value, &found) == MPI_SUCCESS && !found,
          "%s: the attribute is still there", kind_names[a->kind]);
    CHECK(MPI_Win_free(&a->win) == MPI_SUCCESS, "%s: the second MPI_Win_free fails",
          kind_names[a->kind]);
#else
    (void)keyval;
    CHECK(code == MPI_SUCCESS, "%s: MPI_Win_free gives %d", kind_names[a->kind], code);
#endif
    CHECK(a->win == MPI_WIN_NULL, "%s: the handle is left", kind_names[a->kind]);
    CHECK(deletions == 1, "%s: %d calls of the delete function", kind_names[a->kind], deletions);
}

/* On all ranks, or on one of them: the others do not wait for its second call. */
static void free_with_failure(enum kind kind, int fails)
{
    struct area a = open_area(kind, (size_t)nranks * sizeof(int), sizeof(int), MPI_COMM_WORLD);
    int keyval;
    MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete_fail, &keyval, NULL);
    ((int *)a.base)[0] = 77;
    deletions = 0;
    if (fails)
        MPI_Win_set_attr(a.win, keyval, a.base);
    int code = MPI_Win_free(&a.win);
    if (fails)
        check_kept(&a, keyval, code);
    CHECK(a.win == MPI_WIN_NULL, "%s: MPI_Win_free leaves the handle", kind_names[kind]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind == kind_create || kind == kind_dynamic)
        free(a.base);
    free(a.at);
    MPI_Win_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks > 64)
        return skip("has words for 64 ranks");
    for (int kind = 0; kind < nkinds; kind++)
        for (int late = 0; late < nranks; late++)
            free_with_late_rank((enum kind)kind, late, argc > 1);
    for (int kind = 0; kind < nkinds; kind++) {
        free_with_failure((enum kind)kind, 1);
        free_with_failure((enum kind)kind, rank == 0);
    }
    return finish("free");
}
