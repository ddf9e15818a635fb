/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials in a child process: a crash ends only the child. */
#ifndef PROA_TOOL_CHILD_H
#define PROA_TOOL_CHILD_H

#include <stdio.h>

/* Calls work(arg, out) in a child. Returns the text written to `out`. Returns NULL if a signal
 * ended the child, or no child could be created. The child has no standard error. */
char *proa_child_says(void (*work)(void *arg, FILE *out), void *arg);

/* Starts argv[0] (a path) without standard input, and waits for it. seconds: time limit; then it
 * and the processes of its session are killed. *status: exit status, 128 plus the signal's number,
 * 124 on a timeout, or 127 if it cannot be started. Returns its standard output and standard error,
 * as one text; never NULL. */
char *proa_child_run(char *const argv[], int seconds, int *status);

#endif
