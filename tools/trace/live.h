/* SPDX-License-Identifier: BSD-3-Clause */
/* A running job, by its trace: the current call of each rank, its rates, windows and locks. */
#ifndef PROA_TRACE_LIVE_H
#define PROA_TRACE_LIVE_H

#include "follow.h"
#include "place.h"

#include <stdint.h>

struct proa_live_rank {
    int rank, pid; /* in MPI_COMM_WORLD */
    char host[PROA_TRACE_HOST_BYTES];
    int has_ended; /* it ended, regularly or not */
    uint64_t operations, bytes;
    double operations_s, bytes_s; /* since the last update */
    /* the longest current call of its threads; NULL if none is in a call */
    const char *call;
    int window;          /* index; -1 if unknown */
    int target, awaited; /* ranks in MPI_COMM_WORLD; -1 if none, or unknown */
    double seconds;      /* duration so far */
    int counter;         /* counter of a notified wait; -1 for none, or several */
    int place;

    struct proa_follow follow;
    char *path;
    int number;   /* number for places */
    int *windows; /* by the process's number of the window */
    int window_count;
    int32_t roles[PROA_TRACE_CALLS]; /* -1 until determined */
};

struct proa_live_window {
    uint64_t identity;
    char *name;
    int size;
    int *world;  /* by rank: rank in MPI_COMM_WORLD; -1 if unknown */
    int members; /* processes with the window that have not freed it */
};

struct proa_live_lock {
    int window, target; /* target: rank in the window; -1 for all, by a lock_all */
    int origin;         /* in MPI_COMM_WORLD */
    int exclusive;
};

struct proa_live {
    const char *folder;
    int rank_count, window_count, lock_count, lock_room;
    struct proa_live_rank *ranks; /* in the order of ranks */
    struct proa_live_window *windows;
    struct proa_live_lock *locks; /* held locks */
    struct proa_places *places;
    double looked_s;
};

void proa_live_open(struct proa_live *live, const char *folder);
void proa_live_close(struct proa_live *live);

/* Reads new records. Files of processes that had ended before the first call belong to other runs,
 * and are left out. */
void proa_live_look(struct proa_live *live);

/* Returns the rank in MPI_COMM_WORLD of a rank in the window; -1 if unknown. */
int proa_live_world_rank(const struct proa_live *live, int window, int rank);

/* Returns true if all ranks ended; false while there are none. */
int proa_live_has_ended(const struct proa_live *live);

#endif
