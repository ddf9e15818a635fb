/* SPDX-License-Identifier: BSD-3-Clause */
/* See log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void proa_log(int level, const char *fmt, ...)
{
    char text[1000], line[1024];
    va_list args;
    int length;

    if (level > proa_settings()->log_level)
        return;
    va_start(args, fmt);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    length = snprintf(line, sizeof line, "proa: %s\n", text);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* there is no other place to report this */
}
