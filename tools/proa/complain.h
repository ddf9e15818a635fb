/* SPDX-License-Identifier: BSD-3-Clause */
/* Error messages of one line on stderr, such as "proa run: ...". */
#ifndef PROA_TOOL_COMPLAIN_H
#define PROA_TOOL_COMPLAIN_H

enum {
    PROA_EXIT_USAGE = 2, /* the command line is invalid */
    /* a required file is missing; as a shell's status for an unknown command */
    PROA_EXIT_MISSING = 127,
};

/* Sets the name that starts every line; "proa" initially. */
void proa_complain_as(const char *name);

/* Prints the line. Returns `status`, so that callers can report and return at once. */
int proa_complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
