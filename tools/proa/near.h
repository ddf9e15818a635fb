/* SPDX-License-Identifier: BSD-3-Clause */
/* Misspelt words. */
#ifndef PROA_TOOL_NEAR_H
#define PROA_TOOL_NEAR_H

#include <stdbool.h>

/* Is `typed` no word but close to `meant`: one letter more, less or another, two neighbours
 * swapped, or its first letters, at least five? */
bool proa_is_near(const char *typed, const char *meant);

#endif
