/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process that waits tells rank 0 of MPI_COMM_WORLD: plain bytes. */
#ifndef PROA_HANG_STUCK_H
#define PROA_HANG_STUCK_H

#include "findings/source.h"
#include "hang/members.h"

#include <stdint.h>

enum {
    PROA_STUCK_WAITS = 4,   /* threads of a process that are told of */
    PROA_STUCK_RANKS = 256, /* that a wait is told to wait for */
    PROA_STUCK_MESSAGES = 64,
    PROA_STUCK_LOCKS = 16, /* held */
    PROA_STUCK_DONE = 64   /* communicators whose calls are counted */
};

/* LIST: something of each of these ranks. ALL: the same call of these ranks. LOCK: a lock. SOME:
 * messages of these ranks, some of which may have come. OPEN: any rank may end it. */
enum proa_stuck_kind {
    PROA_STUCK_LIST,
    PROA_STUCK_ALL,
    PROA_STUCK_LOCK,
    PROA_STUCK_SOME,
    PROA_STUCK_OPEN
};

struct proa_stuck_message {
    int32_t rank, tag, way; /* as of struct proa_awaited_message */
};

struct proa_stuck_wait {
    char call[40], window[64];
    char what[80]; /* "MPI_Win_complete": of the ranks that it waits for */
    struct proa_source source;
    uint64_t id; /* of the window, or of the members of the communicator */
    int32_t kind, seconds;
    int32_t target;                 /* of a lock, in MPI_COMM_WORLD; -1: all */
    int32_t count;                  /* of ranks */
    int32_t rank[PROA_STUCK_RANKS]; /* in MPI_COMM_WORLD */
    int32_t messages;               /* that it sends and receives */
    struct proa_stuck_message message[PROA_STUCK_MESSAGES];
};

struct proa_stuck_lock {
    uint64_t id;    /* of the window */
    int32_t target; /* in MPI_COMM_WORLD; -1: all */
};

struct proa_stuck {
    uint64_t secret[2]; /* of the job */
    uint64_t episode;   /* another number once a thread has moved */
    int32_t rank, waits, locks, pending, done;
    struct proa_stuck_wait wait[PROA_STUCK_WAITS];
    struct proa_stuck_lock lock[PROA_STUCK_LOCKS];
    struct proa_stuck_message message[PROA_STUCK_MESSAGES]; /* of requests that are pending */
    struct proa_members_done did[PROA_STUCK_DONE];          /* collective calls that are over */
};

#endif
