/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that goes on, by its trace: what each rank does now, its rates, windows and locks. */
#ifndef PROA_TRACE_LIVE_H
#define PROA_TRACE_LIVE_H

#include "follow.h"
#include "place.h"

#include <stdint.h>

struct proa_live_rank {
    int rank, pid; /* in MPI_COMM_WORLD */
    char host[PROA_TRACE_HOST_BYTES];
    int has_ended; /* in order, or it is gone */
    uint64_t operations, bytes;
    double operations_s, bytes_s; /* since the last look */
    /* of its threads' calls the one that has lasted longest; NULL: none is in a call */
    const char *call;
    int window;          /* index; -1: unknown */
    int target, awaited; /* ranks in MPI_COMM_WORLD; -1: none, or unknown */
    double seconds;      /* how long already */
    int counter;         /* that a notified wait is for; -1: none, or several */
    int place;

    struct proa_follow follow;
    char *path;
    int number;   /* for places */
    int *windows; /* by the process's number of it */
    int window_count;
    int32_t roles[PROA_TRACE_CALLS]; /* -1: not asked yet */
};

struct proa_live_window {
    uint64_t identity;
    char *name;
    int size;
    int *world;  /* by rank: in MPI_COMM_WORLD; -1: unknown */
    int members; /* that have it, and have not freed it */
};

struct proa_live_lock {
    int window, target; /* rank in the window; -1: all, by a lock_all */
    int origin;         /* in MPI_COMM_WORLD */
    int exclusive;
};

struct proa_live {
    const char *folder;
    int rank_count, window_count, lock_count, lock_room;
    struct proa_live_rank *ranks; /* in the order of ranks */
    struct proa_live_window *windows;
    struct proa_live_lock *locks; /* that are held */
    struct proa_places *places;
    double looked_s;
};

void proa_live_open(struct proa_live *live, const char *folder);
void proa_live_close(struct proa_live *live);

/* Reads what is new. Files of processes that had ended at the first look are of other runs, and are
 * left out. */
void proa_live_look(struct proa_live *live);

/* A rank of the window's group, in MPI_COMM_WORLD; -1: unknown. */
int proa_live_world_rank(const struct proa_live *live, int window, int rank);

/* Have all ranks ended? No, as long as there are none. */
int proa_live_has_ended(const struct proa_live *live);

#endif
