/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a waiting process to rank 0 of MPI_COMM_WORLD, as plain bytes. */
#ifndef PROA_HANG_STUCK_H
#define PROA_HANG_STUCK_H

#include "findings/source.h"
#include "hang/members.h"

#include <stdint.h>

enum {
    PROA_STUCK_WAITS = 4,   /* threads of a process that are reported */
    PROA_STUCK_RANKS = 256, /* awaited ranks of a wait that are reported */
    PROA_STUCK_MESSAGES = 64,
    PROA_STUCK_LOCKS = 16, /* held locks */
    PROA_STUCK_DONE = 64   /* communicators whose calls are counted */
};

/* LIST: something from each of these ranks. ALL: the same call of these ranks. LOCK: a lock. SOME:
 * messages of these ranks, some of which may have arrived. OPEN: any rank may end the wait. */
enum proa_stuck_kind {
    PROA_STUCK_LIST,
    PROA_STUCK_ALL,
    PROA_STUCK_LOCK,
    PROA_STUCK_SOME,
    PROA_STUCK_OPEN
};

struct proa_stuck_message {
    int32_t rank, tag, way; /* as in struct proa_awaited_message */
};

struct proa_stuck_wait {
    char call[40], window[64];
    char what[80]; /* awaited call of these ranks, such as "MPI_Win_complete" */
    struct proa_source source;
    uint64_t id; /* id of the window, or of the members of the communicator */
    int32_t kind, seconds;
    int32_t target;                 /* target of a lock, in MPI_COMM_WORLD; -1 for all */
    int32_t count;                  /* number of ranks */
    int32_t rank[PROA_STUCK_RANKS]; /* in MPI_COMM_WORLD */
    int32_t messages;               /* messages that it sends and receives */
    struct proa_stuck_message message[PROA_STUCK_MESSAGES];
};

struct proa_stuck_lock {
    uint64_t id;    /* id of the window */
    int32_t target; /* in MPI_COMM_WORLD; -1 for all */
};

struct proa_stuck {
    uint64_t secret[2]; /* secret of the job */
    uint64_t episode;   /* changes whenever a thread makes progress */
    int32_t rank, waits, locks, pending, done;
    struct proa_stuck_wait wait[PROA_STUCK_WAITS];
    struct proa_stuck_lock lock[PROA_STUCK_LOCKS];
    struct proa_stuck_message message[PROA_STUCK_MESSAGES]; /* messages of pending requests */
    struct proa_members_done did[PROA_STUCK_DONE];          /* completed collective calls */
};

#endif
