/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of `proa info`, for other commands that show them. */
#ifndef PROA_TOOL_INFO_H
#define PROA_TOOL_INFO_H

#include <stdbool.h>
#include <stdio.h>

/* All of it, for people. */
void proa_info_show(FILE *out);

/* Is a variable of that name one of Proa's settings? */
bool proa_info_is_setting(const char *name);

#endif
