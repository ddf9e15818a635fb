/* SPDX-License-Identifier: BSD-3-Clause */
/* See ordering.h. */
#include "check/ordering.h"
#include "order/crossing.h"
#include "check/conflict_between.h"
#include "check/meanings.h"
#include "check/own.h"
#include "findings/finding.h"
#include "base/atomic.h"
#include "hang/members.h"
#include "host/pmpi.h"
#include "order/clock.h"
#include "window/epoch.h"

#include <stdlib.h>
#include <string.h>

/* A window whose accesses are ordered. */
struct proa_ordering {
    struct proa_win *win;
    uint64_t number;   /* equal on all processes */
    uint64_t meetings; /* collective calls on it so far */
    int meeting;
    int size, shares; /* shares: members may load and store in each other's memory */
    uint8_t *fetched; /* by rank: there is a fetch that no call completed */
    uint8_t *locked;  /* by rank: clocks of earlier lock holders were learned in this epoch */
    uint64_t *bases;  /* base addresses, by rank */
    int *processes;   /* process by rank */
    struct proa_conflict_window named;
};

static int on, settles;              /* settles: calls since the queues were last drained */
static struct proa_accesses pending; /* accesses of this process, by target process */
static uint8_t *requested;           /* by process: a request form fetched from it */
static uint64_t windows;             /* windows created so far */
enum { SETTLES = 16 };

/* ---- begin and end ---- */

int proa_ordering_is_on(void)
{
    return proa_atomic_load(&on, PROA_ACQUIRE);
}

static void release(void)
{
    proa_accesses_end(&pending);
    proa_own_end();
    proa_crossing_end();
    proa_clock_end();
    free(requested);
    requested = NULL;
}

/* Without memory, a process leaves out all its own accesses but still takes part. */
void proa_ordering_begin(const struct proa_group *group, int threads)
{
    int failed;

    proa_inside_begin(threads);
    if (proa_board_begin(group, threads) != 0)
        return;
    requested = calloc((size_t)group->size, sizeof *requested);
    failed = proa_crossing_begin(proa_conflict_between_tell, proa_conflict_between_arrive) != 0 ||
             !requested || proa_accesses_begin(&pending, group->size) ||
             proa_own_begin(group->size) || proa_clock_begin();
    if (group->max(group->context, &failed) != 0 || failed) {
        release();
        proa_board_end();
        return;
    }
    proa_atomic_store(&on, 1, PROA_RELEASE);
}

void proa_ordering_end(void)
{
    if (!on)
        return;
    proa_inside_enter();
    proa_board_barrier();
    proa_crossing_take();
    proa_finding_count(0, 0, proa_crossing_left_out() + pending.dropped);
    proa_finding_count_by_values(proa_crossing_ordered_by_values());
    proa_atomic_store(&on, 0, PROA_RELEASE);
    release();
    proa_inside_leave();
    proa_board_end();
}

/* ---- windows ---- */

int proa_ordering_processes(MPI_Group group, int size, int *processes)
{
    struct proa_members *members = proa_members_of_group(group);
    int known = 0;

    for (int i = 0; members && i < size; i++) {
        processes[i] = members->rank[i];
        known += processes[i] >= 0 && processes[i] < proa_board_size();
    }
    proa_members_free(members);
    return known;
}

static void free_ordering(struct proa_ordering *ordering)
{
    free(ordering->fetched);
    free(ordering->locked);
    free(ordering->bases);
    free(ordering->processes);
    free(ordering);
}

static struct proa_ordering *new_ordering(struct proa_win *win)
{
    struct proa_ordering *ordering = calloc(1, sizeof *ordering);
    const size_t size = (size_t)win->size;

    if (!ordering)
        return NULL;
    *ordering = (struct proa_ordering){.win = win, .size = win->size};
    ordering->fetched = calloc(size, sizeof *ordering->fetched);
    ordering->locked = calloc(size, sizeof *ordering->locked);
    ordering->bases = calloc(size, sizeof *ordering->bases);
    ordering->processes = calloc(size, sizeof *ordering->processes);
    if (ordering->fetched && ordering->locked && ordering->bases && ordering->processes)
        return ordering;
    free_ordering(ordering);
    return NULL;
}

