/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a host's launcher. */
#ifndef PROA_TOOL_MPIEXEC_H
#define PROA_TOOL_MPIEXEC_H

#include "host.h"

/* Returns the path of the launcher, or NULL, after a message on stderr, if there is none.
 * mpi_library: host's library that the program is linked to, or NULL if unknown. A launcher
 * installed together with it is preferred to others of the same host. */
const char *proa_mpiexec_find(const struct proa_host *host, const char *mpi_library);

/* The same without a message. */
const char *proa_mpiexec_look(const struct proa_host *host, const char *mpi_library);

/* Selects srun for all hosts from here on, if PROA_MPIEXEC names it. */
void proa_mpiexec_heed_srun(void);

/* Returns the path of srun within a Slurm allocation, for a host without a launcher. Returns NULL
 * elsewhere, and if PROA_MPIEXEC is set. */
const char *proa_mpiexec_instead(void);

#endif
