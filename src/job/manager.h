/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's process manager (Hydra, orted, slurmstepd, ...) as a place where each rank leaves a
 * mark that every rank of the job can look up, on any node. The host's own start does the same with
 * the addresses of its ranks: marks are put before its fence, and available after it.
 *
 * A mark is put and looked up by the connection that the launcher gave this rank, so no other user
 * and no other job can put one.
 *
 * Used by job/presence.c and job/roll.c alone.
 */
#ifndef PROA_JOB_MANAGER_H
#define PROA_JOB_MANAGER_H

#include "base/hidden.h"

#include <stdint.h>

/* The key in a rank's mark: one of the first three, plus the number of what the rank checks as a
 * multiple of PROA_KEY_CHECKS (proa_presence_put). */
enum proa_key {
    PROA_KEY_NONE,  /* no key: the rank runs without Proa */
    PROA_KEY_ALONE, /* it has Proa, but may have no MPI_COMM_WORLD */
    PROA_KEY_TELLS, /* it has Proa, and sends the roll on in MPI_Init (job/roll.h) */
    PROA_KEY_CHECKS = 4
};

static inline int proa_key_tells(enum proa_key key)
{
    return key % PROA_KEY_CHECKS == PROA_KEY_TELLS;
}

/* A mark: the key, the process ID, and 35 bits of its machine's name (shm/process.h); 0 if there is
 * none. The kernel's process IDs have at most 22 bits. */
enum { PROA_MARK_KEY = 7, PROA_MARK_MACHINE = PROA_MARK_KEY + 22 };

static inline uint64_t proa_mark(enum proa_key key, int pid, uint64_t machine)
{
    return machine << PROA_MARK_MACHINE | (uint64_t)pid << PROA_MARK_KEY | key;
}

static inline enum proa_key proa_mark_key(uint64_t mark)
{
    return (enum proa_key)(mark & ((1 << PROA_MARK_KEY) - 1));
}

static inline int proa_mark_pid(uint64_t mark)
{
    return (int)(mark >> PROA_MARK_KEY & ((1 << (PROA_MARK_MACHINE - PROA_MARK_KEY)) - 1));
}

static inline int proa_marks_share_machine(uint64_t a, uint64_t b)
{
    return a >> PROA_MARK_MACHINE == b >> PROA_MARK_MACHINE;
}

/* Size of the name of a host, with its terminating null; longer names are cut. */
enum { PROA_MANAGER_HOST = 65 };

struct proa_manager {
    /* Called before the host's start: puts this rank's mark now, or with the host's keys. Only the
     * first call has an effect. */
    void (*put)(uint64_t mark);

    /* Called after the host's start. Returns whether the host uses this manager, and the manager
     * accepts our marks. The same on all ranks. */
    int (*is_here)(void);

    /* If is_here: returns the mark of a rank. Blocks until the manager has answered; no answer
     * counts as no mark. Called right after the host's start only, while the host sends nothing to
     * the manager. */
    uint64_t (*look)(int rank);

    /* Returns the first rank, from `from` on, whose process has ended, as far as the manager knows;
     * -1 if it knows of none. Callable when no other thread may call the host. */
    int (*find_dead)(int from);

    /* Writes the name of that rank's host, or "". Callable as find_dead. Returns host. */
    const char *(*name_host)(int rank, char host[PROA_MANAGER_HOST]);
};

/* PMI-1 to Hydra, the launcher of MPICH (job/pmi.c). */
extern PROA_HIDDEN const struct proa_manager proa_manager_pmi;

/* Any that uses PMIx: Open MPI's, Slurm's (job/pmix.c). */
extern PROA_HIDDEN const struct proa_manager proa_manager_pmix;

#endif
