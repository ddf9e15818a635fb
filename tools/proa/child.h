/* SPDX-License-Identifier: BSD-3-Clause */
/* A trial in a process of its own: its damage ends with it. */
#ifndef PROA_TOOL_CHILD_H
#define PROA_TOOL_CHILD_H

#include <stdio.h>

/* Calls work(arg, out) in a child and gives back what it has written to `out`, as text; NULL where
 * it was ended by a signal or no child can be had. The child sees no standard error. */
char *proa_child_says(void (*work)(void *arg, FILE *out), void *arg);

/* Starts argv[0] (a path) with nothing on standard input, and waits for it for `seconds` at most;
 * then it and what it has started in its session are ended. *status: the exit status, 128 and the
 * signal's number, or 124 after that time, or 127 where it cannot be started. Gives back its
 * standard output and standard error, as one text; never NULL. */
char *proa_child_run(char *const argv[], int seconds, int *status);

#endif
