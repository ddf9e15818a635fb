/* SPDX-License-Identifier: BSD-3-Clause */
/* See watch.h. */
#include "watch/watch.h"
#include "host/types.h"
#include "rma/road.h"

enum proa_stats_way proa_way_to(const struct proa_target *target)
{
    enum proa_reach reach = proa_reach_of(target);

    if (reach == PROA_BY_REGION)
        reach = target->only.road == PROA_ROAD_CMA ? PROA_BY_KERNEL : PROA_BY_STORE;
    return reach == PROA_BY_NETWORK  ? PROA_STATS_NETWORK
           : reach == PROA_BY_KERNEL ? PROA_STATS_KERNEL
                                     : PROA_STATS_GENERAL;
}

void proa_watched_slow(const struct proa_win *win, enum proa_call call, int rank, int64_t count,
                       MPI_Datatype datatype, int outcome)
{
    if (outcome == MPI_SUCCESS && (unsigned)rank < (unsigned)win->size)
        proa_watched(win, call, rank, proa_way_to(&win->targets[rank]),
                     (uint64_t)count * proa_type_find(datatype)->size);
    else
        proa_watched(win, call, rank, PROA_WATCHED_NO_WAY, 0);
}
