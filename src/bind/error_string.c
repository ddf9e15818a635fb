/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Error_string (MPI-4.1, 9.4): for the class of this thread's last failure in a call of the
 * chapter it gives the sentence about it. The code that the call returned is the plain class, so
 * that comparing it, or asking for its class, works as ever.
 */
#include "bind/bind.h"

#include <stdio.h>
#include <string.h>

PROA_EXPORT int PMPI_Error_string(int code, char *string, int *length)
{
    const char *text = proa_raised_text(code);

    if (!text)
        return proa_pmpi()->Error_string(code, string, length);
    snprintf(string, MPI_MAX_ERROR_STRING, "%s", text);
    *length = (int)strlen(string);
    return MPI_SUCCESS;
}
PROA_ALIAS(Error_string);
