/* SPDX-License-Identifier: BSD-3-Clause */
/* The tool that `--check=memory` runs the program in (tools/translator). */
#ifndef PROA_TOOL_TRANSLATOR_H
#define PROA_TOOL_TRANSLATOR_H

#include <stdbool.h>

/* Returns true if the program can run in the tool, or the environment does not request it. Prints a
 * message on stderr otherwise. */
bool proa_translator_takes(const char *program);

/* Returns the command to put before the program, or NULL for none. */
const char *proa_translator_before(void);

#endif
