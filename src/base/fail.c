/* SPDX-License-Identifier: BSD-3-Clause */
/* See fail.h. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char sentence[400];

void proa_fail_say(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    /* args is initialized in the line above; the analyser misses that */
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
}

const char *proa_failure(void)
{
    return sentence;
}

void proa_failure_keep(struct proa_first_failure *first, int code, const char *text)
{
    if (first->code || !code)
        return;
    first->code = code;
    snprintf(first->text, sizeof first->text, "%s", text);
}

int proa_failure_report(const struct proa_first_failure *first)
{
    return first->code ? proa_fail(first->code, "%s", first->text) : PROA_OK;
}
