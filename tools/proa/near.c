/* SPDX-License-Identifier: BSD-3-Clause */
/* See near.h. */
#include "near.h"

#include <stddef.h>
#include <string.h>

enum { PREFIX_LEAST = 5 };

/* After the common first letters, one edit makes the rest equal. */
static bool is_one_edit(const char *typed, const char *meant)
{
    while (*typed && *typed == *meant)
        typed++, meant++;
    if (!*typed || !*meant)
        return strlen(typed) + strlen(meant) <= 1;
    return strcmp(typed + 1, meant) == 0 || strcmp(typed, meant + 1) == 0 ||
           strcmp(typed + 1, meant + 1) == 0 ||
           (typed[0] == meant[1] && typed[1] == meant[0] && strcmp(typed + 2, meant + 2) == 0);
}

bool proa_is_near(const char *typed, const char *meant)
{
    size_t length = strlen(typed);

    return is_one_edit(typed, meant) ||
           (length >= PREFIX_LEAST && strncmp(typed, meant, length) == 0);
}
