/* SPDX-License-Identifier: BSD-3-Clause */
/* See absent.h. */
#include "host/absent.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/table.h"
#include "core/win.h"
#include "host/pmpi.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    /* that a process may have: a script's helper that also has Proa may hold the first, for a
     * while */
    NAMES = 3,
    LOW_FILE = 64 /* marks are kept above: programs may count on low numbers */
};

static struct {
    uint64_t job; /* 0: no launcher's environment; nothing is known */
    int rank;
    int local_size; /* 0: unknown */
    int file;       /* of the mark; -1: this process is itself without one */
} me = {.file = -1};

/* ---- the job ---- */

/* The process at the other end of the launcher's socket: Hydra's proxy, one for each job and node.
 * "" if there is none. */
static void launcher_text(char *text, size_t room)
{
    const char *file = getenv("PMI_FD");
    struct ucred peer;
    socklen_t length = sizeof peer;

    text[0] = '\0';
    if (file && getsockopt(atoi(file), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0)
        snprintf(text, room, "%ld", (long)peer.pid);
}

/* PMIx (Open MPI; Slurm) names the job; PMI (Hydra) does not. */
static void know_job(void)
{
    const char *space = getenv("PMIX_NAMESPACE"), *rank = getenv(space ? "PMIX_RANK" : "PMI_RANK");
    const char *size = getenv("MPI_LOCALNRANKS");
    char launcher[24], user[24];
    uint64_t hash = PROA_HASH_OF_NOTHING;

    launcher_text(launcher, sizeof launcher);
    if (!rank || (!space && !launcher[0]))
        return;
    snprintf(user, sizeof user, "%u", (unsigned)getuid());
    hash = proa_hash_text(proa_hash_text(hash, user), space ? space : launcher);
    me.job = proa_hash_text(hash, space ? getenv("PMIX_SERVER_TMPDIR") : NULL) | 1;
    me.rank = atoi(rank);
    size = size ? size : getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    me.local_size = size ? atoi(size) : 0;
}

/* ---- marks ---- */

static socklen_t mark_name(int rank, int which, struct sockaddr_un *name)
{
    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) +
           (socklen_t)snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "proa.%016llx.%d.%d",
                               (unsigned long long)me.job, rank, which);
}

static int bind_mark(int file)
{
    struct sockaddr_un name;
    int error = -1;

    for (int which = 0; which < NAMES && error; which++) {
        socklen_t length = mark_name(me.rank, which, &name);

        error = bind(file, (const struct sockaddr *)&name, length);
    }
    return error;
}

static int move_up(int file)
{
    int higher = fcntl(file, F_DUPFD_CLOEXEC, LOW_FILE);

    if (higher < 0)
        return file;
    close(file);
    return higher;
}

void proa_absent_mark(void)
{
    int file;

    know_job();
    if (!me.job)
        return;
    file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (file >= 0 && bind_mark(file) == 0)
        me.file = move_up(file);
    else if (file >= 0)
        close(file);
}

/* Tried with our own mark, which needs no file more: only a name that nobody has is refused with
 * ECONNREFUSED. (While ours is connected, others' tries of it fail with EPERM, and know that it is
 * there.) */
static int mark_is_there(int rank)
{
    const struct sockaddr none = {.sa_family = AF_UNSPEC};
    int there = 0;

    for (int which = 0; which < NAMES && !there; which++) {
        struct sockaddr_un name;
        socklen_t length = mark_name(rank, which, &name);

        there =
            connect(me.file, (const struct sockaddr *)&name, length) == 0 || errno != ECONNREFUSED;
    }
    (void)connect(me.file, &none, sizeof none);
    return there;
}

/* ---- the world ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int world_size; /* 0: not looked at yet, or there is none, only sessions */
static char *seen;     /* by rank in the world: its mark has been there */
static int all_there;

static int is_there(int rank)
{
    if (!seen[rank])
        seen[rank] = me.file >= 0 && (rank == me.rank || mark_is_there(rank)) ? 1 : 0;
    return seen[rank];
}

/* On one node a look at all of them makes further ones unnecessary, if all are there. A process
 * that has ended is not; that is why only those of the communicator at hand count otherwise. */
