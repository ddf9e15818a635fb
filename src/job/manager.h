/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's process manager (Hydra, orted, slurmstepd, ...) as a place where each rank leaves a
 * key that every rank of the job can look up, on any node. The host's own start does the same with
 * the addresses of its ranks: keys are put before its fence, and can be had behind it.
 *
 * A key is put and looked up by the connection that the launcher gave this rank, so no other user
 * and no other job can put one.
 *
 * Used by job/presence.c and job/roll.c alone.
 */
#ifndef PROA_JOB_MANAGER_H
#define PROA_JOB_MANAGER_H

#include "base/hidden.h"

/* What a rank's key says: one of the first three, and what the rank checks, as a multiple of
 * PROA_KEY_CHECKS (proa_presence_put). */
enum proa_key {
    PROA_KEY_NONE,  /* there is none: the rank runs without Proa */
    PROA_KEY_ALONE, /* it has Proa, but may have no MPI_COMM_WORLD */
    PROA_KEY_TELLS, /* it has Proa, and tells the roll on in MPI_Init (job/roll.h) */
    PROA_KEY_CHECKS = 4
};

static inline int proa_key_tells(enum proa_key key)
{
    return key % PROA_KEY_CHECKS == PROA_KEY_TELLS;
}

struct proa_manager {
    /* Before the host's start: this rank's key is put now, or with what the host puts. At the first
     * call only. */
    void (*put)(enum proa_key key);

    /* After the host's start: does the host use this manager, and does it take our keys? The same
     * on all ranks. */
    int (*is_here)(void);

    /* Where it is here: the key of a rank. Blocks until the manager has answered; no answer counts
     * as none. Right after the host's start only, while the host says nothing to it. */
    enum proa_key (*look)(int rank);
};

/* PMI-1 to Hydra, the launcher of MPICH (job/pmi.c). */
extern PROA_HIDDEN const struct proa_manager proa_manager_pmi;

/* Any that speaks PMIx: Open MPI's, Slurm's (job/pmix.c). */
extern PROA_HIDDEN const struct proa_manager proa_manager_pmix;

#endif
