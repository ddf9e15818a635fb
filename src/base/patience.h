/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patience: the timeout of a poll that counts only time in which the process could poll. A process
 * that was stopped or had no processor may have missed the event. So at most a hundredth of the
 * timeout counts between two checks, and a timeout allows at least 100 checks.
 */
#ifndef PROA_BASE_PATIENCE_H
#define PROA_BASE_PATIENCE_H

#include "base/system.h"

enum { PROA_PATIENCE_LOOKS = 100 };

struct proa_patience {
    long left_ns, looked_ns, look_most_ns;
};

/* Begins a timeout. ns: its length, in nanoseconds. */
static inline struct proa_patience proa_patience_begin(long ns)
{
    return (struct proa_patience){ns, proa_system->now_ns(), ns / PROA_PATIENCE_LOOKS};
}

/* Called after each unsuccessful check. Returns whether the timeout has expired. */
static inline int proa_patience_is_over(struct proa_patience *patience)
{
    const long now_ns = proa_system->now_ns(), passed_ns = now_ns - patience->looked_ns;

    patience->left_ns -= passed_ns < patience->look_most_ns ? passed_ns : patience->look_most_ns;
    patience->looked_ns = now_ns;
    return patience->left_ns < 0;
}

#endif
