/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a host's launcher is. */
#ifndef PROA_TOOL_MPIEXEC_H
#define PROA_TOOL_MPIEXEC_H

#include "host.h"

/* The path of the launcher; NULL, after a line on stderr, where there is none. `mpi_library` is the
 * host's library that the program is linked to, or NULL where that is not known: a launcher
 * installed together with it goes before others of the same host. */
const char *proa_mpiexec_find(const struct proa_host *host, const char *mpi_library);

/* The same without a word. */
const char *proa_mpiexec_look(const struct proa_host *host, const char *mpi_library);

#endif
