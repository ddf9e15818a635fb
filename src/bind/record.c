/* SPDX-License-Identifier: BSD-3-Clause */
/* See record.h. */
#include "bind/record.h"
#include "base/settings.h"
#include "base/wait.h"
#include "bind/report.h"
#include "core/pair.h"
#include "core/reach.h"
#include "core/spread.h"
#include "host/pmpi.h"
#include "host/start.h"
#include "host/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int proa_counting;
_Thread_local struct proa_now proa_now;

/* ---- waiting ---- */

/* The rank that told what was waited for, by where that stands; -1: not known. */
static int rank_of(const struct proa_win *win, const uint64_t *word)
{
    uintptr_t at = (uintptr_t)word, rounds = (uintptr_t)win->ctl->rounds;
    uintptr_t round;
    int teller = proa_pair_teller(win, word);

    if (teller >= 0)
        return teller;
    if (at < rounds || at >= rounds + sizeof win->ctl->rounds)
        return -1;
    round = (at - rounds) / sizeof win->ctl->rounds[0]; /* core/barrier.c */
    return (int)((win->rank + (int64_t)win->size - ((int64_t)1 << round) % win->size) % win->size);
}

static void has_waited(const uint64_t *word, long ns)
{
    struct proa_record *record = proa_now.record;
    struct proa_win *win = record && record->open ? record->win : NULL;
    struct proa_stats_call *call;
    int rank = proa_now.rank;

    if (!win || ns < 0)
        return;
    call = &record->numbers.calls[proa_now.row];
    proa_record_add(win, &call->waits, 1);
    proa_record_add(win, &call->waited_ns, (unsigned long long)ns);
    if (word && rank < 0)
        rank = rank_of(win, word);
    if (rank >= 0 && rank < record->size)
        proa_record_add(win, &record->waited_for[rank], (unsigned long long)ns);
}

/* ---- operations in the general way ---- */

/* Of a dynamic window's target, by the region that was found last. */
static enum proa_stats_way way_to(const struct proa_target *target)
{
    enum proa_reach reach = proa_reach_of(target);

    if (reach == PROA_BY_REGION)
        reach = target->only.road == &proa_road_cma ? PROA_BY_KERNEL : PROA_BY_STORE;
    return reach == PROA_BY_NETWORK  ? PROA_STATS_NETWORK
           : reach == PROA_BY_KERNEL ? PROA_STATS_KERNEL
                                     : PROA_STATS_GENERAL;
}

void proa_record_generally(const struct proa_win *win, enum proa_call call, int rank, int64_t count,
                           MPI_Datatype datatype)
{
    if ((unsigned)rank < (unsigned)win->size)
        proa_record_way(win, call, way_to(&win->targets[rank]),
                        (uint64_t)count * proa_type_find(datatype)->size);
}

/* ---- records ---- */

struct proa_win *proa_uncounted_window(MPI_Win handle)
{
    static struct proa_record nobodys;

    proa_now.record = &nobodys;
    return proa_win_find_plain(handle);
}

void proa_record_start(void)
{
    const char *stats = proa_settings()->stats;

    if (strcmp(stats, "0") == 0)
        return;
    proa_wait_set_watcher(has_waited);
    proa_at_end = proa_report_tell;
    proa_counting = 1;
}

struct proa_record *proa_record_new(MPI_Comm comm)
{
    struct proa_record *record = NULL;
    int size = 0;

    if (proa_counting && proa_pmpi()->Comm_size(comm, &size) == MPI_SUCCESS)
        record = calloc(1, sizeof *record + (size_t)size * sizeof record->waited_for[0]);
    if (record) {
        record->size = size;
        record->comm = MPI_COMM_NULL;
    }
    return record;
}

void proa_record_open(struct proa_record *record, MPI_Comm comm)
{
    const struct proa_win *win = record ? record->win : NULL;

    if (!win)
        return;
    record->rank = win->rank;
    record->flavor = win->flavor;
    proa_now.record = NULL; /* what was waited for until now was for another window */
    /* split, not copied: the user's attributes are none of its business */
    if (win->counted && proa_pmpi()->Comm_split(comm, 0, win->rank, &record->comm) != MPI_SUCCESS)
        record->comm = MPI_COMM_NULL;
    record->open = 1;
}

/* What is read off the window as it stands: how its targets are reached, and what went to other
 * nodes. */
void proa_record_read(const struct proa_record *record, struct proa_stats *numbers)
{
    const struct proa_win *win = record->open ? record->win : NULL;

    *numbers = record->numbers;
    for (int rank = 0; win && rank < win->size; rank++) {
        const struct proa_target *target = &win->targets[rank];
        int by_region = proa_reach_of(target) == PROA_BY_REGION;
        int way = target->fast ? (int)PROA_STATS_PLAIN : (int)way_to(target);

        numbers->targets[by_region ? (int)PROA_STATS_REGIONS : way]++;
        if (proa_remote_of(win, rank))
            numbers->messages +=
                __atomic_load_n(&proa_remote_of(win, rank)->sent, __ATOMIC_RELAXED);
    }
    if (win)
        numbers->window_bytes = win->targets[win->rank].bytes;
    for (int row = 0; row < PROA_STATS_OPERATIONS; row++) {
        numbers->calls[row].count = 0;
        for (int way = 0; way < PROA_STATS_WAYS; way++)
            numbers->calls[row].count += numbers->operations[row][way].count;
    }
}

/* The name that the user has given the window. */
static void read_name(struct proa_record *record, const struct proa_win *win)
{
    MPI_Win shadow = proa_handle_of(win)->shadow;
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    if (shadow != MPI_WIN_NULL && proa_pmpi()->Win_get_name(shadow, name, &length) == MPI_SUCCESS)
        snprintf(record->name, sizeof record->name, "%.63s", name);
}

void proa_record_close(struct proa_record *record, struct proa_win *win)
{
    if (!record || !record->open)
        return;
    read_name(record, win);
    proa_record_read(record, &record->numbers);
    record->open = 0;
    proa_now.record = NULL;
    proa_report_gather(record);
    if (record->comm != MPI_COMM_NULL)
        proa_pmpi()->Comm_free(&record->comm);
}
