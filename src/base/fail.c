/* See fail.h. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char sentence[400];

int proa_fail(int code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    return code;
}

const char *proa_failure(void)
{
    return sentence;
}
