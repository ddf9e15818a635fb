/* SPDX-License-Identifier: BSD-3-Clause */
/* One way to say what is wrong: one line on stderr, "proa run: ...". */
#ifndef PROA_TOOL_COMPLAIN_H
#define PROA_TOOL_COMPLAIN_H

enum {
    PROA_EXIT_USAGE = 2, /* the command line makes no sense */
    /* something that is needed is not there; a shell says the same of a command it cannot find */
    PROA_EXIT_MISSING = 127,
};

/* Sets the name that starts every line: "proa" until then. */
void proa_complain_as(const char *name);

/* Prints the line and gives back `status`, so that callers can return both at once. */
int proa_complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
