/* SPDX-License-Identifier: BSD-3-Clause */
/* See begin.h. */
#include "check/begin.h"
#include "base/atomic.h"
#include "base/log.h"
#include "base/settings.h"
#include "usage/misuse.h"
#include "usage/requests.h"
#include "check/ordering.h"
#include "usage/rules.h"
#include "check/watchdog.h"
#include "findings/source.h"
#include "findings/summary.h"
#include "findings/world.h"
#include "hang/waits.h"
#include "host/start.h"
#include "window/strict.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int lacks_instruments; /* check mode was requested without the library of instruments */

/* The instruments must precede this library in the link map. After it they would observe Proa's own
 * calls of the host. */
static int has_instruments(void)
{
    const char *build = dlsym(RTLD_DEFAULT, "proa_instruments");

    return build && strcmp(build, PROA_BUILD) == 0 && !dlsym(RTLD_NEXT, "proa_instruments");
}

/* Reads the variable first. If it is unset, the settings are not read yet, as the program may still
 * change them. */
int proa_check_asked_for(void)
{
    const char *check = getenv("PROA_CHECK");

    if (!check || !*check || strcmp(check, "0") == 0 || !proa_settings()->check ||
        proa_settings()->disable)
        return 0;
    if (!has_instruments()) {
        lacks_instruments = 1;
        proa_settings_leave_check();
        return 0;
    }
    return proa_settings()->check_conflicts ? 2 : 1;
}

void proa_check_tell_lack(int rank)
{
    if (lacks_instruments && rank == 0)
        proa_log(PROA_LOG_WARN,
                 "PROA_CHECK needs libproa-instruments-%s.so in LD_PRELOAD, in front of "
                 "libproa-%s.so, as `proa run --check` has it: nothing is checked",
                 PROA_LIBRARY, PROA_LIBRARY);
    lacks_instruments = 0;
}

static void find_lax(const struct proa_win *win, enum proa_call call, const char *sentence)
{
    proa_misuse(PROA_MISUSE_LAX, win, proa_call_name(call), proa_source_caller(), NULL, "%s: %s",
                proa_call_name(call), sentence);
}

void proa_check_end(const char *call, int alone)
{
    static int has_ended;

    if (proa_atomic_exchange(&has_ended, 1, PROA_RELAXED))
        return;
    if (alone) {
        proa_watchdog_end();
        proa_world_leave();
        proa_summary_tell();
        return;
    }
    proa_rma_requests_tell_leaks();
    proa_rules_tell_leaks();
    proa_waits_begin_host(call, proa_world_comm(), proa_source_caller());
    proa_ordering_end();
    proa_summary_tell();
    proa_waits_end();
    proa_watchdog_end();
    proa_world_end();
}

static void end(void)
{
    proa_check_end("MPI_Finalize", 0);
}

void proa_check_begin(MPI_Comm all, int rank, int size)
{
    proa_world_begin(all, rank, size);
    proa_summary_begin();
    proa_lax_watched = find_lax;
    proa_rma_requests_on = 1;
    proa_watchdog_begin(proa_world_comm());
    proa_at_finalize = end;
}
