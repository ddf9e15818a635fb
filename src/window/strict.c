/* SPDX-License-Identifier: BSD-3-Clause */
/* See strict.h. */
#include "window/strict.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

proa_lax_watcher *proa_lax_watched;

int proa_lax(struct proa_win *win, unsigned use, int code, enum proa_call call, const char *fmt,
             ...)
{
    char sentence[300];
    va_list args;

    if (proa_atomic_load(&win->lax, PROA_RELAXED) & use)
        return PROA_OK;
    va_start(args, fmt);
    /* args is initialized in the line above; the analyser misses that */
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    if (proa_settings()->strict)
        return proa_fail(code, "%s", sentence);
    if (proa_atomic_fetch_or(&win->lax, (uint8_t)use, PROA_RELAXED) & use)
        return PROA_OK;
    if (proa_lax_watched)
        proa_lax_watched(win, call, sentence);
    proa_log(PROA_LOG_INFO,
             "%s: %s (rank %d). Served as by the host; not logged again for this window; "
             "PROA_STRICT=1 makes it an error",
             proa_call_name(call), sentence, win->rank);
    return PROA_OK;
}