/* Returns true if all processes belong to MPI_COMM_WORLD. */
static int read_processes(struct proa_ordering *ordering, MPI_Comm comm)
{
    MPI_Group group;
    int known;

    proa_pmpi()->Comm_group(comm, &group);
    known = proa_ordering_processes(group, ordering->size, ordering->processes);
    proa_pmpi()->Group_free(&group);
    return known == ordering->size;
}

/* windows: change of the count, 1 or -1. */
static void note_shared(const struct proa_ordering *ordering, int windows)
{
    for (int i = 0; i < ordering->size; i++)
        if (ordering->processes[i] != proa_board_rank() &&
            proa_board_is_near(ordering->processes[i]))
            proa_clock_share(ordering->processes[i], windows);
}

void proa_ordering_share(struct proa_ordering *ordering)
{
    if (!ordering || !on || ordering->shares)
        return;
    ordering->shares = 1;
    note_shared(ordering, 1);
}

/* The exchange carries the bases and one more word, the number, which rank 0 assigns. A process
 * without memory, or without clocks as a spawned one, contributes 0. No process orders the window
 * then. */
struct proa_ordering *proa_ordering_open(struct proa_win *win, MPI_Comm comm)
{
    struct proa_ordering *ordering;
    uint64_t mine[3] = {0}, *all;
    int is_followed = 1;

    if (!(win->counted & PROA_COUNTED_CHECK))
        return NULL;
    ordering = on ? new_ordering(win) : NULL;
    mine[0] = ordering && read_processes(ordering, comm);
    mine[1] = win->flavor == PROA_FLAVOR_DYNAMIC ? 0 : (uint64_t)(uintptr_t)win->base;
    mine[2] = on ? (uint64_t)proa_board_rank() << 40 | ++windows : 0;
    all = calloc((size_t)win->size, sizeof mine);
    if (!all) /* the others wait, so there is no better choice */
        abort();
    proa_pmpi()->Allgather(mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, comm);
    for (int i = 0; i < win->size; i++)
        is_followed &= all[3 * (size_t)i] == 1;
    if (!ordering || !is_followed) { /* without memory it contributes 0, so the others do not order
                                        the window either */
        free(all);
        if (ordering)
            free_ordering(ordering);
        return NULL;
    }
    for (int i = 0; i < win->size; i++)
        ordering->bases[i] = all[3 * i + 1];
    ordering->number = all[2];
    ordering->meeting = PROA_SETS_WINDOW + (int)(all[2] % PROA_BOARD_SETS);
    free(all);
    proa_inside_enter();
    if (win->flavor == PROA_FLAVOR_SHARED)
        proa_ordering_share(ordering);
    proa_own_open(win, ordering, ordering->number);
    ordering->named = (struct proa_conflict_window){.number = ordering->number, .win = win};
    proa_conflict_between_open(&ordering->named);
    proa_inside_leave();
    return ordering;
}

void proa_ordering_close(struct proa_ordering *ordering)
{
    if (!ordering)
        return;
    proa_inside_enter();
    if (on && ordering->shares)
        note_shared(ordering, -1);
    proa_own_close(ordering->number);
    proa_conflict_between_close(&ordering->named);
    proa_inside_leave();
    free_ordering(ordering);
}

void proa_ordering_attach(struct proa_ordering *ordering, const void *base, uint64_t bytes)
{
    if (!ordering)
        return;
    proa_inside_enter();
    proa_own_attach(ordering->win, ordering, ordering->number, base, bytes);
    proa_inside_leave();
}

void proa_ordering_detach(struct proa_ordering *ordering, const void *base)
{
    if (!ordering)
        return;
    proa_inside_enter();
    proa_own_detach(ordering->number, base);
    proa_inside_leave();
}

/* ---- accesses ---- */

void proa_ordering_settle(void)
{
    settles = 0;
    proa_board_flush();
    if (pending.alive + proa_own_alive() == 0)
        proa_clock_raise_floor();
    proa_crossing_take();
}

/* Flushes and locks are frequent, and each drain of the queues transfers cache lines from the
 * origins. One in 16 of these calls drains them. */
static void settle_sometimes(void)
{
    if (++settles >= SETTLES)
        proa_ordering_settle();
    else
        proa_board_flush();
}

struct goes {
    const struct proa_ordering *ordering; /* NULL for request forms of all windows */
    int local;
    uint64_t stamp; /* 0 until an access was handed over */
    int process;
};

