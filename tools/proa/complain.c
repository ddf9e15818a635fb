/* SPDX-License-Identifier: BSD-3-Clause */
/* Error messages of one line on stderr (complain.h). */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

static const char *speaker = "proa";

void proa_complain_as(const char *name)
{
    speaker = name;
}

int proa_complain(int status, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", speaker);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return status;
}
