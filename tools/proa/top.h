/* SPDX-License-Identifier: BSD-3-Clause */
/* `proa top` and `proa run --top`: a view of a running job, in a terminal.
 *
 *   top.c       the command, and finding the trace of a process
 *   top_view.c  one view
 *   top_run.c   a launcher that is started, and its output */
#ifndef PROA_TOOL_TOP_H
#define PROA_TOOL_TOP_H

#include "live.h"

#include <stdio.h>

/* Writes the view. columns: most characters of a line. rows: most lines. */
void proa_top_view(const struct proa_live *live, FILE *out, int rows, int columns);

/* Switches the terminal of standard output to another screen; the end restores the previous one. */
void proa_top_begin(void);
void proa_top_end(void);

/* Shows the view in the terminal, and the text under it. */
void proa_top_show(const struct proa_live *live, const char *text);

/* Starts the launcher, shows its ranks by the trace in the folder until it ends, and then its
 * output. Returns its exit status. */
int proa_top_run(const char *launcher, char *const *words, const char *folder);

#endif
