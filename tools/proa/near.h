/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects misspelt words. */
#ifndef PROA_TOOL_NEAR_H
#define PROA_TOOL_NEAR_H

#include <stdbool.h>

/* Returns true if `typed` differs from `meant`, but is close to it: one letter more, less or
 * different, two neighbours swapped, or its first letters, at least five. */
bool proa_is_near(const char *typed, const char *meant);

#endif
