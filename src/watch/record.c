/* SPDX-License-Identifier: BSD-3-Clause */
/* See record.h. */
#include "watch/record.h"
#include "base/atomic.h"
#include "base/settings.h"
#include "base/wait.h"
#include "watch/report.h"
#include "watch/waits.h"
#include "sync/pair.h"
#include "rma/road.h"
#include "remote/window.h"
#include "sync/notify.h"
#include "window/sync_ops.h"
#include "host/pmpi.h"
#include "host/start.h"
#include "host/types.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counting; /* true if windows have records: set before the first window, never changed */

static void add(unsigned long long *number, unsigned long long more)
{
    if (proa_atomic_load(&proa_record_care, PROA_RELAXED) & PROA_RECORD_THREADS)
        proa_atomic_fetch_add(number, more, PROA_RELAXED);
    else
        *number += more;
}

static void add_wait(struct proa_record *record, int row, int rank,
                     const struct proa_watched_wait *wait)
{
    struct proa_stats_call *call = &record->numbers.calls[row];

    add(&call->waits, 1);
    add(&call->waited_ns, (unsigned long long)wait->ns);
    if (wait->word && rank < 0)
        rank = proa_wait_rank(record->win, wait->word);
    if (rank >= 0 && rank < record->size)
        add(&record->waited_for[rank], (unsigned long long)wait->ns);
}

static void add_waits(struct proa_record *record, int row, int rank)
{
    /* a window has a counter before a thread counts: NOLINTNEXTLINE(*-core.NullDereference) */
    for (int i = 0; i < proa_waits.count && record->open; i++)
        add_wait(record, row, rank, &proa_waits.wait[i]);
    proa_waits_forget();
}

/* The existing records. A window may be freed after a thread received a request on it, so the
 * thread stores the record's number. */
static struct proa_record *records;
static pthread_mutex_t records_mutex = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local struct {
    unsigned long record;
    int row, rank;
} requested;

void proa_record_waited_for_request(void)
{
    struct proa_record *record;

    pthread_mutex_lock(&records_mutex);
    HASH_FIND(hh, records, &requested.record, sizeof requested.record, record);
    if (record)
        add_waits(record, requested.row, requested.rank);
    else
        proa_waits_forget();
    pthread_mutex_unlock(&records_mutex);
}

void proa_record_carefully(struct proa_record *record, int row, int rank, int way, uint64_t bytes)
{
    if (row >= PROA_STATS_OPERATIONS)
        add(&record->numbers.calls[row].count, 1);
    else if (way < PROA_STATS_WAYS) {
        add(&record->numbers.operations[row][way].count, 1);
        add(&record->numbers.operations[row][way].bytes, bytes);
    } else if (way == PROA_WATCHED_REQUEST) {
        requested.record = record->number;
        requested.row = row;
        requested.rank = rank;
    }
    add_waits(record, row, rank);
}

/* ---- records ---- */

void proa_record_start(void)
{
    const char *stats = proa_settings()->stats;

    if (strcmp(stats, "0") == 0)
        return;
    proa_waits_start();
    counting = 1;
}

struct proa_record *proa_record_new(MPI_Comm comm)
{
    static unsigned long last;
    struct proa_record *record;
    int size = 0;

    if (!counting || proa_pmpi()->Comm_size(comm, &size) != MPI_SUCCESS)
        return NULL;
    record = calloc(1, sizeof *record + (size_t)size * sizeof record->waited_for[0]);
    if (!record)
        return NULL;
    record->size = size;
    record->comm = MPI_COMM_NULL;
    pthread_mutex_lock(&records_mutex);
    record->number = ++last;
    HASH_ADD(hh, records, number, sizeof record->number, record);
    pthread_mutex_unlock(&records_mutex);
    return record;
}

void proa_record_drop(struct proa_record *record)
{
    if (!record)
        return;
    pthread_mutex_lock(&records_mutex);
    HASH_DEL(records, record);
    pthread_mutex_unlock(&records_mutex);
    free(record);
}

void proa_record_of_window(struct proa_record *record, struct proa_win *win)
{
    static struct proa_record nobodys;

    if (record)
        record->win = win;
    win->counter = record ? record : &nobodys;
    if (win->threads)
        proa_atomic_fetch_or(&proa_record_care, PROA_RECORD_THREADS, PROA_RELAXED);
}

void proa_record_open(struct proa_record *record, MPI_Comm comm)
{
    const struct proa_win *win = record ? record->win : NULL;

    if (!win)
        return;
    record->rank = win->rank;
    record->flavor = win->flavor;
    /* split, not copied: the user's attributes must not be copied */
    if (win->counted & PROA_COUNTED_STATS &&
        proa_pmpi()->Comm_split(comm, 0, win->rank, &record->comm) != MPI_SUCCESS)
        record->comm = MPI_COMM_NULL;
    record->open = 1;
}

enum proa_stats_way proa_way_to(const struct proa_target *target)
{
    enum proa_reach reach = proa_reach_of(target);

    if (reach == PROA_BY_REGION)
        reach = target->only.road == PROA_ROAD_CMA ? PROA_BY_KERNEL : PROA_BY_STORE;
    return reach == PROA_BY_NETWORK  ? PROA_STATS_NETWORK
           : reach == PROA_BY_KERNEL ? PROA_STATS_KERNEL
                                     : PROA_STATS_GENERAL;
}

/* Adds the numbers that are read from the window itself: the ways to its targets, and the
 * operations on other nodes. */
void proa_record_read(const struct proa_record *record, struct proa_stats *numbers)
{
    const struct proa_win *win = record->open ? record->win : NULL;

    *numbers = record->numbers;
    for (int rank = 0; win && rank < win->size; rank++) {
        const struct proa_target *target = &win->targets[rank];
        int by_region = proa_reach_of(target) == PROA_BY_REGION;
        int way = target->fast ? (int)PROA_STATS_PLAIN : (int)proa_way_to(target);

        numbers->targets[by_region ? (int)PROA_STATS_REGIONS : way]++;
        if (proa_remote_of(win, rank))
            numbers->messages +=
                proa_atomic_load(&proa_remote_of(win, rank)->flight.sent, PROA_RELAXED);
    }
    if (win)
        numbers->window_bytes = win->targets[win->rank].bytes;
    for (int row = 0; row < PROA_STATS_OPERATIONS; row++) {
        numbers->calls[row].count = 0;
        for (int way = 0; way < PROA_STATS_WAYS; way++)
            numbers->calls[row].count += numbers->operations[row][way].count;
    }
}

void proa_record_close(struct proa_record *record, struct proa_win *win)
{
    if (!record || !record->open)
        return;
    proa_handle_name(proa_handle_of(win), record->name);
    proa_record_read(record, &record->numbers);
    record->open = 0;
    proa_report_gather(record);
    if (record->comm != MPI_COMM_NULL)
        proa_pmpi()->Comm_free(&record->comm);
}
