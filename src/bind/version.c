/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of include/proa.h. */
#include "proa.h"
#include "bind/bind.h"
#include "watch/record.h"

PROA_EXPORT const char *proa_version(void)
{
    return PROA_VERSION;
}

PROA_EXPORT unsigned long proa_windows_served(void)
{
    return proa_handle_count();
}

PROA_EXPORT int proa_stats_get(const void *handle, struct proa_stats *stats, unsigned long size)
{
    const struct proa_win *win = handle ? proa_win_find(*(const MPI_Win *)handle) : NULL;
    const struct proa_record *record = win ? proa_handle_of(win)->record : NULL;

    if (!record || !record->open || size != sizeof *stats)
        return -1;
    proa_record_read(record, stats);
    return 0;
}
