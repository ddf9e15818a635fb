/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the processes of a window that is being created agree on an outcome. A failure on any process
 * is a failure of the same class on all. Neighbours agree by one word each. Processes of several
 * nodes agree by the host, in one reduction, and so do neighbours after a failure.
 */
#include "create/create.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "sync/shared_words.h"
#include "sync/peer_failure.h"

#include <stdio.h>

/* Needs no memory, as lack of memory may be the failure. */
int proa_reason_learn(const struct proa_group *group, int rank, int error)
{
    char reason[160];
    int outcome;

    snprintf(reason, sizeof reason, "%s", proa_failure());
    outcome = group->tell(group->context, rank, reason, sizeof reason);
    if (!outcome)
        outcome = rank == group->rank ? error : proa_fail(error, "%s (on rank %d)", reason, rank);
    return outcome;
}

/* Encoded for an MPI_MAX reduction: 0 success, 1 left to the host, 1 + e for the error -e. */
int proa_agree(const struct proa_group *group, int outcome)
{
    int value = outcome < 0 ? 1 - outcome : outcome, error = group->max(group->context, &value);
    int worst = value <= PROA_ELSEWHERE ? value : 1 - value;

    if (error)
        return error;
    if (worst == PROA_ELSEWHERE && !outcome)
        proa_fail(worst, "another rank cannot reach the memory of this rank, or of a neighbour");
    else if (worst == PROA_ERR_NO_MEM && !outcome)
        proa_fail(worst, "another rank lacks memory for its part of the window");
    else if (worst && !outcome)
        proa_fail(worst, "another rank could not create its part of the window");
    return worst;
}

/* Waits for a neighbour's word of an agreement. Returns whether the neighbour succeeded. If a
 * process is gone, this process knows it afterwards, even if only the neighbour had noticed. */
static int is_fine(struct proa_win *win, int rank, uint64_t fine)
{
    struct proa_win_ctl *ctl = win->targets[rank].ctl;
    uint64_t number;
    uint32_t lost = 0;

    if (proa_shared_reached(win, rank, ctl, &ctl->agreed, fine) != PROA_OK)
        return 0;
    number = proa_atomic_load(&ctl->agreed, PROA_ACQUIRE);
    if (number == fine + 1)
        lost = proa_atomic_load(&ctl->lost, PROA_RELAXED);
    if (lost)
        proa_failed_know(win, (int)lost - 1);
    return number != fine + 1;
}

/* Neighbours agree by a word in the block of each: 2 n - 1 if its owner succeeded in the n-th
 * agreement, else 2 n. A process that has failed may not reach the blocks of the others, so it
 * reads none. A process that has not failed reaches all of them, and so detects any failure. A word
 * that is already larger belongs to a process that found only success here. */
static int are_all_fine(struct proa_win *win, int outcome)
{
    uint64_t fine = 2 * (uint64_t)++win->agreements - 1;
    int all_fine = outcome == PROA_OK;

    proa_atomic_store(&win->ctl->lost, win->lost, PROA_RELAXED);
    proa_shared_set(win->ctl, &win->ctl->agreed, all_fine ? fine : fine + 1);
    for (int i = 0; i < win->size && all_fine; i++)
        all_fine = is_fine(win, i, fine);
    return all_fine;
}

int proa_agree_on(struct proa_win *win, const struct proa_group *group, int outcome)
{
    int all_fine = win->near == win->size && are_all_fine(win, outcome);

    if (win->lost) { /* the host would wait for the process that is gone */
        win->keeps_block = 1;
        return proa_failed_report(win, -1);
    }
    return all_fine ? PROA_OK : proa_agree(group, outcome);
}
