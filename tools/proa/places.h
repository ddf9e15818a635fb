/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and folders in Proa's options. */
#ifndef PROA_TOOL_PLACES_H
#define PROA_TOOL_PLACES_H

#include "line.h"

/* Checks that the ranks can write the files that the line's options name. Returns 0, or
 * PROA_EXIT_USAGE after a message on stderr. Ranks that may be on other machines are not
 * checked. */
int proa_places_check(const struct proa_line *line);

#endif
