/* SPDX-License-Identifier: BSD-3-Clause */
/* See log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void proa_log(int level, const char *fmt, ...)
{
    char line[1024] = "proa: ";
    const size_t prefix = 6;
    va_list args;
    int length;

    if (level > proa_settings()->log_level)
        return;
    va_start(args, fmt);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    length = vsnprintf(line + prefix, sizeof line - prefix - 1, fmt, args);
    va_end(args);
    if (length < 0)
        return;
    if ((size_t)length > sizeof line - prefix - 2)
        length = (int)(sizeof line - prefix - 2);
    line[prefix + (size_t)length] = '\n';
    if (write(STDERR_FILENO, line, prefix + (size_t)length + 1) < 0)
        return; /* there is no other place to report this */
}
