/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as a launcher or a shell would find them. */
#ifndef PROA_TOOL_PATH_H
#define PROA_TOOL_PATH_H

#include <stdbool.h>

/* A regular file that this user may execute. */
bool proa_is_executable(const char *path);

/* DIRECTORY/NAME; just NAME where that is absolute or `directory` is NULL. */
char *proa_path_join(const char *directory, const char *name);

/* The first executable `name` in the colon-separated folders of `list`, or NULL. */
char *proa_path_search(const char *list, const char *name);

/* As a shell finds a command: in $PATH, or where it is if it has a slash. NULL where there is
 * none. */
char *proa_path_command(const char *name);

#endif
