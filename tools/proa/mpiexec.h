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

/* Speaks to all hosts by srun from here on, if PROA_MPIEXEC names it. */
void proa_mpiexec_heed_srun(void);

/* The path of srun within an allocation of Slurm's, for a host without a launcher; NULL elsewhere,
 * and where PROA_MPIEXEC is set. */
const char *proa_mpiexec_instead(void);

#endif
