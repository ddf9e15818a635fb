/* SPDX-License-Identifier: BSD-3-Clause */
/* The last call of synchronization towards each target of a window, with its place. */
#ifndef PROA_FINDINGS_LAST_SYNC_H
#define PROA_FINDINGS_LAST_SYNC_H

#include "base/calls.h"
#include "findings/finding.h"

#include <stdint.h>

struct proa_last_sync {
    const void *caller; /* NULL if there was none */
    uint64_t number;    /* number of the call on the window */
    enum proa_call call;
};

struct proa_last_syncs {
    struct proa_last_sync *of; /* by target; the last element is for calls on all targets */
    int targets;
    uint64_t calls;
};

/* Returns 0, or -1 without memory. */
int proa_last_syncs_begin(struct proa_last_syncs *sinces, int targets);
void proa_last_syncs_end(struct proa_last_syncs *sinces);

/* Returns true if the call opens or ends an epoch, or completes operations. */
static inline int proa_last_sync_is_noted(enum proa_call call)
{
    return call >= PROA_CALL_Win_fence && call <= PROA_CALL_Win_sync;
}

/* Such a call returned. target: target, or -1 for all. */
static inline void proa_last_syncs_note(struct proa_last_syncs *sinces, enum proa_call call,
                                        int target, const void *caller)
{
    if (target < sinces->targets)
        sinces->of[target < 0 ? sinces->targets : target] =
            (struct proa_last_sync){caller, ++sinces->calls, call};
}

/* Returns the last call towards that target, or towards all. */
const struct proa_last_sync *proa_last_syncs_last(const struct proa_last_syncs *sinces, int target);

/* Returns the call as a finding names it. */
struct proa_finding_call proa_last_sync_call(const struct proa_last_sync *since);

#endif
