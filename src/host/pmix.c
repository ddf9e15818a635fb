/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See manager.h. PMIx (pmix.org): PMIx_Put leaves a key with the library in this process,
 * PMIx_Commit hands it to the manager on this node, and the fence in the host's start brings the
 * keys of all ranks to all nodes. So the fence is taken over, and our key goes before it. Proa
 * starts no second client, which could be of another version than the host's.
 *
 * A fence need not bring the keys along: they would be fetched later, one by one, and a key that is
 * not there could not be told from one that has not come. Such a manager is not here.
 *
 * The library may be out of sight, below a plug-in of the host's: it is found from the caller on.
 * Open MPI 4 that was built with its own copy gives all of its names a prefix.
 *
 * Types and numbers are the binary interface of PMIx 2 to 6. Its headers are not needed.
 */
#include "host/manager.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_SUPPORTED = -47, GLOBAL = 3, BOOL = 1 };

struct process {
    char job[256];
    uint32_t rank;
};

struct value {
    uint16_t type;
    union {
        uint8_t flag;
        void *room[3];
    } data;
};

struct info {
    char key[512];
    uint32_t directives;
    struct value value;
};

typedef void done_function(int status, void *context);
typedef int put_function(uint8_t scope, const char *key, struct value *value);
typedef int commit_function(void);
typedef int fence_function(const struct process *, size_t, const struct info *, size_t);
typedef int fence_nb_function(const struct process *, size_t, const struct info *, size_t,
                              done_function *, void *);
typedef int get_function(const struct process *, const char *key, const struct info *, size_t,
                         struct value **);

static const char key[] = "proa";

static int is_armed; /* MPI starts, in this very process */

/* The keys that have gone with the fence of the host's start. NOTHING: it has not come, or brings
 * no keys along. THEIRS: not ours. */
static enum { NOTHING, THEIRS, OURS } brought;
static get_function *get;

/* A library of PMIx: an address in its caller, and the prefix of its names. */
struct client {
    const void *caller;
    const char *prefix;
};

#define CLIENT(prefix) (&(const struct client){__builtin_return_address(0), prefix})

/* A function that the caller would have found without us; NULL: there is none. */
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
    dlclose(library); /* which the caller keeps */
    return symbol;
}

static int brings_keys(const struct info *infos, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(infos[i].key, "pmix.collect") == 0)
            return infos[i].value.data.flag;
    return 0;
}

static int put_key(const struct client *client)
{
    put_function *put = (put_function *)symbol_of(client, "PMIx_Put");
    commit_function *commit = (commit_function *)symbol_of(client, "PMIx_Commit");
    struct value yes = {.type = BOOL, .data.flag = 1};

    get = (get_function *)symbol_of(client, "PMIx_Get");
    return get && put && commit && put(GLOBAL, key, &yes) == SUCCESS && commit() == SUCCESS;
}

static void before_fence(const struct client *client, const struct info *infos, size_t count)
{
    if (brought == NOTHING && brings_keys(infos, count))
        brought = is_armed && put_key(client) ? OURS : THEIRS;
}

static int fence(const struct client *client, const struct process *processes, size_t n,
                 const struct info *infos, size_t count)
{
    fence_function *theirs = (fence_function *)symbol_of(client, "PMIx_Fence");

    before_fence(client, infos, count);
    return theirs ? theirs(processes, n, infos, count) : NOT_SUPPORTED;
}

static int fence_nb(const struct client *client, const struct process *processes, size_t n,
                    const struct info *infos, size_t count, done_function *done, void *context)
{
    fence_nb_function *theirs = (fence_nb_function *)symbol_of(client, "PMIx_Fence_nb");

    before_fence(client, infos, count);
    return theirs ? theirs(processes, n, infos, count, done, context) : NOT_SUPPORTED;
}

#define TAKE(prefix_, prefix)                                                                      \
    fence_function prefix_##PMIx_Fence;                                                            \
    fence_nb_function prefix_##PMIx_Fence_nb;                                                      \
    EXPORT int prefix_##PMIx_Fence(const struct process *processes, size_t n,                      \
                                   const struct info *infos, size_t count)                         \
    {                                                                                              \
        return fence(CLIENT(prefix), processes, n, infos, count);                                  \
    }                                                                                              \
    EXPORT int prefix_##PMIx_Fence_nb(const struct process *processes, size_t n,                   \
                                      const struct info *infos, size_t count, done_function *done, \
                                      void *context)                                               \
    {                                                                                              \
        return fence_nb(CLIENT(prefix), processes, n, infos, count, done, context);                \
    }

TAKE(, "")
TAKE(OPAL_MCA_PMIX3X_, "OPAL_MCA_PMIX3X_")

static void put(void)
{
    is_armed = 1;
}

static int is_here(void)
{
    return brought != NOTHING && getenv("PMIX_NAMESPACE");
}

/* Without "immediate" the manager waits for a key that is not there. */
static int has(int rank)
{
    const struct info immediate = {.key = "pmix.immediate",
                                   .value = {.type = BOOL, .data.flag = 1}};
    struct process process = {.rank = (uint32_t)rank};
    struct value *value = NULL;

    snprintf(process.job, sizeof process.job, "%s", getenv("PMIX_NAMESPACE"));
    if (brought != OURS || get(&process, key, &immediate, 1, &value) != SUCCESS)
        return 0;
    free(value);
    return 1;
}

const struct proa_manager proa_manager_pmix = {.put = put, .is_here = is_here, .has = has};
