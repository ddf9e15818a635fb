/* SPDX-License-Identifier: BSD-3-Clause */
/* How many ranks a command line asks for, and whether there can be so many. */
#ifndef PROA_TOOL_RANKS_H
#define PROA_TOOL_RANKS_H

#include "line.h"

/* 0; or PROA_EXIT_USAGE, after a line on stderr, where a number of ranks is none, is below 1, or is
 * more than can be: launchers take such numbers for others, or start until the machine has no more
 * to give. */
int proa_ranks_check(const struct proa_line *line);

/* Of a line that has been checked: are they more than the processors that we may run on? */
bool proa_ranks_are_many(const struct proa_line *line);

/* Do other processes of this machine want its processors now? Looks for some milliseconds. */
bool proa_ranks_have_rivals(void);

#endif
