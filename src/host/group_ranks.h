/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The members of a group, as ranks in a window. The host is asked once, and again only after the
 * program has freed some group. A handle may stand for another group only after MPI_Group_free,
 * which every binding of every host calls (bind/object.c), and groups never change (MPI-4.1,
 * 7.3.2).
 */
#ifndef PROA_HOST_GROUP_RANKS_H
#define PROA_HOST_GROUP_RANKS_H

#include "base/atomic.h"
#include "base/fail.h"
#include "base/hidden.h"
#include "window/win.h"

#include <mpi.h>

/* Groups kept for each use: programs have one, or one for each direction. */
enum { PROA_GROUP_RANKS_KEPT = 4 };

struct proa_group_ranks {
    MPI_Group group;
    unsigned long frees; /* proa_group_ranks_frees when the host was asked; 0 if empty */
    int count;
    int *ranks; /* in the window */
};

/* The groups kept for one use of a window. At most one thread at a time opens epochs of a kind on a
 * window. */
struct proa_group_ranks_kept {
    struct proa_group_ranks of[PROA_GROUP_RANKS_KEPT];
    unsigned next; /* the entry to replace next */
};

/* One more than the number of groups that the program has freed. */
extern PROA_HIDDEN unsigned long proa_group_ranks_frees;

/* Asks the host, and keeps the answer. within: the window's own group. size: number of its members.
 * Returns PROA_OK, PROA_ERR_GROUP or PROA_ERR_NO_MEM. */
int proa_group_ranks_ask(struct proa_group_ranks_kept *kept, MPI_Group within, int size,
                         MPI_Group group, const struct proa_group_ranks **members);

/* Finds the members of a group. members: result, valid until the next such call with the same kept.
 * Returns the same codes. */
static inline int proa_group_ranks_find(struct proa_group_ranks_kept *kept, MPI_Group within,
                                        int size, MPI_Group group,
                                        const struct proa_group_ranks **members)
{
    unsigned long frees = proa_atomic_load(&proa_group_ranks_frees, PROA_RELAXED);

    for (int i = 0; i < PROA_GROUP_RANKS_KEPT; i++) {
        *members = &kept->of[i];
        if ((*members)->group == group && (*members)->frees == frees)
            return PROA_OK;
    }
    return proa_group_ranks_ask(kept, within, size, group, members);
}

/* Called before the program frees a group, and before the host, which may then give its handle to
 * another. Relaxed: a thread that uses the new handle synchronizes with the thread that got it
 * after this increment. */
static inline void proa_group_ranks_freeing(void)
{
    proa_atomic_fetch_add(&proa_group_ranks_frees, 1, PROA_RELAXED);
}

/* Frees what is kept. */
void proa_group_ranks_drop(struct proa_group_ranks_kept *kept);

#endif
