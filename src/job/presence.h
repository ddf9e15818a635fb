/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of this job that run without Proa. Proa cannot serve a window with such a rank: the rank
 * takes part in none of Proa's collectives, which would wait for it forever. So absent ranks are
 * known before any window is created.
 *
 * The process that calls MPI_Init, and no other of its rank, leaves a mark with the host's process
 * manager (job/manager.h) before the host's own start. The fence of that start lies between all
 * puts and the first look-up. One rank looks up all keys, and the ranks pass them on (job/roll.h).
 * So all ranks find the same keys, and come to the same decision about each window.
 *
 * If the manager is not a known one, all ranks of the job assume that every rank has Proa. The
 * exchange then logs how long it has waited (job/exchange.c).
 */
#ifndef PROA_JOB_PRESENCE_H
#define PROA_JOB_PRESENCE_H

#include <mpi.h>

/* Called before the host's MPI_Init (in_init: 1) or MPI_Session_init (0): marks this rank as one
 * with Proa. checks: number of what the rank checks, 0 to 31, which has to be the same on all
 * ranks. */
void proa_presence_put(int in_init, int checks);

/* Called after proa_presence_look. Returns whether all ranks with Proa check the same; 1 also if
 * that is not known. If not, the first rank that checks logs that. */
int proa_presence_checks_alike(void);

/* Called after the host's call: learns of all ranks of the job, once. rank, size: of this process
 * in MPI_COMM_WORLD, or in the process set mpi://WORLD. in_init: as for proa_presence_put. In
 * MPI_Init the ranks that put their key there wait for each other. */
void proa_presence_look(int rank, int size, int in_init);

/* Called after proa_presence_look. Returns whether all ranks of the job have Proa, and started MPI
 * by MPI_Session_init first; 0 also if that is not known. */
int proa_presence_are_by_session(void);

/* Checks that all processes of comm have Proa. Collective in effect: all processes of comm that are
 * of this job get the same result. In a program without MPI_Init, where ranks of comm cannot be
 * identified, any such rank of the job counts. comm: a valid intracommunicator. Returns PROA_OK, or
 * PROA_ELSEWHERE if a process lacks Proa (proa_failure() says why; it is logged once). */
int proa_presence_check(MPI_Comm comm);

/* A rank whose process has ended, although it left its mark. */
struct proa_presence_dead {
    int pid;
    char host[65]; /* "" if unknown */
};

/* Finds the first such rank of comm, from `from` on. A rank of another machine is found if the
 * process manager reports it. Returns -1 if there is none, or if another process of comm reports
 * it: the first on this machine that is alive. */
int proa_presence_find_dead(MPI_Comm comm, int from, struct proa_presence_dead *dead);

/* Called when this process has met others outside its MPI_COMM_WORLD (spawned, or connected): it is
 * unknown whether those have Proa. */
void proa_presence_meets_others(void);

/* Called after proa_presence_check has returned PROA_OK. Returns whether all processes of comm
 * certainly have Proa; 0 if that is unknown. */
int proa_presence_is_sure(MPI_Comm comm);

/* Called when all processes of comm have answered: from now on proa_presence_is_sure returns 1. (A
 * communicator created later may get the same handle; then only a line in the log is lost.) */
void proa_presence_answered(MPI_Comm comm);

#endif
