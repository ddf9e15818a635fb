/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of LD_PRELOAD for the ranks. */
#ifndef PROA_TOOL_PRELOAD_H
#define PROA_TOOL_PRELOAD_H

#include <stdbool.h>

/* Returns `library` followed by the user's LD_PRELOAD: of two libraries with the same symbol the
 * loader takes the first. theirs: the user's value, or NULL. Only runtimes of sanitizers come
 * first: they refuse to start in any other place. A library of Proa in `theirs` is removed. */
char *proa_preload(const char *library, const char *theirs);

/* Returns true if the library at `path` is a sanitizer's runtime. */
bool proa_is_sanitizer(const char *path);

#endif
