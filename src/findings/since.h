/* SPDX-License-Identifier: BSD-3-Clause */
/* The last call of synchronization towards each target of a window, with its place. */
#ifndef PROA_FINDINGS_SINCE_H
#define PROA_FINDINGS_SINCE_H

#include "base/calls.h"
#include "findings/finding.h"

#include <stdint.h>

struct proa_since {
    const void *caller; /* NULL: there was none */
    uint64_t number;    /* of the calls on the window */
    enum proa_call call;
};

struct proa_sinces {
    struct proa_since *of; /* by target; behind them: of calls for all targets */
    int targets;
    uint64_t calls;
};

/* 0, or -1 without memory. */
int proa_sinces_begin(struct proa_sinces *sinces, int targets);
void proa_sinces_end(struct proa_sinces *sinces);

/* Does the call open or end an epoch, or complete operations? */
static inline int proa_since_is_noted(enum proa_call call)
{
    return call >= PROA_CALL_Win_fence && call <= PROA_CALL_Win_sync;
}

/* Such a call is over; target -1: for all. */
static inline void proa_sinces_note(struct proa_sinces *sinces, enum proa_call call, int target,
                                    const void *caller)
{
    if (target < sinces->targets)
        sinces->of[target < 0 ? sinces->targets : target] =
            (struct proa_since){caller, ++sinces->calls, call};
}

/* The last one towards that target, or for all. */
const struct proa_since *proa_sinces_last(const struct proa_sinces *sinces, int target);

/* As a finding names it. */
struct proa_finding_call proa_since_call(const struct proa_since *since);

#endif
