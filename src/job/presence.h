/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of this job that run without Proa. A window with such a rank cannot be Proa's, and the rank
 * takes part in none of Proa's collectives, which would wait for it for ever. So absent ranks are
 * known before any window is made.
 *
 * The process that calls MPI_Init, and no other of its rank, leaves a mark with the host's process
 * manager (job/manager.h) before the host's own start, whose fence lies between all keys and the
 * first look. One rank looks all keys up, and the ranks tell them on (job/roll.h). So all ranks
 * find the same keys, and come to the same decision about each window.
 *
 * If the manager is not a known one, all ranks of the job assume that every rank has Proa. The
 * exchange then logs for how long it has waited (job/exchange.c).
 */
#ifndef PROA_JOB_PRESENCE_H
#define PROA_JOB_PRESENCE_H

#include <mpi.h>

/* Before the host's MPI_Init (in_init: 1) or MPI_Session_init (0): this rank has Proa. checks: what
 * it checks, of 0 to 31, a number that all ranks need alike. */
void proa_presence_put(int in_init, int checks);

/* After proa_presence_look: do all ranks with Proa check the same? If not, the first
 * one that checks says so in the log. 1 as well where it is not known. */
int proa_presence_checks_alike(void);

/* After it: learns of all ranks of the job, once; in_init as before. rank, size: of this process in
 * MPI_COMM_WORLD, or in the process set mpi://WORLD. In MPI_Init the ranks that put their key there
 * wait for each other. */
void proa_presence_look(int rank, int size, int in_init);

/* After it: have all ranks of the job Proa, and started MPI by MPI_Session_init first? 0 as well
 * where it is not known. */
int proa_presence_are_by_session(void);

/* PROA_OK, or PROA_ELSEWHERE (proa_failure() says why; a line in the log, once) if a process of
 * comm has no Proa. Collective in effect: all processes of comm that are of this job get the same.
 * In a program without MPI_Init, where ranks of comm cannot be told, any such rank of the job
 * counts. comm: a valid intracommunicator. */
int proa_presence_check(MPI_Comm comm);

/* A rank whose process has ended, though it has left its mark. */
struct proa_presence_dead {
    int pid;
    char host[65]; /* "": not known */
};

/* Such a rank of comm, the first from there on; -1: there is none, or another process of comm
 * reports it: the first on this machine that lives. A rank of another machine is found if the
 * process manager tells of it. */
int proa_presence_find_dead(MPI_Comm comm, int from, struct proa_presence_dead *dead);

/* This process has met others outside its MPI_COMM_WORLD (spawned, or connected): it is not known
 * whether those have Proa. */
void proa_presence_meets_others(void);

/* After proa_presence_check has given PROA_OK: do all processes of comm surely have Proa? 0: it is
 * not known. */
int proa_presence_is_sure(MPI_Comm comm);

/* All processes of comm have answered: from now on proa_presence_is_sure is 1. (A communicator made
 * later may get the same handle, and would only lose a line in the log.) */
void proa_presence_answered(MPI_Comm comm);

#endif
