/* SPDX-License-Identifier: BSD-3-Clause */
/* See calls.h. */
#include "base/calls.h"

const char *proa_call_name(enum proa_call call)
{
    static const char *const names[] = {
#define NAME(name) [PROA_CALL_##name] = "MPI_" #name,
        PROA_CALLS(NAME) PROA_CALLS_LARGE(NAME) PROA_CALLS_NOTIFIED(NAME)
#undef NAME
#define NAME(name) [PROA_CALL_##name] = "PROA_" #name,
            PROA_CALLS_OWN(NAME)
#undef NAME
    };

    return names[call];
}
