/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds programs as a launcher does. */
#ifndef PROA_TOOL_FIND_H
#define PROA_TOOL_FIND_H

#include "line.h"

/* Returns the executable file that the host's launcher starts for `name` after the part's options.
 * A name with a slash is relative to the folder that the ranks start in. Other names are searched
 * in the folders that an option names, in $PATH, or in that folder. Returns NULL if there is
 * none. */
char *proa_find_program(const struct proa_host *host, const struct proa_part *part,
                        const char *name);

#endif
