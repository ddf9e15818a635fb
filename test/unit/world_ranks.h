/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What world.c has for the two kinds of ranks: processes (world_processes.c), and threads of one
 * process (world_threads.c). Each kind defines world_run().
 */
#ifndef PROA_TEST_WORLD_RANKS_H
#define PROA_TEST_WORLD_RANKS_H

#include "world.h"

enum {
    WORLD_EXIT_FAILED = 90, /* a CHECK failed, and has been reported */
    WORLD_EXIT_TIMED_OUT = 91
};

/* One mapping, shared by the parent and all ranks. */
struct area;

/* For the parent: a fresh mapping for so many ranks. A failure fails the cmocka test. */
struct area *world_area_open(int size);
void world_area_close(struct area *area);

/* For the parent: how long the ranks may run. */
int world_limit_s(const struct world_plan *plan);

/* For the parent: prints a line on a rank that ended with that status of waitpid(2). late: the
 * parent has ended it because of the others. */
void world_tell(const struct area *area, int rank, int status, int limit_s, int late);

/* For the parent: has a CHECK of that rank failed? */
int world_has_reported(const struct area *area, int rank);

/* A rank's life, from the start of core to its end. */
void world_live(struct area *area, int rank, const struct world_plan *plan);

/* This process is out of time, and says so, after so many seconds of processor time. */
void world_limit(int seconds);

#endif
