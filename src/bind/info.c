/* See info.h. */
#include "bind/info.h"
#include "host/pmpi.h"

#include <stdlib.h>
#include <strings.h>

static int info_text(MPI_Info info, const char *key, char *text, int room)
{
    int found = 0;

    if (info != MPI_INFO_NULL && proa_pmpi()->Info_get(info, key, room - 1, text, &found) != MPI_SUCCESS)
        return 0;
    return found;
}

int proa_info_true(MPI_Info info, const char *key)
{
    char text[16];

    return info_text(info, key, text, sizeof text) && strcasecmp(text, "true") == 0;
}

long proa_info_number(MPI_Info info, const char *key, long fallback)
{
    char text[32], *end;
    long value;

    if (!info_text(info, key, text, sizeof text))
        return fallback;
    value = strtol(text, &end, 10);
    return end == text ? fallback : value;
}

size_t proa_info_alignment(MPI_Info info)
{
    long asked = proa_info_number(info, "mpi_minimum_memory_alignment", 0);

    return asked > 0 && (asked & (asked - 1)) == 0 ? (size_t)asked : 0;
}
