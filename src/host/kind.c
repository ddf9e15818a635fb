/* SPDX-License-Identifier: BSD-3-Clause */
/* See kind.h. */
#include "host/kind.h"

#include <stddef.h>
#include <string.h>

const struct proa_host_row proa_host_rows[] = {
#define ROW(host)                                           \
    {                                                       \
        .name = #host,                                      \
        .title = PROA_HOST_FACT(host, title),               \
        .version_says = PROA_HOST_FACT(host, version_says), \
        .libraries = PROA_HOST_FACT(host, libraries),       \
        .symbol = PROA_HOST_FACT(host, symbol),             \
    },
    PROA_KNOWN_HOSTS(ROW)
#undef ROW
        {0},
};

/* PROA_HOST_KIND: of src/CMakeLists.txt. A library is built with one host's header and has one
 * kind. */
const struct proa_host_kind *proa_host_kind(void)
{
    return &PROA_HOST_KIND;
}

/* The host that calls itself so. */
static const char *name_by_version(const char *version)
{
    const char *name = "";

    for (const struct proa_host_row *row = proa_host_rows; row->name; row++) {
        if (!row->version_says[0])
            name = row->name;
        else if (strstr(version, row->version_says))
            return row->name;
    }
    return name;
}

int proa_host_is_here(void)
{
    enum { ROOM = 8192 }; /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest */
    char version[ROOM] = "";
    int length;

    return PMPI_Get_library_version(version, &length) == MPI_SUCCESS &&
           strcmp(name_by_version(version), proa_host_kind()->name) == 0;
}