static void world_look(void)
{
    int up = 0, rank = 0;

    proa_pmpi()->Initialized(&up);
    if (!up || proa_pmpi()->Comm_size(MPI_COMM_WORLD, &world_size) != MPI_SUCCESS)
        return;
    seen = calloc((size_t)world_size, 1);
    if (!seen) {
        world_size = 0;
        return;
    }
    while (me.local_size == world_size && rank < world_size && is_there(rank))
        rank++;
    __atomic_store_n(&all_there, rank == world_size, __ATOMIC_RELAXED);
}

/* Ranks in MPI_COMM_WORLD of the n processes of comm; MPI_UNDEFINED outside. */
static int world_ranks(MPI_Comm comm, int n, int *ranks)
{
    const struct proa_pmpi *mpi = proa_pmpi();
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    int *all = malloc((size_t)n * sizeof *all), error = MPI_ERR_NO_MEM;

    if (all && mpi->Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS &&
        mpi->Comm_group(comm, &group) == MPI_SUCCESS) {
        for (int i = 0; i < n; i++)
            all[i] = i;
        error = mpi->Group_translate_ranks(group, n, all, world, ranks);
    }
    if (world != MPI_GROUP_NULL)
        mpi->Group_free(&world);
    if (group != MPI_GROUP_NULL)
        mpi->Group_free(&group);
    free(all);
    return error;
}

enum { NOBODY = -1 };

/* The first of the n without a mark. *first: the first with one. */
static int first_absent(const int *ranks, int n, int *first)
{
    int absent = NOBODY;

    *first = NOBODY;
    for (int i = 0; i < n; i++)
        if (ranks[i] >= 0 && ranks[i] < world_size) {
            int there = is_there(ranks[i]);

            if (there && *first == NOBODY)
                *first = ranks[i];
            if (!there && absent == NOBODY)
                absent = ranks[i];
        }
    return absent;
}

/* Marks are seen on their own node only, and which ranks are on which is not known here: such a job
 * is taken to have Proa on all of them, as `proa run` sees to, and the exchange says for whom it
 * waits (host/patience.c). */
static int spans_nodes(void)
{
    return me.local_size && world_size && me.local_size != world_size;
}

static int find_absent(MPI_Comm comm, int *first)
{
    int n = 1, absent = NOBODY, *ranks;

    if (!world_size)
        world_look();
    if (!world_size || spans_nodes() || __atomic_load_n(&all_there, __ATOMIC_RELAXED) ||
        proa_pmpi()->Comm_size(comm, &n) != MPI_SUCCESS || n < 2)
        return NOBODY;
    ranks = malloc((size_t)n * sizeof *ranks);
    if (ranks && world_ranks(comm, n, ranks) == MPI_SUCCESS)
        absent = first_absent(ranks, n, first);
    free(ranks);
    return absent;
}

/* By one process of the window, once. */
static void warn(int absent, int first)
{
    static int warned;

    if (!warned && first == me.rank)
        proa_log(PROA_LOG_WARN,
                 "rank %d of this job runs without Proa: windows with it are left to the host MPI",
                 absent);
    warned = 1;
}

int proa_absent_check(MPI_Comm comm)
{
    int absent, first = NOBODY;

    if (!me.job || __atomic_load_n(&all_there, __ATOMIC_RELAXED))
        return PROA_OK;
    pthread_mutex_lock(&mutex);
    absent = find_absent(comm, &first);
    if (absent != NOBODY)
        warn(absent, first);
    pthread_mutex_unlock(&mutex);
    if (absent == NOBODY)
        return PROA_OK;
    return proa_fail(PROA_ELSEWHERE, "rank %d of this job runs without Proa", absent);
}

/* ---- others ---- */

static int met_others;

void proa_absent_meets_others(void)
{
    __atomic_store_n(&met_others, 1, __ATOMIC_RELAXED);
}

static int has_parent(void)
{
    MPI_Comm parent = MPI_COMM_NULL;

    return proa_pmpi()->Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

/* Communicators over which an exchange has come to its end. */
static struct proa_table answered = PROA_TABLE_INIT;

void proa_absent_answered(MPI_Comm comm)
{
    proa_table_set(&answered, PROA_TABLE_KEY(comm), &answered); /* any value but NULL */
}

int proa_absent_is_sure(MPI_Comm comm)
{
    int n = 0;

    if (proa_table_find(&answered, PROA_TABLE_KEY(comm)) ||
        (me.job && world_size && !spans_nodes() &&
         !__atomic_load_n(&met_others, __ATOMIC_RELAXED) && !has_parent()))
        return 1;
    return proa_pmpi()->Comm_size(comm, &n) == MPI_SUCCESS && n == 1;
}
