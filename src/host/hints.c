/* SPDX-License-Identifier: BSD-3-Clause */
/* See hints.h. */
#include "host/hints.h"
#include "base/settings.h"
#include "adopt/adopt.h"
#include "host/pmpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int proa_info_text(MPI_Info info, const char *key, char *text, int room)
{
    int found = 0, length = room;

    if (info == MPI_INFO_NULL)
        return 0;
#if MPI_VERSION >= 4 /* MPI-4 deprecates the two calls below; length is with the NUL */
    return proa_pmpi()->Info_get_string(info, key, &length, text, &found) == MPI_SUCCESS && found &&
           length <= room;
#else
    return proa_pmpi()->Info_get_valuelen(info, key, &length, &found) == MPI_SUCCESS && found &&
           length < room &&
           proa_pmpi()->Info_get(info, key, room - 1, text, &found) == MPI_SUCCESS && found;
#endif
}

/* Returns whether the value is a list of rar, raw, war and waw, each at most once, separated by
 * commas. */
static int is_ordering(const char *value)
{
    static const char *const names[] = {"rar", "raw", "war", "waw"};
    int seen = 0, bit;

    for (;; value += 4) {
        bit = 0;
        for (int i = 0; i < 4; i++)
            if (strncmp(value, names[i], 3) == 0)
                bit = 1 << i;
        if (!bit || seen & bit || (value[3] && value[3] != ','))
            return 0;
        seen |= bit;
        if (!value[3])
            return 1;
    }
}

/* Only valid values of a key count; with any other, the key counts as absent (MPI-4.1, 10: unknown
 * values are ignored). */
static int is_sensible(const char *key, const char *value)
{
    long number;

    if (strcmp(key, "mpi_accumulate_granularity") == 0)
        return strspn(value, "0123456789") == strlen(value) && value[0];
    if (strcmp(key, "mpi_minimum_memory_alignment") == 0)
        return (number = strtol(value, NULL, 10)) > 0 && (number & (number - 1)) == 0;
    if (strcmp(key, "mpi_assert_max_num_notify") == 0)
        return strspn(value, "0123456789") == strlen(value) && value[0] &&
               strtol(value, NULL, 10) <= INT_MAX;
    if (strcmp(key, "accumulate_ops") == 0)
        return strcmp(value, "same_op") == 0 || strcmp(value, "same_op_no_op") == 0;
    if (strcmp(key, "accumulate_ordering") == 0)
        return strcmp(value, "none") == 0 || is_ordering(value);
    if (strcmp(key, "proa_adopt") == 0)
        return strcmp(value, "auto") == 0 || strcmp(value, "never") == 0 ||
               strcmp(value, "always") == 0;
    if (strcmp(key, "mpi_assert_memory_alloc_kinds") == 0)
        return value[0] != '\0';
    if (strcmp(key, "mpi_memory_alloc_kinds") == 0)
        return 0; /* only Proa sets it, for memory that it allocates */
    return strcasecmp(value, "true") == 0 || strcasecmp(value, "false") == 0;
}

/* Returns whether the key is present with a valid value. */
static int take(MPI_Info info, const char *key, char *hint)
{
    char value[PROA_HINT_ROOM];

    if (!proa_info_text(info, key, value, sizeof value) || !is_sensible(key, value))
        return 0;
    strcpy(hint, value);
    return 1;
}

size_t proa_info_alignment(MPI_Info info)
{
    char hint[PROA_HINT_ROOM] = "0";

    take(info, "mpi_minimum_memory_alignment", hint);
    return (size_t)strtol(hint, NULL, 10);
}

void proa_hints_read(MPI_Info info, struct proa_hints *hints)
{
#define READ(field, key, fallback, changes) \
    strcpy(hints->field, fallback);         \
    take(info, key, hints->field);
    PROA_HINTS(READ)
#undef READ
    hints->ops_given = take(info, "accumulate_ops", hints->ops);
}

void proa_hints_change(MPI_Info info, struct proa_hints *hints)
{
#define CHANGE(field, key, fallback, changes) \
    if (changes)                              \
        take(info, key, hints->field);
    PROA_HINTS(CHANGE)
#undef CHANGE
    hints->ops_given |= take(info, "accumulate_ops", hints->ops);
}

int proa_hints_info(const struct proa_hints *hints, MPI_Info *info)
{
    int error = proa_pmpi()->Info_create(info);

#define SET(field, key, fallback, changes)       \
    if (error == MPI_SUCCESS && hints->field[0]) \
        error = proa_pmpi()->Info_set(*info, key, hints->field);
    PROA_HINTS(SET)
#undef SET
    return error;
}

int proa_hints_notify_most(const struct proa_hints *hints)
{
    long asserted = strtol(hints->max_notify, NULL, 10);

    return asserted ? (int)asserted : INT_MAX;
}

static int says(const struct proa_hints *hints, const char *value)
{
    return strcmp(hints->adopt, value) == 0 || strcmp(proa_settings()->adopt, value) == 0;
}

int proa_hints_adopt(const struct proa_hints *hints)
{
    if (says(hints, "never"))
        return PROA_ADOPT_NEVER;
    return says(hints, "always") ? PROA_ADOPT_ALWAYS : PROA_ADOPT_AUTO;
}
