/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds files as a launcher or a shell does. */
#ifndef PROA_TOOL_PATH_H
#define PROA_TOOL_PATH_H

#include <stdbool.h>

/* Returns true for a regular file that this user may execute. */
bool proa_is_executable(const char *path);

/* Returns DIRECTORY/NAME, or NAME if that is absolute or `directory` is NULL. */
char *proa_path_join(const char *directory, const char *name);

/* Returns the first executable `name` in the colon-separated folders of `list`, or NULL. */
char *proa_path_search(const char *list, const char *name);

/* Finds a command as a shell does: in $PATH, or by its path if it has a slash. Returns NULL if
 * there is none. */
char *proa_path_command(const char *name);

#endif
