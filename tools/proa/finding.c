/* SPDX-License-Identifier: BSD-3-Clause */
/* See finding.h. */
#include "finding.h"

#include "settings_text.h"

enum { INDENT = 25 };

static int counts[PROA_GRADES];

void proa_finding(enum proa_grade grade, const char *subject, const char *fact, const char *means,
                  const char *todo)
{
    static const char *const names[] = {"ok", "note", "COSTS", "BROKEN"};

    counts[grade]++;
    printf("  %-7s %-14s %s\n", names[grade], subject, fact);
    if (grade != PROA_FINE && means)
        proa_wrap(means, INDENT, stdout);
    if (grade != PROA_FINE && todo) {
        printf("%*s", INDENT - 3, "");
        printf("-> %s\n", todo);
    }
}

void proa_finding_heading(const char *text)
{
    printf("\n%s\n", text);
}

int proa_findings(enum proa_grade grade)
{
    return counts[grade];
}
