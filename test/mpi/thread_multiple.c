/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE: the threads of a rank share an epoch, lock different targets, work on
 * windows of their own, create and free windows and datatypes, all at the same time. Every thread
 * knows exactly what has to come of what it did.
 */
#include "window.h"
#include <pthread.h>
#include <stdbool.h>

enum {
    threads = 4,
    slice = 256,
    flush_rounds = 150,
    lock_rounds = 150,
    own_rounds = 60,
    life_rounds = 25,
    life_rounds_crowded = 6,
    type_rounds = 200
};

struct thread {
    int number;
    uint64_t seed;
    struct area *area; /* the window that all threads share */
    struct area *own;  /* one that only threads of this number use */
    MPI_Comm comm;     /* the same of communicators */
};

static pthread_mutex_t report = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;

#define THREAD_CHECK(cond, ...)            \
    do {                                   \
        if (!(cond)) {                     \
            pthread_mutex_lock(&report);   \
            CHECK(cond, __VA_ARGS__);      \
            pthread_mutex_unlock(&report); \
        }                                  \
    } while (0)

static void run_threads(struct thread *t, void *(*body)(void *))
{
    pthread_t id[threads];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < threads; i++)
        pthread_create(&id[i], NULL, body, &t[i]);
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Open MPI 6.0.0rc2 loses a message now and then if threads are in collectives on communicators of
 * their own; without Proa too (doc/HOSTS.md). */
static bool host_loses_messages(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    return strstr(version, "Open MPI v6") != NULL;
}

static void run_one_by_one(struct thread *t, void *(*body)(void *))
{
    pthread_t id;
    for (int i = 0; i < threads; i++) {
        pthread_create(&id, NULL, body, &t[i]);
        pthread_join(id, NULL);
    }
}

/* ---- one epoch, all threads ---- */

/* Each thread of each rank has `slice` ints at every target. */
static MPI_Aint slice_at(const struct area *a, int target, int origin, int number, int i)
{
    return disp_at(a, target, (origin * threads + number) * slice + i);
}