static int has_completed(const struct proa_access *access, void *arg)
{
    struct goes *goes = arg;

    if (goes->ordering ? access->window != goes->ordering : !access->requested)
        return 0;
    if (goes->stamp == 0)
        goes->stamp = proa_clock_stamp();
    proa_crossing_hand_over(goes->process, access, goes->stamp);
    return 1;
}

static void complete_at(int process, struct goes *goes)
{
    goes->process = process;
    proa_accesses_drop(&pending, process, goes->local, has_completed, goes);
    goes->process = proa_board_rank();
    proa_own_drop(process, has_completed, goes);
}

/* Accesses that were complete at once are handed over, so others may know of them. */
static void handed_over(void)
{
    proa_board_flush();
    proa_clock_complete();
}

/* Returns true if any access was handed over. */
static int hand_over_all(struct proa_ordering *ordering, int rank, int local)
{
    struct goes goes = {ordering, local, 0, 0};

    if (pending.alive + proa_own_alive() == 0)
        return 0;
    for (int i = rank < 0 ? 0 : rank; i < (rank < 0 ? ordering->size : rank + 1); i++)
        complete_at(ordering->processes[i], &goes);
    return goes.stamp != 0;
}

void proa_ordering_complete(struct proa_ordering *ordering, int rank, int local)
{
    if (hand_over_all(ordering, rank, local))
        handed_over();
}

void proa_ordering_requests_completed(void)
{
    struct goes goes = {NULL, 1, 0, 0};

    for (int i = 0; i < proa_board_size(); i++) {
        if (requested[i])
            proa_clock_learn_memory(i);
        if (requested[i] || proa_own_alive())
            complete_at(i, &goes);
        requested[i] = 0;
    }
    if (goes.stamp)
        handed_over();
}

struct proa_accesses *proa_ordering_accesses(struct proa_ordering *ordering, int rank, int *target,
                                             uint64_t *base)
{
    *target = ordering->processes[rank];
    *base = ordering->bases[rank];
    return &pending;
}

void proa_ordering_fill(struct proa_ordering *ordering, enum proa_call call,
                        struct proa_access *access)
{
    access->window = ordering;
    access->number = ordering->number;
    access->origin = (int16_t)proa_board_rank();
    access->requested = (proa_meanings[call] & PROA_MEANS_REQUESTS) != 0;
    access->moment = proa_clock_moment();
}

void proa_ordering_hand_over(struct proa_ordering *ordering, int rank,
                             const struct proa_access *access)
{
    proa_crossing_hand_over(ordering->processes[rank], access, proa_clock_stamp());
}

void proa_ordering_notify(struct proa_ordering *ordering, int rank)
{
    handed_over();
    proa_clock_tell(ordering->processes[rank], PROA_ROW_SEEN);
    proa_board_flush();
}

/* ---- before a call ---- */

static void tell_all(const struct proa_ordering *ordering, enum proa_board_row row)
{
    for (int i = 0; i < ordering->size; i++)
        proa_clock_tell(ordering->processes[i], row);
}

static void tell_started(const struct proa_ordering *ordering)
{
    for (int i = 0; i < ordering->win->started_group.count; i++)
        proa_clock_tell(ordering->processes[ordering->win->started_group.rank[i]],
                        PROA_ROW_COMPLETED);
}

static int meeting_row(const struct proa_ordering *ordering)
{
    return 2 * ordering->meeting + (int)(ordering->meetings & 1);
}

/* Publishes the clock to the processes that may observe the completion. */
static void tell_end(struct proa_ordering *ordering, enum proa_call call, int rank)
{
    if (proa_meanings[call] & PROA_MEANS_MEETS) {
        ordering->meetings++;
        proa_clock_tell_completing(ordering->processes, ordering->size, meeting_row(ordering));
    } else if (call == PROA_CALL_Win_complete) {
        tell_started(ordering);
    } else if (call == PROA_CALL_Win_unlock_all) {
        tell_all(ordering, PROA_ROW_SHARED);
    } else {
        const int exclusive = proa_epoch_one(&ordering->win->targets[rank]) & PROA_EPOCH_EXCLUSIVE;

        proa_clock_tell(ordering->processes[rank],
                        exclusive ? PROA_ROW_EXCLUSIVE : PROA_ROW_SHARED);
    }
}

