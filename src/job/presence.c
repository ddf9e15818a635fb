/* SPDX-License-Identifier: BSD-3-Clause */
/* See presence.h. */
#include "job/presence.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/table.h"
#include "window/win.h"
#include "job/roll.h"
#include "host/pmpi.h"
#include "shm/process.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The host's own manager is the first match: PMIx reports that it is in use, and PMI-1 is detected
 * by the environment. */
static const struct proa_manager *const managers[] = {&proa_manager_pmix, &proa_manager_pmi};
enum { MANAGERS = sizeof managers / sizeof managers[0], PLACES = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The ranks of this job. Written once, under the mutex, by the thread that starts MPI. */
static struct {
    uint64_t mark; /* of this rank; 0 if none was put yet */
    int is_known;  /* the other members are set */
    int rank, size;
    int count;      /* number of absent ranks */
    uint64_t met;   /* time at which they were known, in ticks (shm/process.h) */
    uint64_t *roll; /* marks by rank; NULL if this rank is alone */
} job;

static const struct proa_manager *manager(void)
{
    for (int i = 0; i < MANAGERS; i++)
        if (managers[i]->is_here())
            return managers[i];
    return NULL;
}

/* ---- at the start ---- */

void proa_presence_put(int in_init, int checks)
{
    const int key = (in_init ? PROA_KEY_TELLS : PROA_KEY_ALONE) + checks * PROA_KEY_CHECKS;

    pthread_mutex_lock(&mutex);
    if (!job.mark)
        job.mark = proa_mark((enum proa_key)key, getpid(), proa_machine());
    for (int i = 0; i < MANAGERS; i++)
        managers[i]->put(job.mark);
    pthread_mutex_unlock(&mutex);
}

static int look_up(const struct proa_manager *with, int rank, int size, int in_init)
{
    job.rank = rank;
    job.size = size;
    if (size == 1)
        return 1;
    job.roll = proa_roll_call(with, rank, size, in_init && proa_key_tells(proa_mark_key(job.mark)));
    job.met = proa_ticks_now();
    for (int i = 0; i < size && job.roll; i++)
        job.count += job.roll[i] == 0;
    return job.roll != NULL;
}

void proa_presence_look(int rank, int size, int in_init)
{
    const struct proa_manager *with;

    pthread_mutex_lock(&mutex);
    with = manager();
    if (with && !job.is_known && look_up(with, rank, size, in_init))
        proa_atomic_store(&job.is_known, 1, PROA_RELEASE); /* partner: is_known */
    pthread_mutex_unlock(&mutex);
}

static int is_known(void)
{
    return proa_atomic_load(&job.is_known, PROA_ACQUIRE); /* partner: proa_presence_look */
}

static int checks(int rank)
{
    return (int)proa_mark_key(job.roll[rank]) / PROA_KEY_CHECKS;
}

/* Returns the first rank, from `rank` on, that has Proa and checks the same as this one (same: 1),
 * or not the same (0); job.size if there is none. */
static int next_checking(int rank, int same)
{
    while (rank < job.size && (job.roll[rank] == 0 || (checks(rank) == checks(job.rank)) != same))
        rank++;
    return rank;
}

int proa_presence_checks_alike(void)
{
    int other;

    if (!is_known() || !job.roll)
        return 1;
    other = next_checking(0, 0);
    if (other < job.size && next_checking(0, 1) == job.rank)
        proa_log(PROA_LOG_WARN, "check mode is off: ranks %d and %d differ in PROA_CHECK", job.rank,
                 other);
    return other == job.size;
}

int proa_presence_are_by_session(void)
{
    int rank = 0;

    if (!is_known())
        return 0;
    while (job.roll && rank < job.size && job.roll[rank] &&
           !proa_key_tells(proa_mark_key(job.roll[rank])))
        rank++;
    return !job.roll || rank == job.size;
}

/* ---- at a window ---- */

static int has_world(void)
{
    int up = 0;

    return proa_pmpi()->Initialized(&up) == MPI_SUCCESS && up;
}

/* The ranks of this job in a window, looked up a few at a time. That needs no memory, so that no
 * process alone can fail to decide. */
struct places {
    MPI_Group world, group; /* MPI_GROUP_NULL if all ranks count as in the window */
    int first, error;
    int at[PLACES]; /* of the ranks from `first` on; MPI_UNDEFINED if not in the window */
};

static void places_look(struct places *places, int first)
{
    int ranks[PLACES], count = job.size - first < PLACES ? job.size - first : PLACES, error;

    places->first = first;
    for (int i = 0; i < count; i++)
        places->at[i] = ranks[i] = first + i;
    if (places->group == MPI_GROUP_NULL)
        return;
    error =
        proa_pmpi()->Group_translate_ranks(places->world, count, ranks, places->group, places->at);
    if (error != MPI_SUCCESS)
        places->error = error;
}

/* Without MPI_COMM_WORLD all ranks of the job count as in the window: a superset, and the same on
 * all. */
static void places_open(struct places *places, MPI_Comm comm)
{
    *places = (struct places){.world = MPI_GROUP_NULL, .group = MPI_GROUP_NULL};
    if (has_world()) {
        places->error = proa_pmpi()->Comm_group(MPI_COMM_WORLD, &places->world);
        if (places->error == MPI_SUCCESS)
            places->error = proa_pmpi()->Comm_group(comm, &places->group);
    }
    places_look(places, 0);
}

static void places_close(struct places *places)
{
    if (places->world != MPI_GROUP_NULL)
        proa_pmpi()->Group_free(&places->world);
    if (places->group != MPI_GROUP_NULL)
        proa_pmpi()->Group_free(&places->group);
}

static int is_in(struct places *places, int rank)
{
    if (rank < places->first || rank >= places->first + PLACES)
        places_look(places, rank / PLACES * PLACES);
    return places->at[rank - places->first] != MPI_UNDEFINED;
}

/* Returns the first rank of the window, from `rank` on, without Proa (is_absent: 1) or with it (0);
 * job.size if there is none. */
static int next_rank(struct places *places, int rank, int is_absent)
{
    while (rank < job.size && ((job.roll[rank] == 0) != is_absent || !is_in(places, rank)))
        rank++;
    return rank;
}

/* Writes the absent ranks as "1, 4-7"; "..." replaces ranks that do not fit. */
static void missing_list(struct places *places, char *list, size_t room)
{
    enum { MOST = sizeof ", 0123456789-0123456789, ..." };
    size_t length = 0;

    for (int from = next_rank(places, 0, 1), to; from < job.size;
         from = next_rank(places, to + 1, 1)) {
        to = from;
        while (to + 1 < job.size && next_rank(places, to + 1, 1) == to + 1)
            to++;
        if (length + MOST > room) {
            strcpy(list + length, ", ...");
            return;
        }
        length += (size_t)snprintf(list + length, room - length, to > from ? "%s%d-%d" : "%s%d",
                                   length ? ", " : "", from, to);
    }
}

/* Warns once. */
static void warn(void)
{
    static int warned;

    if (!proa_atomic_exchange(&warned, 1, PROA_RELAXED))
        proa_log(PROA_LOG_WARN,
                 "%s; windows with them are left to the host MPI: start all ranks by `proa run`, "
                 "or with the same LD_PRELOAD",
                 proa_failure());
}

static int leave(struct places *places)
{
    char list[200] = "";

    missing_list(places, list, sizeof list);
    proa_fail(PROA_ELSEWHERE, "ranks of this job run without Proa: %s", list);
    if (next_rank(places, 0, 0) == job.rank) /* one process of the window */
        warn();
    return PROA_ELSEWHERE;
}

/* Called if some rank of the job has no Proa: checks whether this window has such a rank. */
static int check_places(MPI_Comm comm)
{
    struct places places;
    int error = PROA_OK;

    places_open(&places, comm);
    if (next_rank(&places, 0, 1) < job.size)
        error = leave(&places);
    if (places.error != MPI_SUCCESS)
        error = proa_fail(PROA_ELSEWHERE, "the host MPI does not tell the ranks of a window");
    places_close(&places);
    return error;
}

int proa_presence_check(MPI_Comm comm)
{
    int n = 1;

    if (is_known() ? job.count == 0 : !manager())
        return PROA_OK;
    if (proa_pmpi()->Comm_size(comm, &n) == MPI_SUCCESS && n == 1)
        return PROA_OK;
    if (is_known())
        return check_places(comm);
    proa_fail(PROA_ELSEWHERE, "MPI was started past Proa's MPI_Init, so this rank counts as one "
                              "that runs without Proa");
    warn();
    return PROA_ELSEWHERE;
}

/* ---- at a window that some process waits for ---- */

static int is_on_machine(int rank)
{
    return job.roll[rank] && proa_marks_share_machine(job.roll[rank], job.roll[job.rank]);
}

static int has_ended(int rank)
{
    return rank != job.rank && proa_process_has_ended(proa_mark_pid(job.roll[rank]), job.met);
}

/* Returns whether this process is the first of this machine in the window that is alive: it reports
 * the dead. */
static int speaks_for_machine(struct places *places)
{
    int rank = 0;

    while (rank < job.size && (!is_on_machine(rank) || !is_in(places, rank) || has_ended(rank)))
        rank++;
    return rank == job.rank;
}

/* Returns the next dead rank of this machine, from `rank` on; job.size if there is none. */
static int next_dead_here(struct places *places, int rank)
{
    while (rank < job.size && (!is_on_machine(rank) || !is_in(places, rank) || !has_ended(rank)))
        rank++;
    return rank;
}

/* The same for other machines. The manager may be asked only if no other thread uses the host,
 * which uses the same connection. */
static int next_dead_elsewhere(struct places *places, int rank)
{
    const struct proa_manager *with = manager();
    int level = MPI_THREAD_MULTIPLE;

    proa_pmpi()->Query_thread(&level);
    if (!with || level == MPI_THREAD_MULTIPLE)
        return job.size;
    for (; (rank = with->find_dead(rank)) >= 0 && rank < job.size; rank++)
        if (job.roll[rank] && !is_on_machine(rank) && is_in(places, rank))
            return rank;
    return job.size;
}

static void describe(int rank, struct proa_presence_dead *dead)
{
    dead->pid = proa_mark_pid(job.roll[rank]);
    memset(dead->host, 0, sizeof dead->host);
    if (is_on_machine(rank))
        gethostname(dead->host, sizeof dead->host - 1);
    else
        manager()->name_host(rank, dead->host);
}

int proa_presence_find_dead(MPI_Comm comm, int from, struct proa_presence_dead *dead)
{
    int here, elsewhere, rank;
    struct places places;

    if (!is_known() || !job.roll)
        return -1;
    here = elsewhere = job.size;
    places_open(&places, comm);
    if (speaks_for_machine(&places)) {
        here = next_dead_here(&places, from);
        elsewhere = next_dead_elsewhere(&places, from);
    }
    places_close(&places);
    rank = here < elsewhere ? here : elsewhere;
    if (rank == job.size)
        return -1;
    describe(rank, dead);
    return rank;
}

/* ---- other jobs ---- */

static int met_others;

void proa_presence_meets_others(void)
{
    proa_atomic_store(&met_others, 1, PROA_RELAXED);
}

static int has_parent(void)
{
    MPI_Comm parent = MPI_COMM_NULL;

    return has_world() && proa_pmpi()->Comm_get_parent(&parent) == MPI_SUCCESS &&
           parent != MPI_COMM_NULL;
}

/* Communicators over which an exchange has been completed. */
static struct proa_table answered = PROA_TABLE_INIT;

void proa_presence_answered(MPI_Comm comm)
{
    proa_table_set(&answered, PROA_TABLE_KEY(comm), &answered); /* any value but NULL */
}

int proa_presence_is_sure(MPI_Comm comm)
{
    int n = 0;

    if (proa_table_find(&answered, PROA_TABLE_KEY(comm)) ||
        (is_known() && !proa_atomic_load(&met_others, PROA_RELAXED) && !has_parent()))
        return 1;
    return proa_pmpi()->Comm_size(comm, &n) == MPI_SUCCESS && n == 1;
}
