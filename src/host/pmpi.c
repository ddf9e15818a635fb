/* SPDX-License-Identifier: BSD-3-Clause */
/* See pmpi.h. */
#include "host/pmpi.h"
#include "base/log.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct proa_pmpi table;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void find(const char *name, void *field)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (!symbol) {
        proa_log(PROA_LOG_NONE,
                 "%s not found: this library of Proa's was built for another MPI, or another "
                 "version of it, than the program uses",
                 name);
        _exit(PROA_EXIT_WRONG_MPI);
    }
    memcpy(field, &symbol, sizeof symbol);
}

static void table_fill(void)
{
#define FIND(name) find("PMPI_" #name, &table.name);
    PROA_PMPI_CHAPTER(FIND)
    PROA_PMPI_HELPERS(FIND)
    PROA_PMPI_HELPERS_LARGE(FIND)
#undef FIND
}

const struct proa_pmpi *proa_pmpi(void)
{
    pthread_once(&table_once, table_fill);
    return &table;
}