static MPI_Datatype some_type(struct thread *t, int *at, int *n)
{
    MPI_Datatype type;
    int stride = 1 + random_below(&t->seed, 4);
    *n = 1 + random_below(&t->seed, 30);
    for (int i = 0; i < *n; i++)
        at[i] = i * stride;
    if (random_below(&t->seed, 2))
        MPI_Type_vector(*n, 1, stride, MPI_INT, &type);
    else
        MPI_Type_create_indexed_block(*n, 1, at, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void random_flush(struct thread *t, int target, MPI_Win win)
{
    switch (random_below(&t->seed, 3)) {
    case 0:
        MPI_Win_flush(target, win);
        break;
    case 1:
        MPI_Win_flush_all(win);
        break;
    default:
        MPI_Win_flush_local(target, win);
        MPI_Win_flush_local_all(win);
        MPI_Win_flush(target, win);
    }
}

/* With a type of its own, made and freed for this one operation: its handle goes from thread to
 * thread. */
static void *share_epoch(void *arg)
{
    struct thread *t = arg;
    const struct area *a = t->area;
    static _Thread_local int model[8][slice];
    memset(model, 0, sizeof model);
    for (int round = 0; round < flush_rounds; round++) {
        int target = random_below(&t->seed, nranks < 8 ? nranks : 8), at[slice], values[slice],
            got[slice], n;
        MPI_Datatype type = some_type(t, at, &n);
        int start = random_below(&t->seed, slice - at[n - 1]), *m = &model[target][start];
        MPI_Aint disp = slice_at(a, target, rank, t->number, start);
        MPI_Op op = random_below(&t->seed, 2) ? MPI_SUM : MPI_REPLACE;
        for (int i = 0; i < n; i++)
            values[i] = random_below(&t->seed, 100000);
        if (random_below(&t->seed, 2)) {
            op = MPI_REPLACE;
            MPI_Put(values, n, MPI_INT, target, disp, 1, type, a->win);
        } else
            MPI_Accumulate(values, n, MPI_INT, target, disp, 1, type, op, a->win);
        random_flush(t, target, a->win);
        for (int i = 0; i < n; i++)
            m[at[i]] = values[i] + (op == MPI_SUM ? m[at[i]] : 0);
        MPI_Get(got, n, MPI_INT, target, disp, 1, type, a->win);
        MPI_Type_free(&type);
        random_flush(t, target, a->win);
        for (int i = 0; i < n; i++)
            THREAD_CHECK(got[i] == m[at[i]], "%s: thread %d, round %d: %d instead of %d",
                         kind_names[a->kind], t->number, round, got[i], m[at[i]]);
    }
    return NULL;
}

/* ---- different targets ---- */

static pthread_mutex_t target_mutex[64]; /* a rank may lock a target once at a time */

/* A counter that is read and written under an exclusive lock: nothing is lost. */
static void *lock_targets(void *arg)
{
    struct thread *t = arg;
    const struct area *a = t->area;
    for (int round = 0; round < lock_rounds; round++) {
        int target = random_below(&t->seed, nranks), counter = -1, got[2] = {0};
        pthread_mutex_lock(&target_mutex[target]);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a->win);
        MPI_Get(&counter, 1, MPI_INT, target, disp_at(a, target, 0), 1, MPI_INT, a->win);
        MPI_Win_flush(target, a->win);
        counter++;
        MPI_Put(&counter, 1, MPI_INT, target, disp_at(a, target, 0), 1, MPI_INT, a->win);
        if (round % 3 == 0)
            MPI_Win_flush(target, a->win);
        MPI_Put(&counter, 1, MPI_INT, target, disp_at(a, target, 1), 1, MPI_INT, a->win);
        MPI_Win_unlock(target, a->win);
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
        MPI_Get(got, 2, MPI_INT, target, disp_at(a, target, 0), 2, MPI_INT, a->win);
        MPI_Win_unlock(target, a->win);
        pthread_mutex_unlock(&target_mutex[target]);
        THREAD_CHECK(got[0] >= counter && got[0] == got[1], "%s: %d and %d after %d was written",
                     kind_names[a->kind], got[0], got[1], counter);
    }
    return NULL;
}

static void verify_counters(const struct area *a)
{
    int got, sum = 0;
    for (int target = 0; target < nranks; target++) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
        MPI_Get(&got, 1, MPI_INT, target, disp_at(a, target, 0), 1, MPI_INT, a->win);
        MPI_Win_unlock(target, a->win);
        sum += got;
    }
    CHECK(sum == nranks * threads * lock_rounds, "%s: %d increments instead of %d",
          kind_names[a->kind], sum, nranks * threads * lock_rounds);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- windows of their own ---- */

static void fence_own(struct thread *t, const struct area *a, int round)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks,
        value = 1000 * rank + round, *mine = a->base;
    MPI_Win_fence(0, a->win);
    MPI_Put(&value, 1, MPI_INT, right, disp_at(a, right, round % slice), 1, MPI_INT, a->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win);
    THREAD_CHECK(mine[round % slice] == 1000 * left + round, "%s: thread %d: %d after fence %d",
                 kind_names[a->kind], t->number, mine[round % slice], round);
}

