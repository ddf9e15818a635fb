/* SPDX-License-Identifier: BSD-3-Clause */
/* See info.h. */
#include "host/info.h"
#include "host/pmpi.h"

#include <stdlib.h>

#if MPI_VERSION >= 4 /* which deprecates the two calls below */
static int get_whole(MPI_Info info, const char *key, char *text, int room)
{
    int found = 0, wanted = room; /* with the NUL, before and after the call */

    return proa_pmpi()->Info_get_string(info, key, &wanted, text, &found) == MPI_SUCCESS && found &&
           wanted <= room;
}
#else
static int get_whole(MPI_Info info, const char *key, char *text, int room)
{
    int found = 0, length = 0;

    if (proa_pmpi()->Info_get_valuelen(info, key, &length, &found) != MPI_SUCCESS || !found ||
        length >= room)
        return 0;
    return proa_pmpi()->Info_get(info, key, room - 1, text, &found) == MPI_SUCCESS && found;
}
#endif

int proa_info_text(MPI_Info info, const char *key, char *text, int room)
{
    return info != MPI_INFO_NULL && get_whole(info, key, text, room);
}

size_t proa_info_alignment(MPI_Info info)
{
    char text[32];
    long asked = proa_info_text(info, "mpi_minimum_memory_alignment", text, sizeof text)
                     ? strtol(text, NULL, 10)
                     : 0;

    return asked > 0 && (asked & (asked - 1)) == 0 ? (size_t)asked : 0;
}
