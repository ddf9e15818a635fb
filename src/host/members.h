/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The members of a group, as ranks in a window. The host is asked once, and then again only when
 * the program has freed some group: a handle may stand for another group only after MPI_Group_free,
 * which every binding of every host ends in (bind/object.c), and groups never change (MPI-4.1,
 * 7.3.2).
 */
#ifndef PROA_HOST_MEMBERS_H
#define PROA_HOST_MEMBERS_H

#include "base/fail.h"
#include "base/hidden.h"
#include "window/win.h"

#include <mpi.h>

/* How many groups are kept for each use: programs have one, or one for each direction. */
enum { PROA_MEMBERS_KEPT = 4 };

struct proa_members {
    MPI_Group group;
    unsigned long frees; /* proa_members_frees when the host was asked; 0: there is none here */
    int count;
    int *ranks; /* in the window */
};

/* The groups kept for one use of a window. One thread at a time opens epochs of a kind on a
 * window. */
struct proa_members_kept {
    struct proa_members of[PROA_MEMBERS_KEPT];
    unsigned next; /* to be replaced */
};

/* How many groups the program has freed, and 1. */
extern PROA_HIDDEN unsigned long proa_members_frees;

/* Asks the host, and keeps what it says. within: the window's own group; size: its members.
 * PROA_OK, PROA_ERR_GROUP or PROA_ERR_NO_MEM. */
int proa_members_ask(struct proa_members_kept *kept, MPI_Group within, int size, MPI_Group group,
                     const struct proa_members **members);

/* The members of group. members are good until the next such call with the same kept. The same
 * errors. */
static inline int proa_members_find(struct proa_members_kept *kept, MPI_Group within, int size,
                                    MPI_Group group, const struct proa_members **members)
{
    unsigned long frees = __atomic_load_n(&proa_members_frees, __ATOMIC_RELAXED);

    for (int i = 0; i < PROA_MEMBERS_KEPT; i++) {
        *members = &kept->of[i];
        if ((*members)->group == group && (*members)->frees == frees)
            return PROA_OK;
    }
    return proa_members_ask(kept, within, size, group, members);
}

/* The program is about to free a group: before the host is, which may then give its handle to
 * another. Relaxed: a thread that uses the new handle synchronizes with the thread that got it
 * after this increment. */
static inline void proa_members_freeing(void)
{
    __atomic_fetch_add(&proa_members_frees, 1, __ATOMIC_RELAXED);
}

/* Gives back what is kept. */
void proa_members_drop(struct proa_members_kept *kept);

#endif
