/* SPDX-License-Identifier: BSD-3-Clause */
/* See watch.h. */
#include "watch/watch.h"
#include "base/settings.h"
#include "check/local.h"
#include "findings/summary.h"
#include "host/start.h"
#include "host/types.h"
#include "watch/report.h"

/* Called when MPI ends; each function reports nothing if it is off. */
static void tell_all(void)
{
    proa_report_tell();
    proa_local_tell();
    if (proa_settings()->check)
        proa_summary_tell();
    proa_trace_close();
}

void proa_watch_start(void)
{
    proa_record_start();
    proa_traced_start();
    proa_local_start();
    proa_at_end = tell_all;
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