static void start_own(struct thread *t, const struct area *a, int round)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks,
        value = -1000 * rank - round, *mine = a->base;
    MPI_Group to = group_of_one(right), from = group_of_one(left);
    MPI_Win_post(from, 0, a->win);
    MPI_Win_start(to, 0, a->win);
    MPI_Put(&value, 1, MPI_INT, right, disp_at(a, right, round % slice), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    THREAD_CHECK(mine[round % slice] == -1000 * left - round, "%s: thread %d: %d after wait %d",
                 kind_names[a->kind], t->number, mine[round % slice], round);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static void *use_own(void *arg)
{
    struct thread *t = arg;
    for (int round = 0; round < own_rounds; round++) {
        fence_own(t, t->own, round);
        start_own(t, t->own, round);
    }
    return NULL;
}

/* Windows come and go in all threads, on a communicator each. */
static void *open_and_close(void *arg)
{
    struct thread *t = arg;
    for (int round = 0; round < (nranks > 2 ? life_rounds_crowded : life_rounds); round++) {
        struct area a = open_area((enum kind)((round + t->number) % nkinds), slice * sizeof(int),
                                  sizeof(int), t->comm);
        fence_own(t, &a, round);
        close_area(&a);
    }
    return NULL;
}

/* ---- one new type, met by all threads at once ---- */

static struct {
    MPI_Datatype type;
    int at[slice], n;
} fresh;

static void *meet_type(void *arg)
{
    struct thread *t = arg;
    const struct area *a = t->area;
    int values[slice], got[slice], target = (rank + 1) % nranks;
    for (int round = 0; round < type_rounds; round++) {
        if (t->number == 0)
            fresh.type = some_type(t, fresh.at, &fresh.n);
        pthread_barrier_wait(&together);
        for (int i = 0; i < fresh.n; i++)
            values[i] = round + i + t->number;
        MPI_Aint disp = slice_at(a, target, rank, t->number, 0);
        MPI_Put(values, fresh.n, MPI_INT, target, disp, 1, fresh.type, a->win);
        MPI_Win_flush(target, a->win);
        MPI_Get(got, 1, fresh.type, target, disp, 1, fresh.type, a->win);
        MPI_Win_flush(target, a->win);
        for (int i = 0; i < fresh.n; i++)
            THREAD_CHECK(got[fresh.at[i]] == values[i], "%s: thread %d, round %d: %d instead of %d",
                         kind_names[a->kind], t->number, round, got[fresh.at[i]], values[i]);
        pthread_barrier_wait(&together);
        if (t->number == 0)
            MPI_Type_free(&fresh.type);
    }
    return NULL;
}

/* ---- all ---- */

static void run_kind(enum kind kind, const MPI_Comm *comms)
{
    size_t bytes = sizeof(int) * slice * threads * (size_t)nranks;
    struct area area = open_area(kind, bytes, sizeof(int), MPI_COMM_WORLD), own[threads];
    struct thread t[threads];
    for (int i = 0; i < threads; i++) {
        own[i] = open_area(kind, slice * sizeof(int), sizeof(int), comms[i]);
        t[i] = (struct thread){.number = i,
                               .seed = 13u + (unsigned)(rank * threads + i),
                               .area = &area,
                               .own = &own[i],
                               .comm = comms[i]};
    }
    MPI_Win_lock_all(0, area.win);
    run_threads(t, share_epoch);
    run_threads(t, meet_type);
    MPI_Win_unlock_all(area.win);
    MPI_Barrier(MPI_COMM_WORLD);
    clear_own(&area, bytes);
    run_threads(t, lock_targets);
    verify_counters(&area);
    run_threads(t, use_own);
    for (int i = 0; i < threads; i++)
        close_area(&own[i]);
    if (host_loses_messages())
        run_one_by_one(t, open_and_close);
    else
        run_threads(t, open_and_close);
    close_area(&area);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[threads];
    if (!start_threads(&argc, &argv))
        return skip("the host has no MPI_THREAD_MULTIPLE");
    for (int i = 0; i < threads; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 64; i++)
        pthread_mutex_init(&target_mutex[i], NULL);
    pthread_barrier_init(&together, NULL, threads);
    for (int kind = 0; kind < nkinds; kind++)
        run_kind((enum kind)kind, comms);
    for (int i = 0; i < threads; i++)
        MPI_Comm_free(&comms[i]);
    return finish("thread_multiple");
}
