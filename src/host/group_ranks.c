/* SPDX-License-Identifier: BSD-3-Clause */
/* See group_ranks.h. */
#include "host/group_ranks.h"
#include "base/atomic.h"
#include "host/pmpi.h"

#include <stdlib.h>

unsigned long proa_group_ranks_frees = 1;

/* ranks: room for the ranks of all members, then for the ranks that are passed to the host */
static int translate(MPI_Group group, MPI_Group within, int count, int *ranks)
{
    int *all = ranks + count;

    for (int i = 0; i < count; i++)
        all[i] = i;
    if (proa_pmpi()->Group_translate_ranks(group, count, all, within, ranks) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_GROUP, "the group is not valid");
    for (int i = 0; i < count; i++)
        if (ranks[i] == MPI_UNDEFINED)
            return proa_fail(PROA_ERR_GROUP, "member %d of the group is not in the window", i);
    return PROA_OK;
}

static int count_of(MPI_Group group, int size, int *count)
{
    if (group == MPI_GROUP_NULL)
        return proa_fail(PROA_ERR_GROUP, "the group is MPI_GROUP_NULL");
    if (proa_pmpi()->Group_size(group, count) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_GROUP, "the group is not valid");
    if (*count > size)
        return proa_fail(PROA_ERR_GROUP, "the group has %d members, the window %d", *count, size);
    return PROA_OK;
}

/* frees is read before the host is asked, so that a group freed meanwhile is not considered known.
 */
int proa_group_ranks_ask(struct proa_group_ranks_kept *kept, MPI_Group within, int size,
                         MPI_Group group, const struct proa_group_ranks **members)
{
    unsigned long frees = proa_atomic_load(&proa_group_ranks_frees, PROA_RELAXED);
    struct proa_group_ranks *place = &kept->of[kept->next++ % PROA_GROUP_RANKS_KEPT];
    int count, error = count_of(group, size, &count);
    int *ranks;

    *members = place;
    place->frees = 0;
    if (error)
        return error;
    ranks = realloc(place->ranks, 2 * ((size_t)count + 1) * sizeof *ranks); /* never 0 bytes */
    if (!ranks)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for %d ranks", count);
    place->ranks = ranks;
    error = translate(group, within, count, ranks);
    if (error)
        return error;
    place->group = group;
    place->count = count;
    place->frees = frees;
    return PROA_OK;
}

void proa_group_ranks_drop(struct proa_group_ranks_kept *kept)
{
    for (int i = 0; i < PROA_GROUP_RANKS_KEPT; i++)
        free(kept->of[i].ranks);
}
