/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See manager.h. PMIx (pmix.org): PMIx_Put stores a key in the library of this process, and
 * PMIx_Commit sends all keys to the manager on this node. The host does both in its start, before a
 * fence. So Proa overrides PMIx_Commit, and our key is sent with the host's. Proa starts no second
 * client, which could be of another version than the host's.
 *
 * The fence may bring all nodes the keys of all ranks, of some (PRRTE 3, of Open MPI 5: those of
 * the first node), or of none (pmix_base_collect_data=0). So a missing key may only be one that has
 * not arrived. For a rank with a missing key, Proa therefore looks up a key of the host's own: the
 * manager fetches it from the rank's node, with all keys that the rank has committed.
 *
 * A plug-in of the host may have loaded the library privately, so the search starts at the caller.
 * Open MPI 4 that was built with its own copy adds a prefix to all of its names.
 *
 * Types and numbers are the binary interface of PMIx 2 to 6. Its headers are not needed.
 */
#include "job/manager.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_SUPPORTED = -47, REMOTE = 2, GLOBAL = 3, BOOL = 1, INT = 6, UINT64 = 15 };
enum { FETCH_S = 60 };

struct process {
    char job[256];
    uint32_t rank;
};

struct value {
    uint16_t type;
    union {
        uint8_t flag;
        int integer;
        uint64_t large;
        void *room[3];
    } data;
};

struct info {
    char key[512];
    uint32_t directives;
    struct value value;
};

typedef int put_function(uint8_t scope, const char *key, struct value *value);
typedef int commit_function(void);
typedef int get_function(const struct process *, const char *key, const struct info *, size_t,
                         struct value **);

static const char key[] = "proa", reserved[] = "pmix."; /* the manager itself knows these */

static uint64_t armed; /* MPI starts in this very process, and this mark has to be put */

/* The keys that the host has committed. NOTHING: no commit yet. THEIRS: the host's without ours. */
static enum { NOTHING, THEIRS, OURS } committed;
static get_function *get;
static char host_key[512]; /* the first key that the host has put for other nodes; "" if none */

/* A library of PMIx: an address in its caller, and the prefix of its names. */
struct client {
    const void *caller;
    const char *prefix;
};

#define CLIENT(prefix) (&(const struct client){__builtin_return_address(0), prefix})

/* Returns the function that the caller would have found without Proa, or NULL if there is none. */
static void *symbol_of(const struct client *client, const char *name)
{
    char full[64];
    void *symbol, *library;
    Dl_info info;

    snprintf(full, sizeof full, "%s%s", client->prefix, name);
    symbol = dlsym(RTLD_NEXT, full);
    if (symbol || !dladdr(client->caller, &info))
        return symbol;
    library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    symbol = dlsym(library, full);
    dlclose(library); /* the caller keeps it open */
    return symbol;
}

static int put_mark(const struct client *client)
{
    put_function *put = (put_function *)symbol_of(client, "PMIx_Put");
    struct value value = {.type = UINT64, .data.large = armed};

    get = (get_function *)symbol_of(client, "PMIx_Get");
    return get && put && put(GLOBAL, key, &value) == SUCCESS;
}

static int put_theirs(const struct client *client, uint8_t scope, const char *name,
                      struct value *value)
{
    put_function *theirs = (put_function *)symbol_of(client, "PMIx_Put");

    if (!host_key[0] && (scope == REMOTE || scope == GLOBAL) &&
        strncmp(name, reserved, sizeof reserved - 1) != 0)
        snprintf(host_key, sizeof host_key, "%s", name);
    return theirs ? theirs(scope, name, value) : NOT_SUPPORTED;
}

static int commit(const struct client *client)
{
    commit_function *theirs = (commit_function *)symbol_of(client, "PMIx_Commit");

    if (committed != OURS)
        committed = armed && put_mark(client) ? OURS : THEIRS;
    return theirs ? theirs() : NOT_SUPPORTED;
}

#define TAKE(prefix_, prefix)                                                          \
    put_function prefix_##PMIx_Put;                                                    \
    commit_function prefix_##PMIx_Commit;                                              \
    EXPORT int prefix_##PMIx_Put(uint8_t scope, const char *name, struct value *value) \
    {                                                                                  \
        return put_theirs(CLIENT(prefix), scope, name, value);                         \
    }                                                                                  \
    EXPORT int prefix_##PMIx_Commit(void)                                              \
    {                                                                                  \
        return commit(CLIENT(prefix));                                                 \
    }

TAKE(, "")
TAKE(OPAL_MCA_PMIX3X_, "OPAL_MCA_PMIX3X_")

static void put(uint64_t mine)
{
    armed = mine;
}

static int is_here(void)
{
    return committed != NOTHING && getenv("PMIX_NAMESPACE");
}

/* Reads a key of ours. mark: result. Returns 1, or 0 if there is no such key. */
static int get_key(int rank, const char *name, const struct info *how, uint64_t *mark)
{
    struct process process = {.rank = (uint32_t)rank};
    struct value *value = NULL;

    snprintf(process.job, sizeof process.job, "%s", getenv("PMIX_NAMESPACE"));
    if (get(&process, name, how, 1, &value) != SUCCESS)
        return 0;
    *mark = value->data.large;
    free(value);
    return 1;
}

/* "Immediate": the manager searches only keys that are on this node already. Without it, the
 * manager waits for a missing key. */
static uint64_t look(int rank)
{
    const struct info immediate = {.key = "pmix.immediate",
                                   .value = {.type = BOOL, .data.flag = 1}},
                      timeout = {.key = "pmix.timeout",
                                 .value = {.type = INT, .data.integer = FETCH_S}};
    uint64_t mark = 0, theirs;

    if (committed != OURS)
        return 0;
    if (get_key(rank, key, &immediate, &mark) ||
        (host_key[0] && get_key(rank, host_key, &timeout, &theirs) &&
         get_key(rank, key, &immediate, &mark)))
        return mark;
    return 0;
}

/* Managers end the job if a process dies, or do not report it to the others. */
static int find_dead(int from)
{
    return (void)from, -1;
}

static const char *name_host(int rank, char host[PROA_MANAGER_HOST])
{
    (void)rank;
    host[0] = '\0';
    return host;
}

const struct proa_manager proa_manager_pmix = {
    .put = put, .is_here = is_here, .look = look, .find_dead = find_dead, .name_host = name_host};
