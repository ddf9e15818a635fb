/* SPDX-License-Identifier: BSD-3-Clause */
/* What rows about the order of calls share: groups of neighbours, and epochs with them. */
#ifndef PROA_TEST_EPOCHS_H
#define PROA_TEST_EPOCHS_H

#include "wrong.h"

enum { sync_error = MPI_ERR_RMA_SYNC };

/* Groups that the rows need, made once. */
static MPI_Group right_group, left_group, self_group, all_group;

static inline void make_groups(void)
{
    right_group = group_of_one(right_of());
    left_group = group_of_one(left_of());
    self_group = group_of_one(rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all_group);
}

static inline void free_groups(void)
{
    MPI_Group_free(&right_group);
    MPI_Group_free(&left_group);
    MPI_Group_free(&self_group);
    MPI_Group_free(&all_group);
}

static inline void unlock_all_of(const struct area *a)
{
    RIGHT(MPI_Win_unlock_all(a->win));
}

static inline void start_to_right(const struct area *a)
{
    RIGHT(MPI_Win_start(right_group, 0, a->win));
}

/* Not before all have unlocked what they locked: a window must not be exposed while it is
 * locked. */
static inline void expose_to_left(const struct area *a)
{
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_post(left_group, 0, a->win));
}

/* And for the same reason no rank goes on to a lock before all have ended their exposure. */
static inline void end_exposure(const struct area *a)
{
    RIGHT(MPI_Win_wait(a->win));
}

#endif
