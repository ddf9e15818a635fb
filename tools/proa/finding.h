/* SPDX-License-Identifier: BSD-3-Clause */
/* What `proa doctor` finds: each thing with its grade, what it means for the user, and what to do.
 */
#ifndef PROA_TOOL_FINDING_H
#define PROA_TOOL_FINDING_H

#include <stdio.h>

enum proa_grade {
    PROA_FINE,   /* as it should be */
    PROA_NOTED,  /* good to know; nothing to do */
    PROA_COSTS,  /* Proa works, and something is slower or left out */
    PROA_BROKEN, /* something does not work */
    PROA_GRADES
};

/* Prints it, and counts its grade. `means` and `todo` may be NULL; printed only where the grade is
 * not PROA_FINE. */
void proa_finding(enum proa_grade grade, const char *subject, const char *fact, const char *means,
                  const char *todo);

/* A line above the findings that follow. */
void proa_finding_heading(const char *text);

/* Of each grade, so far. */
int proa_findings(enum proa_grade grade);

#endif
