/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of LD_PRELOAD for the ranks. */
#ifndef PROA_TOOL_PRELOAD_H
#define PROA_TOOL_PRELOAD_H

#include <stdbool.h>

/* `library` in front of what the user has in LD_PRELOAD (`theirs`, may be NULL), because of two
 * libraries with the same symbol the loader takes the first. Only the runtimes of sanitizers go
 * before it: they refuse to start in any other place. A Proa library that is in `theirs` already is
 * left out. */
char *proa_preload(const char *library, const char *theirs);

/* Whether the library at `path` is a sanitizer's runtime. */
bool proa_is_sanitizer(const char *path);

#endif
