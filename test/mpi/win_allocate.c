/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Win_allocate: sizes from 0 up, another one on every rank; many windows at once, which must
 * not share memory; the memory is aligned for every basic type and goes with the window.
 */
#include "window.h"
#include <stddef.h>

static const MPI_Aint sizes[] = {0, 1, 3, 8, 24, 100, 4095, 4096, 4097, 100000, (1 << 20) + 3};
enum { nsizes = sizeof sizes / sizeof sizes[0], nwindows = 40 };

static MPI_Aint size_of(int who, int which)
{
    return sizes[(who + which) % nsizes];
}

struct held {
    MPI_Win win;
    unsigned char *base;
    MPI_Aint size;
};

static struct held allocate(int which)
{
    struct held h = {.size = size_of(rank, which)};
    MPI_Win_allocate(h.size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &h.base, &h.win);
    CHECK(h.size == 0 || (uintptr_t)h.base % _Alignof(max_align_t) == 0,
          "window of %ld bytes at %p", (long)h.size, (void *)h.base);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, h.win);
    for (MPI_Aint i = 0; i < h.size; i++)
        h.base[i] = (unsigned char)(which + 1);
    MPI_Win_unlock(rank, h.win);
    return h;
}

static void verify(const struct held *h, int which)
{
    for (MPI_Aint i = 0; i < h->size; i++)
        CHECK(h->base[i] == which + 1, "byte %ld of window %d changed to %d", (long)i, which,
              h->base[i]);
}

/* The first and the last byte of the right neighbour's part. */
static void touch(const struct held *h, int which)
{
    int right = (rank + 1) % nranks;
    MPI_Aint size = size_of(right, which);
    unsigned char first = 0, last = 0, mark = (unsigned char)(which + 1);
    MPI_Win_fence(0, h->win);
    if (size > 0) {
        MPI_Get(&first, 1, MPI_BYTE, right, 0, 1, MPI_BYTE, h->win);
        MPI_Get(&last, 1, MPI_BYTE, right, size - 1, 1, MPI_BYTE, h->win);
    }
    MPI_Win_fence(0, h->win);
    CHECK(size == 0 || (first == mark && last == mark), "window %d at rank %d reads %d and %d",
          which, right, first, last);
    if (size > 0)
        MPI_Put(&mark, 1, MPI_BYTE, right, size - 1, 1, MPI_BYTE, h->win);
    MPI_Win_fence(0, h->win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    struct held windows[nwindows];
    for (int w = 0; w < nwindows; w++)
        windows[w] = allocate(w);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int w = 0; w < nwindows; w += (nranks > 2 ? 5 : 1))
        touch(&windows[w], w);
    for (int w = 0; w < nwindows; w++)
        verify(&windows[w], w);
    /* Every other window goes and comes back: what stays must not notice. */
    for (int w = 0; w < nwindows; w += 2)
        MPI_Win_free(&windows[w].win);
    for (int w = 0; w < nwindows; w += 2)
        windows[w] = allocate(w);
    for (int w = 0; w < nwindows; w++)
        verify(&windows[w], w);
    for (int w = nwindows - 1; w >= 0; w--)
        MPI_Win_free(&windows[w].win);
    CHECK(windows[0].win == MPI_WIN_NULL, "MPI_Win_free leaves the handle");
    return finish("win_allocate");
}
