/* SPDX-License-Identifier: BSD-3-Clause */
/* See fences.h. */
#include "usage/fences.h"
#include "usage/misuse.h"
#include "window/sync_ops.h"

#include <mpi.h>
#include <stdlib.h>

static int has_room(struct proa_fences *fences)
{
    uint32_t room = fences->room ? 2 * fences->room : 64;
    struct proa_fence *fence;

    if (fences->count < fences->room)
        return 1;
    if (room > PROA_FENCES_MOST)
        return 0;
    fence = realloc(fences->fence, room * sizeof *fence);
    if (!fence)
        return 0;
    fences->fence = fence;
    fences->room = room;
    return 1;
}

void proa_fences_note(struct proa_fences *fences, int assert, const void *caller)
{
    const int collective = assert &(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
    uint32_t hash;

    if (!has_room(fences))
        return;
    hash = fences->count ? fences->fence[fences->count - 1].hash : 2166136261U;
    hash = (hash ^ (uint32_t)collective) * 16777619U;
    fences->fence[fences->count++] = (struct proa_fence){caller, hash};
}

/* A bit that is set in one process only is in both unions. */
int proa_fences_agree(struct proa_win *win, uint32_t value)
{
    const uint32_t most = (1u << PROA_UNITED_BITS) - 1;
    const uint32_t folded = (value ^ value >> PROA_UNITED_BITS) & most;
    uint32_t set = folded, clear = ~folded & most;

    if (win->sync->unite(win, &set) != PROA_OK || win->sync->unite(win, &clear) != PROA_OK)
        return 1; /* a process failed: there is nothing to compare */
    return (set & clear) == 0;
}

static uint32_t hash_before(const struct proa_fences *fences, uint32_t count)
{
    return count ? fences->fence[count - 1].hash : 0;
}

/* All processes have the same number of fences, and so take the same steps. */
static uint32_t first_difference(const struct proa_fences *fences, struct proa_win *win)
{
    uint32_t alike = 0, differ = fences->count;

    while (alike + 1 < differ) {
        const uint32_t middle = alike + (differ - alike) / 2;

        if (proa_fences_agree(win, hash_before(fences, middle)))
            alike = middle;
        else
            differ = middle;
    }
    return differ;
}

void proa_fences_compare(const struct proa_fences *fences, struct proa_win *win)
{
    uint32_t number;

    if (!proa_fences_agree(win, fences->count) ||
        proa_fences_agree(win, hash_before(fences, fences->count)))
        return;
    number = first_difference(fences, win);
    proa_misuse(
        PROA_MISUSE_FENCE_ASSERTS, win, "MPI_Win_fence", fences->fence[number - 1].caller, NULL,
        "the assertions of fence number %u on the window are not the same on all ranks", number);
}
