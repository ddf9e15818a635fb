/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs another program and reads its output. */
#ifndef PROA_TOOL_CAPTURE_H
#define PROA_TOOL_CAPTURE_H

/* Runs argv[0] (a path, not searched). Returns its standard output as text, or NULL if it could not
 * be started. Its stderr and its exit status are ignored: callers search for words in the text.
 * LD_PRELOAD is removed, as the user's preloaded libraries do not concern this program. */
char *proa_capture(char *const argv[]);

#endif
