/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's process manager (Hydra, orted, slurmstepd, ...) as a place where each rank leaves a
 * key that every rank of the job can look up, on any node. The host's own start does the same with
 * the addresses of its ranks: keys are put before its fence, and can be had behind it.
 *
 * A key is put and looked up by the connection that the launcher gave this rank, so no other user
 * and no other job can put one.
 *
 * Used by job/presence.c alone.
 */
#ifndef PROA_JOB_MANAGER_H
#define PROA_JOB_MANAGER_H

#include "base/hidden.h"

struct proa_manager {
    /* Before the host's start: this rank's key is put now, or with what the host puts. At the first
     * call only. */
    void (*put)(void);

    /* After the host's start: does the host use this manager, and does it take our keys? The same
     * on all ranks. */
    int (*is_here)(void);

    /* Where it is here: has the rank put its key? Blocks until the manager has answered; no answer
     * counts as no. Right after the host's start only, while the host says nothing to it. */
    int (*has)(int rank);
};

/* PMI-1 to Hydra, the launcher of MPICH (job/pmi.c). */
extern PROA_HIDDEN const struct proa_manager proa_manager_pmi;

/* Any that speaks PMIx: Open MPI's, Slurm's (job/pmix.c). */
extern PROA_HIDDEN const struct proa_manager proa_manager_pmix;

#endif
