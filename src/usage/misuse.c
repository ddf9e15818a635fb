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

/* Completes a finding of that rule, and adds it. */
static void add(struct proa_finding finding, enum proa_misuse misuse, const char *call,
                const void *caller, const struct proa_finding_call *other, const char *sentence,
                va_list args)
{
    const struct row *row = &rows[misuse];
    char what[256];

    caller = proa_source_program(caller);
    if (proa_finding_again(row->id, caller, other ? other->caller : NULL))
        return;
    /* clang 14 misses va_start: NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(what, sizeof what, sentence, args);
    finding.verdict = row->verdict;
    finding.id = row->id;
    finding.rule = row->rule;
    finding.remedy = row->remedy;
    finding.what = what;
    finding.calls[PROA_FIRST] =
        (struct proa_finding_call){.call = call, .caller = caller, .thread = proa_finding_thread()};
    if (other)
        finding.calls[PROA_SECOND] = *other;
    proa_finding_add(&finding);
}

void proa_misuse(enum proa_misuse misuse, const struct proa_win *win, const char *call,
                 const void *caller, const struct proa_finding_call *other, const char *sentence,
                 ...)
{
    va_list args;

    va_start(args, sentence);
    add((struct proa_finding){.win = win}, misuse, call, caller, other, sentence, args);
    va_end(args);
}

void proa_misuse_request(enum proa_misuse misuse, const char *window, const char *call,
                         const void *caller, const struct proa_finding_call *other,
                         const char *sentence, ...)
{
    va_list args;

    va_start(args, sentence);
    add((struct proa_finding){.window = window}, misuse, call, caller, other, sentence, args);
    va_end(args);
}
