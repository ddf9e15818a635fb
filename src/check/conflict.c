/* SPDX-License-Identifier: BSD-3-Clause */
/* See conflict.h. */
#include "check/conflict.h"
#include "findings/finding.h"
#include "window/epoch.h"

#include <stdio.h>

static struct proa_finding_call call_of(const struct proa_win *win,
                                        const struct proa_access *access)
{
    return (struct proa_finding_call){.call = proa_access_name(access),
                                      .caller = access->caller,
                                      .is_address = win->flavor == PROA_FLAVOR_DYNAMIC,
                                      .low = access->low,
                                      .high = access->high,
                                      .payload = access->payload};
}

int proa_conflict_by_assertion(const struct proa_access *first, const struct proa_access *second)
{
    return first->op && second->op && first->op != second->op && first->basic == second->basic;
}

const char *proa_conflict_rule(const struct proa_access *first, const struct proa_access *second)
{
    if (proa_conflict_by_assertion(first, second))
        return "concurrent accumulates to one address must have the same operation, as the info "
               "key accumulate_ops asserts (MPI-4.1, 13.2.1)";
    if (first->kind == PROA_ACCESS_ATOMIC && second->kind == PROA_ACCESS_ATOMIC &&
        first->basic == second->basic)
        return "accumulates are atomic to one another element by element, and these elements "
               "overlap "
               "by a part (MPI-4.1, 13.7.1)";
    if (first->kind == PROA_ACCESS_ATOMIC && second->kind == PROA_ACCESS_ATOMIC)
        return "accumulates are atomic to one another with one predefined datatype only (MPI-4.1, "
               "13.7.1)";
    return "until an update is complete at the target, any other access to its bytes but a "
           "further accumulate is undefined (MPI-4.1, 13.3)";
}

/* Flushes are legal in passive target epochs only (MPI-4.1, 13.5.4). */
static void say_remedy(char *remedy, size_t room, int target, unsigned epoch)
{
    if (epoch & PROA_EPOCH_LOCK)
        snprintf(remedy, room, "MPI_Win_flush(%d, win) between them", target);
    else if (epoch & PROA_EPOCH_START)
        snprintf(remedy, room,
                 "MPI_Win_complete and a further MPI_Win_start between them, and MPI_Win_wait and "
                 "MPI_Win_post at rank %d",
                 target);
    else
        snprintf(remedy, room, "MPI_Win_fence on all ranks between them");
}

void proa_conflict_tell(const struct proa_win *win, int target, unsigned epoch,
                        const struct proa_access *first, const struct proa_access *second,
                        const struct proa_last_sync *since)
{
    static const char id[] = "conflict";
    char what[120], remedy[200];

    if (proa_finding_again(id, first->caller, second->caller))
        return;
    snprintf(what, sizeof what, "rank %d does two conflicting operations on rank %d in one epoch",
             win->rank, target);
    say_remedy(remedy, sizeof remedy, target, epoch);
    proa_finding_add(&(struct proa_finding){
        .verdict = PROA_RACE,
        .id = id,
        .rule = proa_conflict_rule(first, second),
        .what = what,
        .remedy = remedy,
        .win = win,
        .calls = {call_of(win, first), call_of(win, second), proa_last_sync_call(since)}});
}
