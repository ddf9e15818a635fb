/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `proa info`, for other commands that print it. */
#ifndef PROA_TOOL_INFO_H
#define PROA_TOOL_INFO_H

#include <stdbool.h>
#include <stdio.h>

/* Prints all of it as text. */
void proa_info_show(FILE *out);

/* Returns true if a variable of that name is a setting of Proa. */
bool proa_info_is_setting(const char *name);

#endif
