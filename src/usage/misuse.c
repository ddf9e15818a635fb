/* SPDX-License-Identifier: BSD-3-Clause */
/* See misuse.h. */
#include "usage/misuse.h"

#include <stdarg.h>
#include <stdio.h>

static const struct row {
    const char *id;
    enum proa_verdict verdict;
    const char *rule, *remedy;
} rows[] = {
#define ROW(name, id, verdict, rule, remedy) \
    [PROA_MISUSE_##name] = {id, PROA_##verdict, rule, remedy},
    PROA_MISUSES(ROW)
#undef ROW
};

void proa_misuse(enum proa_misuse misuse, const struct proa_win *win, const char *call,
                 const void *caller, const struct proa_finding_call *other, const char *sentence,
                 ...)
{
    const struct row *row = &rows[misuse];
    struct proa_finding finding = {.verdict = row->verdict,
                                   .id = row->id,
                                   .rule = row->rule,
                                   .remedy = row->remedy,
                                   .win = win};
    char what[256];
    va_list args;

    caller = proa_source_program(caller);
    if (proa_finding_again(row->id, caller, other ? other->caller : NULL))
        return;
    va_start(args, sentence);
    /* clang 14 misses the line before: NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(what, sizeof what, sentence, args);
    va_end(args);
    finding.what = what;
    finding.calls[PROA_FIRST] =
        (struct proa_finding_call){.call = call, .caller = caller, .thread = proa_finding_thread()};
    if (other)
        finding.calls[PROA_SECOND] = *other;
    proa_finding_add(&finding);
}