static void before(struct proa_ordering *ordering, enum proa_call call, int rank)
{
    const unsigned means = proa_meanings[call];

    if (means & PROA_MEANS_MEETS) { /* complete when the call returns */
        if (hand_over_all(ordering, rank, 0))
            proa_board_flush();
    } else if (means & PROA_MEANS_ENDS) {
        proa_ordering_complete(ordering, rank, 0);
    }
    if (means & PROA_MEANS_ENDS)
        tell_end(ordering, call, rank);
    if (call == PROA_CALL_Win_post)
        tell_all(ordering, PROA_ROW_TOLD);
    proa_board_flush();
}

static int concerns(const struct proa_ordering *ordering, enum proa_call call, int rank)
{
    return (proa_meanings[call] & PROA_MEANS_ALL) || (unsigned)rank < (unsigned)ordering->size;
}

void proa_ordering_before(struct proa_ordering *ordering, enum proa_call call, int rank)
{
    if (ordering && on && concerns(ordering, call, rank))
        before(ordering, call, rank);
}

void proa_ordering_operates(struct proa_ordering *ordering, enum proa_call call, int rank)
{
    if (!ordering || !on || (unsigned)rank >= (unsigned)ordering->size)
        return;
    if (proa_meanings[call] & PROA_MEANS_UPDATES)
        proa_clock_tell(ordering->processes[rank], PROA_ROW_SEEN);
    else
        proa_clock_listen();
    proa_board_flush();
}

/* ---- after a call ---- */

static void learn_fetched(struct proa_ordering *ordering, int rank)
{
    for (int i = rank < 0 ? 0 : rank; i < (rank < 0 ? ordering->size : rank + 1); i++)
        if (ordering->fetched[i]) {
            proa_clock_learn_memory(ordering->processes[i]);
            ordering->fetched[i] = 0;
        }
}

static void learn_lock(struct proa_ordering *ordering, int rank, int exclusive)
{
    proa_clock_learn(ordering->processes[rank], PROA_ROW_EXCLUSIVE);
    if (exclusive)
        proa_clock_learn(ordering->processes[rank], PROA_ROW_SHARED);
    ordering->locked[rank] = 1;
}

/* The first operation on a target may have waited for its post, fence or lock. */
void proa_ordering_operated(struct proa_ordering *ordering, enum proa_call call, int rank)
{
    unsigned epoch;

    if (!ordering || !on || (unsigned)rank >= (unsigned)ordering->size)
        return;
    epoch = proa_epoch_towards(ordering->win, rank);
    if (epoch & PROA_EPOCH_START)
        proa_clock_hear(PROA_ROW_TOLD);
    if (epoch & PROA_EPOCH_FENCE)
        proa_clock_hear(PROA_ROW_MEETING + meeting_row(ordering));
    if ((epoch & PROA_EPOCH_LOCK) && !ordering->locked[rank])
        learn_lock(ordering, rank, 0);
    if (proa_meanings[call] & PROA_MEANS_FETCHES)
        ordering->fetched[rank] = 1;
    if (proa_meanings[call] & PROA_MEANS_REQUESTS)
        requested[ordering->processes[rank]] = 1;
}

static void after(struct proa_ordering *ordering, enum proa_call call, int rank)
{
    const unsigned means = proa_meanings[call];

    if (means & (PROA_MEANS_ENDS | PROA_MEANS_FLUSHES))
        learn_fetched(ordering, means & PROA_MEANS_MEETS ? -1 : rank);
    if (means & PROA_MEANS_MEETS) {
        proa_clock_complete();
        proa_clock_hear(PROA_ROW_MEETING + meeting_row(ordering));
    }
    if (means & PROA_MEANS_HEARS)
        proa_clock_hear(PROA_ROW_COMPLETED);
    if (call == PROA_CALL_Win_lock)
        learn_lock(ordering, rank,
                   proa_epoch_one(&ordering->win->targets[rank]) & PROA_EPOCH_EXCLUSIVE);
    if (call == PROA_CALL_Win_lock_all)
        memset(ordering->locked, 0, (size_t)ordering->size);
    if (means & (PROA_MEANS_MEETS | PROA_MEANS_HEARS))
        proa_ordering_settle();
    else
        settle_sometimes();
    if (call == PROA_CALL_Win_free) /* the window's name is freed next */
        proa_conflict_between_close(&ordering->named);
}

void proa_ordering_after(struct proa_ordering *ordering, enum proa_call call, int rank)
{
    if (ordering && on && concerns(ordering, call, rank))
        after(ordering, call, rank);
}
