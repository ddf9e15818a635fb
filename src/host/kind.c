/* SPDX-License-Identifier: BSD-3-Clause */
/* See kind.h. */
#include "host/kind.h"
#include "host/pmpi.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

const struct proa_host_row proa_host_rows[] = {
#define ROW(host)                                           \
    {                                                       \
        .name = #host,                                      \
        .library = PROA_HOST_FACT(host, library),           \
        .title = PROA_HOST_FACT(host, title),               \
        .version_says = PROA_HOST_FACT(host, version_says), \
        .libraries = PROA_HOST_FACT(host, libraries),       \
        .symbol = PROA_HOST_FACT(host, symbol),             \
    },
    PROA_KNOWN_HOSTS(ROW)
#undef ROW
        {0},
};

/* PROA_HOST_KINDS, PROA_LIBRARY: see src/CMakeLists.txt. A library is built with one header. Hosts
 * of one binary interface share a library, and have a kind each. */
static const struct proa_host_kind *const kinds[] = {PROA_HOST_KINDS};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const struct proa_host_kind *here;
static pthread_once_t looked = PTHREAD_ONCE_INIT;

/* Returns the mark in the text of a host's version: "" for the host that has none. */
static const char *mark_of(const char *version)
{
    for (const struct proa_host_row *row = proa_host_rows; row->name; row++)
        if (row->version_says[0] && strstr(version, row->version_says))
            return row->version_says;
    return "";
}

static const struct proa_host_kind *kind_with_mark(const char *mark)
{
    for (const struct proa_host_row *row = proa_host_rows; row->name; row++)
        for (int i = 0; i < KINDS && strcmp(row->version_says, mark) == 0; i++)
            if (strcmp(kinds[i]->name, row->name) == 0)
                return kinds[i];
    return NULL;
}

static void look(void)
{
    enum { ROOM = 8192 }; /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest */
    __typeof__(&PMPI_Get_library_version) get_version = PROA_PMPI_FIND(Get_library_version);
    char version[ROOM] = "";
    int length;

    if (get_version && get_version(version, &length) == MPI_SUCCESS)
        here = kind_with_mark(mark_of(version));
}

const struct proa_host_kind *proa_host_kind(void)
{
    if (KINDS > 1)
        pthread_once(&looked, look);
    return KINDS > 1 && here ? here : kinds[0];
}

int proa_host_is_here(void)
{
    pthread_once(&looked, look);
    return here != NULL;
}
