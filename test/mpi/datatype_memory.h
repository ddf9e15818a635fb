/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of datatype_random.c: windows of every kind, and what lies in them. */
#ifndef PROA_TEST_DATATYPE_MEMORY_H
#define PROA_TEST_DATATYPE_MEMORY_H

#include "window.h"

enum {
    block_bytes = 20 * 1024,
    widest = 9 * 1024,
    blocks_most = 2,
    elements_most = 600,
    room = blocks_most * block_bytes
};

/* ---- memory: bytes that are addressed by their place, 0 to room, the same on every rank ---- */

/* Attached regions of the dynamic window: neighbours that touch, and gaps. */
static const struct {
    int start, end;
} regions[] = {{0, 7000},
               {7000, 12001},
               {12001, 16384},
               {16400, block_bytes},
               {block_bytes + 8, block_bytes + 9000},
               {block_bytes + 9000, block_bytes + 20000}};
enum { nregions = sizeof regions / sizeof regions[0] };

enum window {
    at_allocate,
    at_allocate_8,
    at_create,
    at_create_odd,
    at_shared,
    at_dynamic,
    nwindows
};
static const char *const window_names[nwindows] = {"allocate",
                                                   "allocate, disp_unit 8",
                                                   "create",
                                                   "create in MPI_Alloc_mem, disp_unit 3",
                                                   "allocate_shared, disp_unit 2",
                                                   "dynamic"};
static const int disp_units[nwindows] = {1, 8, 1, 3, 2, 1};

struct memory {
    int blocks;
    char *base[blocks_most];
    MPI_Aint *address; /* of every rank's blocks */
    MPI_Win win;
};

static struct memory windows[nwindows];
static char *origin_memory, *result_memory;
static char *noise; /* memory is filled with this: starts anywhere in it */
enum { noise_starts = 4096 };

static void share(struct memory *m)
{
    MPI_Aint mine[blocks_most] = {0};
    m->address = need(calloc((size_t)nranks * blocks_most, sizeof *m->address));
    for (int b = 0; b < m->blocks; b++)
        MPI_Get_address(m->base[b], &mine[b]);
    MPI_Allgather(mine, blocks_most, MPI_AINT, m->address, blocks_most, MPI_AINT, MPI_COMM_WORLD);
}

static void open_dynamic(struct memory *m)
{
    m->blocks = 2;
    m->base[0] = need(malloc(block_bytes));
    MPI_Alloc_mem(block_bytes, MPI_INFO_NULL, &m->base[1]);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &m->win);
    for (int r = 0; r < nregions; r++) {
        int b = regions[r].start / block_bytes;
        MPI_Win_attach(m->win, m->base[b] + regions[r].start - b * block_bytes,
                       regions[r].end - regions[r].start);
    }
}

static void open_windows(void)
{
    for (int w = 0; w < nwindows; w++) {
        struct memory *m = &windows[w];
        m->blocks = 1;
        if (w == at_create)
            m->base[0] = need(malloc(block_bytes));
        if (w == at_create_odd)
            MPI_Alloc_mem(block_bytes + 3, MPI_INFO_NULL, &m->base[0]);
        if (w == at_create_odd)
            m->base[0] += 3;
        if (w == at_create || w == at_create_odd)
            MPI_Win_create(m->base[0], block_bytes, disp_units[w], MPI_INFO_NULL, MPI_COMM_WORLD,
                           &m->win);
        else if (w == at_allocate || w == at_allocate_8)
            MPI_Win_allocate(block_bytes, disp_units[w], MPI_INFO_NULL, MPI_COMM_WORLD, &m->base[0],
                             &m->win);
        else if (w == at_shared && !shares_memory())
            MPI_Win_allocate(block_bytes, disp_units[w], MPI_INFO_NULL, MPI_COMM_WORLD, &m->base[0],
                             &m->win);
        else if (w == at_shared)
            MPI_Win_allocate_shared(block_bytes, disp_units[w], MPI_INFO_NULL, MPI_COMM_WORLD,
                                    &m->base[0], &m->win);
        else
            open_dynamic(m);
        MPI_Win_set_errhandler(m->win, MPI_ERRORS_RETURN);
        share(m);
    }
}

static void close_windows(void)
{
    for (int r = 0; r < nregions; r++) {
        int b = regions[r].start / block_bytes;
        MPI_Win_detach(windows[at_dynamic].win,
                       windows[at_dynamic].base[b] + regions[r].start - b * block_bytes);
    }
    for (int w = 0; w < nwindows; w++) {
        MPI_Win_free(&windows[w].win);
        free(windows[w].address);
    }
    free(windows[at_create].base[0]);
    MPI_Free_mem(windows[at_create_odd].base[0] - 3);
    free(windows[at_dynamic].base[0]);
    MPI_Free_mem(windows[at_dynamic].base[1]);
}

#endif
