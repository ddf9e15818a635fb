/* SPDX-License-Identifier: BSD-3-Clause */
/* See left.h. */
#include "host/left.h"
#include "base/atomic.h"
#include "base/log.h"
#include "base/settings.h"
#include "host/handle.h"
#include "host/pmpi.h"
#include "host/start.h"

#include <stdio.h>
#include <string.h>

static unsigned long left;
static char reason[200];

/* If threads create windows at once, their reasons may get mixed up; they are only text for the
 * user. */
void proa_left_because(const char *why)
{
    snprintf(reason, sizeof reason, "%s", why);
}

void proa_left_count(void)
{
    proa_atomic_fetch_add(&left, 1, PROA_RELAXED);
}

static const char *asked_for(void)
{
    const struct proa_settings *settings = proa_settings();

    if (strcmp(settings->stats, "0") != 0)
        return "count (PROA_STATS)";
    if (settings->trace[0])
        return "record (PROA_TRACE)";
    return settings->check && settings->disable ? "check (PROA_CHECK)" : NULL;
}

static int is_first(void)
{
    int rank = 1;

    return PROA_PMPI_FIND(Comm_rank)(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0;
}

void proa_left_tell(void)
{
    unsigned long count = proa_atomic_load(&left, PROA_RELAXED);
    const char *what = asked_for();

    if (!what || proa_handle_count() > 0 || !is_first())
        return;
    if (count == 0)
        proa_log(PROA_LOG_WARN, "nothing to %s: rank 0 has made no window", what);
    else
        proa_log(PROA_LOG_WARN,
                 "nothing to %s: all windows of rank 0 (%lu) were left to the host "
                 "MPI: %s",
                 what, count, proa_settings()->disable ? "PROA_DISABLE is set" : reason);
}
