/* SPDX-License-Identifier: BSD-3-Clause */
/* See members.h. */
#include "hang/members.h"
#include "findings/world.h"
#include "hang/thread_calls.h"
#include "host/pmpi.h"
#include "host/start.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

static int keyval = MPI_KEYVAL_INVALID;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    proa_members_free(value);
    return MPI_SUCCESS;
}

void proa_members_free(struct proa_members *members)
{
    proa_thread_calls_forget(members);
    free(members);
}

static void make_keyval(void)
{
    if (proa_pmpi()->Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) !=
        MPI_SUCCESS)
        keyval = MPI_KEYVAL_INVALID;
}

/* FNV-1a. */
static uint64_t id_of(const struct proa_members *members)
{
    uint64_t id = 14695981039346656037ull;

    for (int i = 0; i < members->count; i++)
        id = (id ^ (uint64_t)(uint32_t)members->rank[i]) * 1099511628211ull;
    return id;
}

static int translate(MPI_Group group, struct proa_members *members)
{
    int *ranks = calloc((size_t)members->count + 1, sizeof *ranks);
    MPI_Group world;
    int error;

    if (!ranks || proa_world_group(&world) != MPI_SUCCESS) {
        free(ranks);
        return -1;
    }
    for (int i = 0; i < members->count; i++)
        ranks[i] = i;
    error = proa_pmpi()->Group_translate_ranks(group, members->count, ranks, world, members->rank);
    proa_pmpi()->Group_free(&world);
    free(ranks);
    for (int i = 0; i < members->count; i++)
        if (members->rank[i] == MPI_UNDEFINED)
            members->rank[i] = -1;
    return error == MPI_SUCCESS ? 0 : -1;
}

struct proa_members *proa_members_of_group(MPI_Group group)
{
    struct proa_members *members;
    int count = 0;

    if (proa_pmpi()->Group_size(group, &count) != MPI_SUCCESS)
        return NULL;
    members = calloc(1, sizeof *members + (size_t)count * sizeof members->rank[0]);
    if (!members)
        return NULL;
    members->count = count;
    if (translate(group, members) != 0) {
        free(members);
        return NULL;
    }
    members->id = id_of(members);
    return members;
}

static struct proa_members *ask(MPI_Comm comm)
{
    struct proa_members *members;
    MPI_Group group;
    int inter = 0, error;

    if (proa_pmpi()->Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return NULL;
    error = inter ? PROA_PMPI_FIND(Comm_remote_group)(comm, &group)
                  : proa_pmpi()->Comm_group(comm, &group);
    if (error != MPI_SUCCESS)
        return NULL;
    members = proa_members_of_group(group);
    if (members)
        members->is_inter = inter;
    proa_pmpi()->Group_free(&group);
    return members;
}

const struct proa_members *proa_members_of_comm(MPI_Comm comm)
{
    struct proa_members *members = NULL;
    int found = 0;

    pthread_once(&once, make_keyval);
    if (comm == MPI_COMM_NULL || keyval == MPI_KEYVAL_INVALID)
        return NULL;
    if (proa_pmpi()->Comm_get_attr(comm, keyval, &members, &found) == MPI_SUCCESS && found)
        return members;
    members = ask(comm);
    if (members && proa_pmpi()->Comm_set_attr(comm, keyval, members) != MPI_SUCCESS) {
        free(members);
        return NULL;
    }
    return members;
}

/* ---- communicators and windows of equal members ---- */

struct made {
    uint64_t id; /* of the members */
    uint64_t count;
    UT_hash_handle hh;
};

uint64_t proa_members_next_id(const struct proa_members *members, enum proa_members_make what)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct made *all;
    const uint64_t id = id_of(members) + (uint64_t)what;
    struct made *made;
    uint64_t number = 0;

    pthread_mutex_lock(&mutex);
    HASH_FIND(hh, all, &id, sizeof id, made);
    if (!made && (made = calloc(1, sizeof *made))) {
        made->id = id;
        HASH_ADD(hh, all, id, sizeof made->id, made);
    }
    if (made)
        number = ++made->count;
    pthread_mutex_unlock(&mutex);
    return id + 0x9e3779b97f4a7c15ull * number;
}

static int is_numbered;

/* Threads may create communicators in a different order on each rank. All communicators then keep
 * the id of their members. */
void proa_members_begin(MPI_Comm comm)
{
    int threads = proa_has_threads(), any = 1;

    is_numbered =
        proa_pmpi()->Allreduce(&threads, &any, 1, MPI_INT, MPI_LOR, comm) == MPI_SUCCESS && !any;
}

void proa_members_created(MPI_Comm comm)
{
    struct proa_members *members;

    if (!is_numbered)
        return;
    members = (struct proa_members *)(uintptr_t)proa_members_of_comm(comm);
    if (members && !members->is_inter)
        members->id = proa_members_next_id(members, PROA_MEMBERS_COMM);
}

/* ---- calls ---- */

enum { DONE_MOST = 64 };

static pthread_mutex_t done_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_members_done all_done[DONE_MOST];
static int done_count;
static unsigned done_next; /* the entry that is replaced when the table is full */

static struct proa_members_done *done_of(uint64_t id)
{
    struct proa_members_done *done;

    for (int i = 0; i < done_count; i++)
        if (all_done[i].id == id)
            return &all_done[i];
    done = done_count < DONE_MOST ? &all_done[done_count++] : &all_done[done_next++ % DONE_MOST];
    *done = (struct proa_members_done){.id = id};
    return done;
}

void proa_members_did(uint64_t id)
{
    pthread_mutex_lock(&done_mutex);
    done_of(id)->count++;
    pthread_mutex_unlock(&done_mutex);
}

int proa_members_done(struct proa_members_done *done, int most)
{
    int count;

    pthread_mutex_lock(&done_mutex);
    count = done_count < most ? done_count : most;
    memcpy(done, all_done, (size_t)count * sizeof *done);
    pthread_mutex_unlock(&done_mutex);
    return count;
}
