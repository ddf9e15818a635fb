/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs as a launcher finds them. */
#ifndef PROA_TOOL_FIND_H
#define PROA_TOOL_FIND_H

#include "line.h"

/* The executable file that the host's launcher starts for `name` after the part's options: where it
 * is if it has a slash, seen from the folder that the ranks start in; else in the folders that an
 * option names, in $PATH, or in that folder. NULL where there is none. */
char *proa_find_program(const struct proa_host *host, const struct proa_part *part,
                        const char *name);

#endif
