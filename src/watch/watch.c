/* SPDX-License-Identifier: BSD-3-Clause */
/* See watch.h. */
#include "watch/watch.h"
#include "host/types.h"

void proa_watched_slow(const struct proa_win *win, enum proa_call call, int rank, int64_t count,
                       MPI_Datatype datatype, int outcome)
{
    if (outcome == MPI_SUCCESS && (unsigned)rank < (unsigned)win->size)
        proa_watched(win, call, rank, proa_way_to(&win->targets[rank]),
                     (uint64_t)count * proa_type_find(datatype)->size);
    else
        proa_watched(win, call, rank, PROA_WATCHED_NO_WAY, 0);
}
