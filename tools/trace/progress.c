/* SPDX-License-Identifier: BSD-3-Clause */
/* See progress.h. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

void proa_trace_progress(void *user, uint64_t records, uint64_t all)
{
    (void)user;
    if (!isatty(STDERR_FILENO))
        return;
    if (records < all)
        fprintf(stderr, "\rproa trace: %3.0f %% ", 100.0 * (double)records / (double)all);
    else
        fputs("\r\033[K", stderr);
}
