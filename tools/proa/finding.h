/* SPDX-License-Identifier: BSD-3-Clause */
/* The findings of `proa doctor`: each has a grade, its meaning for the user, and a remedy. */
#ifndef PROA_TOOL_FINDING_H
#define PROA_TOOL_FINDING_H

#include <stdio.h>

enum proa_grade {
    PROA_FINE,   /* as it should be */
    PROA_NOTED,  /* information; no action needed */
    PROA_COSTS,  /* Proa works, but is slower or lacks a feature */
    PROA_BROKEN, /* something does not work */
    PROA_GRADES
};

/* Prints a finding, and counts its grade. means, todo: may be NULL; printed unless the grade is
 * PROA_FINE. */
void proa_finding(enum proa_grade grade, const char *subject, const char *fact, const char *means,
                  const char *todo);

/* Prints a line above the findings that follow. */
void proa_finding_heading(const char *text);

/* Returns the number of findings of a grade so far. */
int proa_findings(enum proa_grade grade);

#endif
