/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patience: for how long to look for something before it is given up. A process that was stopped,
 * or had no processor, could not look, and the thing may have come meanwhile. So of the time
 * between two looks only a hundredth of the patience counts, and a patience has 100 looks at least.
 */
#ifndef PROA_BASE_PATIENCE_H
#define PROA_BASE_PATIENCE_H

#include "base/system.h"

enum { PROA_PATIENCE_LOOKS = 100 };

struct proa_patience {
    long left_ns, looked_ns, look_most_ns;
};

/* From now on, for that long. */
static inline struct proa_patience proa_patience_begin(long ns)
{
    return (struct proa_patience){ns, proa_system->now_ns(), ns / PROA_PATIENCE_LOOKS};
}

/* At each look that was in vain. Not 0: the patience is over. */
static inline int proa_patience_is_over(struct proa_patience *patience)
{
    const long now_ns = proa_system->now_ns(), passed_ns = now_ns - patience->looked_ns;

    patience->left_ns -= passed_ns < patience->look_most_ns ? passed_ns : patience->look_most_ns;
    patience->looked_ns = now_ns;
    return patience->left_ns < 0;
}

#endif
