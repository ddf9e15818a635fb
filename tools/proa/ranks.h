/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the number of ranks of a command line. */
#ifndef PROA_TOOL_RANKS_H
#define PROA_TOOL_RANKS_H

#include "line.h"

/* Checks that each number of ranks is a number, at least 1, and possible: launchers misread other
 * values, or start ranks until the machine's resources are exhausted. Returns 0, or PROA_EXIT_USAGE
 * after a message on stderr. */
int proa_ranks_check(const struct proa_line *line);

/* Returns true if a checked line has more ranks than the processors that this process may use. */
bool proa_ranks_are_many(const struct proa_line *line);

/* Returns true if other processes of this machine compete for its processors. Samples for some
 * milliseconds. */
bool proa_ranks_have_rivals(void);

#endif
