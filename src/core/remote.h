/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets on other nodes, from the origin's side.
 *
 * What is done to such a target is gathered into a batch (net/wire.h), which goes off when it is
 * full, when something waits for it, and when the epoch ends; so a lock, small operations and the
 * unlock are one message, and its answer. Long runs go by the transport's put and get, once the
 * target may be accessed. Batches are done in the order in which they were sent.
 */
#ifndef PROA_CORE_REMOTE_H
#define PROA_CORE_REMOTE_H

#include "core/combine.h"
#include "core/settle.h"
#include "net/net.h"
#include "net/wire.h"

/* ---- creation ---- */

/* What a process shows to those on other nodes of its part of the window. */
struct proa_remote_card {
    struct proa_net_address address;
    struct proa_net_key key; /* of its memory; has_key 0: that is reached by messages only */
    uint64_t memory;         /* its own address of it */
    uint64_t window;         /* the number that the window is to have, of rank 0 */
    int32_t has_key;
    int32_t error; /* it has no network: a negative code */
};

/* Makes win->spread, starts the agent, exposes the window's memory, and fills in our card. */
void proa_remote_card_fill(struct proa_win *win, struct proa_remote_card *card);

/* From now on the window reaches, and serves, targets of other nodes: those without a block here.
 * PROA_OK or a code; proa_remote_close undoes it in any case. */
int proa_remote_open(struct proa_win *win, const struct proa_remote_card *cards);
void proa_remote_close(struct proa_win *win);

/* ---- operations, by their road (core/road_net.c) ---- */

/* Runs of a put or a get. */
int proa_remote_move(struct proa_win *win, int rank, int put, const struct proa_runs *runs);

/* Elements in a row, at position. */
int proa_remote_combine(struct proa_combine *combine, uint64_t position);

/* ---- synchronization ---- */

/* core/tell.h. */
void proa_remote_tell(const struct proa_target *target, size_t word, uint64_t value);

/* core/settle.h; of one target, or of all that are remote (rank < 0). */
int proa_remote_settle(struct proa_win *win, int rank, enum proa_settled how);

/* After a target has been told that our access epoch is over: waits for what was fetched from it.
 * All that was put there lies before what it was told. */
int proa_remote_completed(struct proa_win *win, int rank);

/* The lock is asked for with the first batch: this returns at once, as the standard allows where
 * the origin has no load and store (MPI-4.1, 13.5.3). Unlock returns once all is done and the lock
 * is given back: PROA_OK or a code. nocheck: it was not taken. */
void proa_remote_lock(struct proa_win *win, int rank, int exclusive, int nocheck);
int proa_remote_unlock(struct proa_win *win, int rank, int nocheck);

/* Of a lock_all, which asks each target for a shared lock when it is first used. */
int proa_remote_unlock_all(struct proa_win *win);

/* ---- events, inside the agent (core/agent.h) ---- */

void proa_remote_answered(uint32_t peer, const struct proa_wire_head *head, const char *body,
                          size_t bytes);
void proa_remote_moved(uint64_t token, int outcome);
void proa_remote_lost(uint32_t peer);
void proa_remote_told_lost(uint32_t peer, const struct proa_wire_head *head);

/* Is there any window that spans nodes? Inside. */
int proa_remote_any(void);

/* ---- for core/serve.c: what is remembered of a process of another node ---- */

struct proa_serving;
struct proa_served;

struct proa_spread {
    struct proa_win *win;
    uint64_t number; /* the same on all processes of the window */
    int has_key;     /* its memory is exposed to the network */
    struct proa_net_key key;
    struct proa_served *served;
    uint32_t
        lost; /* 1 + the rank of a process that is gone, the first that was heard of; 0: none */
    struct proa_spread *prev, *next; /* of all such windows */
};

struct proa_remote {
    struct proa_win *win;
    int rank;
    uint32_t peer; /* of the transport */
    uint8_t lost;
    /* as origin */
    uint8_t lock;      /* enum in remote.c */
    uint8_t exclusive; /* the lock is */
    uint8_t listed;    /* in win->remotes */
    uint8_t has_key;
    struct proa_net_key key;
    uint64_t memory;
    char *batch;          /* being gathered; NULL until the first */
    size_t used;          /* of it; 0: nothing is in it */
    size_t fetching;      /* bytes that its answer will have */
    uint8_t works;        /* it has operations, and not only what is told */
    uint8_t holds;        /* other locks were held when its lock was wanted */
    uint64_t sent, asked; /* batches so far; up to which an answer has been asked for */
    uint64_t worked;      /* the last that had operations */
    uint64_t lock_number; /* of the batch that asked for the lock */
    uint64_t answered;    /* up to which there is one; read by waiting threads at any time */
    uint64_t moves;       /* puts and gets of the transport under way; read likewise */
    struct wanted *wanted;
    int error; /* the first since the last settle, and what was said */
    char why[160];
    struct proa_remote *prev, *next; /* in win->remotes */
    /* as target */
    struct proa_serving *serving;
};

/* The window of that number that is served here, and the sender of that rank in it, if the peer is
 * who it says; NULL: a message to be dropped. Inside. */
struct proa_remote *proa_remote_find(uint64_t window, uint32_t rank, uint32_t peer);

#endif
