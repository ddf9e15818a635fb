/* SPDX-License-Identifier: BSD-3-Clause */
/* See last_sync.h. */
#include "findings/last_sync.h"

#include <stdlib.h>

int proa_last_syncs_begin(struct proa_last_syncs *sinces, int targets)
{
    *sinces = (struct proa_last_syncs){.targets = targets};
    sinces->of = calloc((size_t)targets + 1, sizeof *sinces->of);
    return sinces->of ? 0 : -1;
}

void proa_last_syncs_end(struct proa_last_syncs *sinces)
{
    free(sinces->of);
}

const struct proa_last_sync *proa_last_syncs_last(const struct proa_last_syncs *sinces, int target)
{
    const struct proa_last_sync *all = &sinces->of[sinces->targets], *one = &sinces->of[target];

    return one->number > all->number ? one : all;
}

struct proa_finding_call proa_last_sync_call(const struct proa_last_sync *since)
{
    if (!since || !since->caller)
        return (struct proa_finding_call){0};
    return (struct proa_finding_call){.call = proa_call_name(since->call), .caller = since->caller};
}
