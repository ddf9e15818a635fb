/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of loaded files to other files, diverted to functions of ours. */
#ifndef PROA_TRAPS_DIVERT_H
#define PROA_TRAPS_DIVERT_H

#include <stddef.h>

struct proa_diversion {
    const char *name;  /* the function that is called */
    const void *there; /* the function that is to be called */
};

/* Diverts the calls of all files that are loaded now, but for those of Proa, the C library and an
 * MPI. A file that was diverted before stays so. Nothing happens on processors other than
 * x86-64. */
void proa_divert(const struct proa_diversion *diversions, size_t count);

#endif
