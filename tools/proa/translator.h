/* SPDX-License-Identifier: BSD-3-Clause */
/* The tool in which `--check=memory` runs the program (tools/translator). */
#ifndef PROA_TOOL_TRANSLATOR_H
#define PROA_TOOL_TRANSLATOR_H

#include <stdbool.h>

/* Can a program run so, where the environment asks for that? A line on stderr where not. */
bool proa_translator_takes(const char *program);

/* The command that is to stand before the program; NULL: none is. */
const char *proa_translator_before(void);

#endif
