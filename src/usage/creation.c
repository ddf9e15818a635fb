/* SPDX-License-Identifier: BSD-3-Clause */
/* See creation.h. */
#include "usage/creation.h"
#include "host/handle.h"
#include "usage/fences.h"
#include "usage/misuse.h"

#include <stdio.h>
#include <strings.h>

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261U;

    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 16777619U;
    return hash;
}

/* An info key whose value must be equal in all processes. */
struct shared_key {
    const char *key;
    char value[2 * PROA_HINT_ROOM];
};

enum { SHARED_KEYS = 6 };

/* Sizes and units must be equal only if an info key asserts it. */
static void read_keys(const struct proa_handle *handle, struct shared_key keys[SHARED_KEYS])
{
    const struct proa_hints *hints = &handle->hints;
    const struct {
        const char *key, *value;
        long long number; /* value that must be equal if the key's value is "true" */
    } rows[SHARED_KEYS] = {{"no_locks", hints->no_locks, 0},
                           {"accumulate_ordering", hints->ordering, 0},
                           {"accumulate_ops", hints->ops, 0},
                           {"mpi_accumulate_granularity", hints->granularity, 0},
                           {"same_size", hints->same_size, (long long)handle->bytes},
                           {"same_disp_unit", hints->same_unit, handle->disp_unit}};

    for (int i = 0; i < SHARED_KEYS; i++) {
        const int has_number = i >= 4 && strcasecmp(rows[i].value, "true") == 0;

        keys[i].key = rows[i].key;
        if (has_number)
            snprintf(keys[i].value, sizeof keys[i].value, "%s, with %lld bytes", rows[i].value,
                     rows[i].number);
        else
            snprintf(keys[i].value, sizeof keys[i].value, "%s", rows[i].value);
    }
}

void proa_creation_compare(struct proa_win *win, enum proa_call call, const void *caller)
{
    struct shared_key keys[SHARED_KEYS];
    uint32_t all_keys = 0;

    read_keys(proa_handle_of(win), keys);
    for (int i = 0; i < SHARED_KEYS; i++)
        all_keys = 31 * all_keys + hash_of(keys[i].value);
    if (proa_fences_agree(win, all_keys))
        return;
    for (int i = 0; i < SHARED_KEYS; i++)
        if (!proa_fences_agree(win, hash_of(keys[i].value)) && caller)
            proa_misuse(PROA_MISUSE_CREATION, win, proa_call_name(call), caller, NULL,
                        "the ranks do not agree on the info key %s: rank %d has \"%s\"",
                        keys[i].key, win->rank, keys[i].value);
}
