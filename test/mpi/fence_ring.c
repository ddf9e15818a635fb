/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many fence epochs in a row, with put, get and accumulate in every one of them. Epoch e uses half
 * e % 2 of each window, so that a rank may look at what epoch e brought while its neighbours are
 * already in epoch e + 1.
 */
#include "window.h"

enum { put_slot, counter, shown, slots_per_half };
enum { epochs = 40 };

struct ring {
    struct area a;
    int left, right;
};

static MPI_Aint slot(const struct ring *r, int target, int half, int name)
{
    return disp_at(&r->a, target, half * slots_per_half + name);
}

static void prepare(struct ring *r, int epoch)
{
    long *half = (long *)r->a.base + epoch % 2 * slots_per_half;
    half[put_slot] = -1;
    half[counter] = 0;
    half[shown] = 1000L * epoch + rank;
}

static void operate(struct ring *r, int epoch, const long *sent, long *got)
{
    int half = epoch % 2;
    MPI_Win win = r->a.win;
    MPI_Put(&sent[0], 1, MPI_LONG, r->right, slot(r, r->right, half, put_slot), 1, MPI_LONG, win);
    MPI_Get(got, 1, MPI_LONG, r->left, slot(r, r->left, half, shown), 1, MPI_LONG, win);
    for (int target = 0; target < nranks; target++)
        MPI_Accumulate(&sent[1], 1, MPI_LONG, target, slot(r, target, half, counter), 1, MPI_LONG,
                       MPI_SUM, win);
}

static void verify(const struct ring *r, int epoch, long got)
{
    const long *half = (const long *)r->a.base + epoch % 2 * slots_per_half;
    const char *kind = kind_names[r->a.kind];
    CHECK(half[put_slot] == 1000L * epoch + r->left, "%s, epoch %d: put brought %ld", kind, epoch,
          half[put_slot]);
    CHECK(got == 1000L * epoch + r->left, "%s, epoch %d: get brought %ld", kind, epoch, got);
    long sum = (long)nranks * (nranks + 1) / 2 * epoch;
    CHECK(half[counter] == sum, "%s, epoch %d: sum %ld instead of %ld", kind, epoch, half[counter],
          sum);
}

static void run_ring(enum kind kind)
{
    struct ring r = {.left = (rank + nranks - 1) % nranks, .right = (rank + 1) % nranks};
    r.a = open_area(kind, 2 * slots_per_half * sizeof(long), sizeof(long), MPI_COMM_WORLD);
    prepare(&r, 1);
    MPI_Win_fence(0, r.a.win);
    for (int epoch = 1; epoch <= epochs; epoch++) {
        long sent[2] = {1000L * epoch + rank, (long)(rank + 1) * epoch}, got = -1;
        prepare(&r, epoch + 1); /* the half that this epoch does not use */
        operate(&r, epoch, sent, &got);
        MPI_Win_fence(0, r.a.win);
        verify(&r, epoch, got);
    }
    close_area(&r.a);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++)
        run_ring(kind);
    return finish("fence_ring");
}
