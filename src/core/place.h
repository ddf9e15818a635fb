/* A place in a target's window: what an operation works on, once rank, displacement and range have been checked. */
#ifndef PROA_CORE_PLACE_H
#define PROA_CORE_PLACE_H

#include "core/win.h"

struct proa_place {
    char *here;              /* for load and store; NULL: by cma */
    uint64_t there;          /* address in the process `peer`, for cma */
    struct proa_peer *peer;
    struct proa_peer *owner; /* whose stripes guard accumulates to it */
    uint64_t key;            /* the same number for the same byte on every path, within owner: chooses the stripe */
    int private_memory;      /* see struct proa_target */
    int scattered;           /* dynamic window: over several regions; each run of bytes has to be found by itself */
};

/* base + offset, also where base itself is no address in memory, as with absolute types: by numbers, which may wrap. */
static inline char *proa_at(const void *base, int64_t offset)
{
    return (char *)((uintptr_t)base + (uintptr_t)offset);
}

/* Finds the place of [displacement * disp_unit + lower, + bytes) in target's window. displacement in the target's units; lower (may be
 * negative) and bytes span what the operation touches. PROA_OK, PROA_ERR_DISP (negative), PROA_ERR_RMA_RANGE (outside of the window or not
 * attached), or what mapping the memory returned. place->here and ->there point at displacement itself, not at lower. */
int proa_place_find(struct proa_win *win, int target, int64_t displacement, int64_t lower, uint64_t bytes, struct proa_place *place);

#endif
