/* SPDX-License-Identifier: BSD-3-Clause */
/* See pmpi.h. */
#include "host/pmpi.h"
#include "base/atomic.h"
#include "base/log.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct proa_pmpi *proa_pmpi_filled;
static struct proa_pmpi table;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;
static const char *missing; /* the first that was not found */

/* Callback of dl_iterate_phdr: finds the path of a library of the standard ABI. */
static int is_abi_library(struct dl_phdr_info *info, size_t size, void *path)
{
    const char *slash = strrchr(info->dlpi_name, '/');

    (void)size;
    if (!slash || strncmp(slash + 1, "libmpi_abi", strlen("libmpi_abi")) != 0)
        return 0;
    snprintf(path, PATH_MAX, "%s", info->dlpi_name);
    return 1;
}

/* Finds the symbol in a library that an interpreter has loaded out of the scope of RTLD_NEXT: our
 * library for the ABI, unlike those for one host, does not depend on it by name. The library is
 * opened by its path: UCX, under MPICH, overrides dlopen, and may find another library for a bare
 * name. It stays loaded, as MPI cannot be initialized again. */
static void *hidden_symbol(const char *name)
{
    char path[PATH_MAX];
    void *library = NULL;

    if (strcmp(PROA_LIBRARY, "abi") == 0 && dl_iterate_phdr(is_abi_library, path))
        library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

void *proa_pmpi_symbol(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    return symbol ? symbol : hidden_symbol(name);
}

static void find(const char *name, void *field)
{
    void *symbol = proa_pmpi_symbol(name);

    if (!symbol && !missing)
        missing = name;
    memcpy(field, &symbol, sizeof symbol);
}

static void table_fill(void)
{
#define FIND(name) find("PMPI_" #name, &table.name);
    PROA_PMPI_CHAPTER(FIND)
    PROA_PMPI_HELPERS(FIND)
#undef FIND
}

int proa_pmpi_look(void)
{
    pthread_once(&table_once, table_fill);
    if (!missing)
        proa_atomic_store(&proa_pmpi_filled, &table, PROA_RELEASE);
    return !missing;
}

const struct proa_pmpi *proa_pmpi_fill(void)
{
    if (!proa_pmpi_look()) {
        proa_log(PROA_LOG_NONE,
                 "%s not found: this library of Proa's was built for another MPI, or another "
                 "version of it, than the program uses",
                 missing);
        _exit(PROA_EXIT_WRONG_MPI);
    }
    return &table;
}
