/* See info.h. */
#include "host/info.h"
#include "host/pmpi.h"

#include <stdlib.h>

int proa_info_text(MPI_Info info, const char *key, char *text, int room)
{
    int found = 0, length = 0;

    if (info == MPI_INFO_NULL || proa_pmpi()->Info_get_valuelen(info, key, &length, &found) != MPI_SUCCESS || !found || length >= room)
        return 0;
    return proa_pmpi()->Info_get(info, key, room - 1, text, &found) == MPI_SUCCESS && found;
}

size_t proa_info_alignment(MPI_Info info)
{
    char text[32];
    long asked = proa_info_text(info, "mpi_minimum_memory_alignment", text, sizeof text) ? strtol(text, NULL, 10) : 0;

    return asked > 0 && (asked & (asked - 1)) == 0 ? (size_t)asked : 0;
}
