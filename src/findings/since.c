/* SPDX-License-Identifier: BSD-3-Clause */
/* See since.h. */
#include "findings/since.h"

#include <stdlib.h>

int proa_sinces_begin(struct proa_sinces *sinces, int targets)
{
    *sinces = (struct proa_sinces){.targets = targets};
    sinces->of = calloc((size_t)targets + 1, sizeof *sinces->of);
    return sinces->of ? 0 : -1;
}

void proa_sinces_end(struct proa_sinces *sinces)
{
    free(sinces->of);
}

const struct proa_since *proa_sinces_last(const struct proa_sinces *sinces, int target)
{
    const struct proa_since *all = &sinces->of[sinces->targets], *one = &sinces->of[target];

    return one->number > all->number ? one : all;
}

struct proa_finding_call proa_since_call(const struct proa_since *since)
{
    if (!since || !since->caller)
        return (struct proa_finding_call){0};
    return (struct proa_finding_call){.call = proa_call_name(since->call), .caller = since->caller};
}
