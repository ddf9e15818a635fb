/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Win_free is a barrier (MPI-4.1, 13.2.5): it returns after all have called it, so what others
 * do before they free is done. Its attributes' delete functions run behind that barrier, and still
 * find the memory; then all is gone, and the handle is MPI_WIN_NULL.
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

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks > 64)
        return skip("has words for 64 ranks");
    for (int kind = 0; kind < nkinds; kind++)
        for (int late = 0; late < nranks; late++)
            free_with_late_rank((enum kind)kind, late, argc > 1);
    return finish("free");
}
