/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and folders that Proa's options name. */
#ifndef PROA_TOOL_PLACES_H
#define PROA_TOOL_PLACES_H

#include "line.h"

/* Can the ranks write what the options of the line ask for? 0; or PROA_EXIT_USAGE, after a line on
 * stderr. Ranks that may be on other machines are not asked about. */
int proa_places_check(const struct proa_line *line);

#endif
