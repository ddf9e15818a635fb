/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of every kind behind one shape, so that one test body runs on all of them.
 *
 *   for (int kind = 0; kind < nkinds; kind++) {
 *     struct area a = open_area(kind, bytes, disp_unit, MPI_COMM_WORLD);
 *     ... MPI_Put(..., disp_at(&a, target, index), ..., a.win) ...
 *     close_area(&a);
 *   }
 *
 * The memory is zeroed before any rank can reach it: open_area is collective and returns after
 * every rank's memory is ready.
 */
#ifndef PROA_TEST_WINDOW_H
#define PROA_TEST_WINDOW_H

#include "check.h"

enum kind { kind_allocate, kind_create, kind_dynamic, kind_shared, nkinds };

static const char *const kind_names[nkinds] = {"allocate", "create", "dynamic", "allocate_shared"};

struct area {
    enum kind kind;
    MPI_Win win;
    void *base; /* this rank's memory */
    int disp_unit;
    MPI_Comm comm;
    MPI_Aint *at; /* dynamic: the address of every rank's memory */
};

static inline void share_addresses(struct area *a, MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    a->at = need(calloc((size_t)size, sizeof *a->at));
    MPI_Aint mine;
    MPI_Get_address(a->base, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, a->at, 1, MPI_AINT, comm);
}

/* Memory that the window brought along, zeroed under a lock as other ranks read it under locks. */
static inline void clear_own(struct area *a, size_t bytes)
{
    int me;
    MPI_Comm_rank(a->comm, &me);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, a->win);
    if (bytes > 0) /* base may be null otherwise */
        memset(a->base, 0, bytes);
    MPI_Win_unlock(me, a->win);
}

/* The window alone: its memory is not cleared where the window brought it, and addresses are not
 * exchanged. */
static inline struct area create_area(enum kind kind, size_t bytes, int disp_unit, MPI_Comm comm)
{
    struct area a = {.kind = kind, .win = MPI_WIN_NULL, .disp_unit = disp_unit, .comm = comm};
    MPI_Aint size = (MPI_Aint)bytes;
    if (kind == kind_create || kind == kind_dynamic)
        a.base = need(calloc(bytes ? bytes : 1, 1));
    if (kind == kind_allocate)
        MPI_Win_allocate(size, disp_unit, MPI_INFO_NULL, comm, &a.base, &a.win);
    else if (kind == kind_shared && !shares_memory())
        MPI_Win_allocate(size, disp_unit, MPI_INFO_NULL, comm, &a.base, &a.win);
    else if (kind == kind_shared)
        MPI_Win_allocate_shared(size, disp_unit, MPI_INFO_NULL, comm, &a.base, &a.win);
    else if (kind == kind_create)
        MPI_Win_create(a.base, size, disp_unit, MPI_INFO_NULL, comm, &a.win);
    else
        MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &a.win);
    if (kind == kind_dynamic)
        MPI_Win_attach(a.win, a.base, size);
    return a;
}

static inline struct area open_area(enum kind kind, size_t bytes, int disp_unit, MPI_Comm comm)
{
    struct area a = create_area(kind, bytes, disp_unit, comm);
    if (kind == kind_dynamic) {
        share_addresses(&a, comm);
    } else if (kind != kind_create) {
        clear_own(&a, bytes);
        MPI_Barrier(comm);
    }
    return a;
}

/* The target displacement of element `index` (of disp_unit bytes) at `target`. */
static inline MPI_Aint disp_at(const struct area *a, int target, MPI_Aint index)
{
    return a->kind == kind_dynamic ? MPI_Aint_add(a->at[target], index * a->disp_unit) : index;
}

/* For a window whose memory no other rank will touch any more. */
static inline void destroy_area(struct area *a)
{
    if (a->kind == kind_dynamic)
        MPI_Win_detach(a->win, a->base);
    MPI_Win_free(&a->win);
    if (a->kind == kind_create || a->kind == kind_dynamic)
        free(a->base);
    free(a->at);
}

static inline void close_area(struct area *a)
{
    if (a->kind == kind_dynamic)
        MPI_Barrier(a->comm);
    destroy_area(a);
}

/* Does the host itself make windows of that kind for comm? Without Proa, that is: MPICH 5.0.2 of
 * Debian takes each process to be on a machine of its own, and refuses shared memory. */
static inline int host_makes(enum kind kind, MPI_Comm comm)
{
    MPI_Comm near;
    int n, all;
    if (kind != kind_shared)
        return 1;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &n);
    MPI_Comm_size(comm, &all);
    MPI_Comm_free(&near);
    return n == all;
}

/* A group of ranks of `comm`. */
static inline MPI_Group group_of(MPI_Comm comm, int n, const int *members)
{
    MPI_Group all, some;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, n, members, &some);
    MPI_Group_free(&all);
    return some;
}

static inline MPI_Group group_of_one(int member)
{
    return group_of(MPI_COMM_WORLD, 1, &member);
}

#endif
