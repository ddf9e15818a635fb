/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows over several nodes: the state that a process keeps of such a window, and of each process
 * of another node in it. All but the last section is called inside the progress engine
 * (progress/progress.h).
 */
#ifndef PROA_REMOTE_WINDOW_H
#define PROA_REMOTE_WINDOW_H

#include "base/atomic.h"
#include "base/fail.h"
#include "base/hidden.h"
#include "sync/pair.h"
#include "window/win.h"
#include "net/net.h"
#include "trace/engine.h"
#include "remote/wire.h"

struct proa_serving;
struct proa_served;
struct proa_wanted;
struct proa_group_locks;
struct proa_queued;
struct proa_request;
struct proa_networks;
struct proa_roster;

/* A walk over the list of a window's used targets, which changes meanwhile. */
struct proa_remote_walk {
    struct proa_remote *next; /* the next to visit; replaced if it leaves the list */
    struct proa_remote_walk *outer;
};

struct proa_remote_window {
    struct proa_win *win;
    uint64_t number; /* the same on all processes of the window */
    int end;         /* the endpoint that it uses (progress/endpoints.h) */
    int has_key;     /* its memory is exposed to the network */
    int is_single;   /* the lock_all consists of single locks (remote/single_locks.c) */
    struct proa_net_key key;
    struct proa_served *served;
    struct proa_group_locks *rooms;        /* remote/group_lock.h */
    struct proa_roster *roster;            /* remote/roster.c */
    struct proa_remote_process *processes; /* the known processes of other nodes */
    /* The barrier among nodes (sync/barrier.c): the number of other processes of the window on this
     * node; and, if we are its leader, the leaders that we notify and that notify us in each round.
     */
    int neighbours, rounds;
    int partners[PROA_BARRIER_ROUNDS], notifiers[PROA_BARRIER_ROUNDS];
    /* like struct proa_round_ctl, for that barrier; written when messages arrive */
    uint64_t node_rounds[PROA_BARRIER_ROUNDS];
    uint64_t entries;                       /* into the list of used targets, so far */
    struct proa_remote_walk *walks;         /* walks over that list in progress */
    uint32_t united;                        /* the bits of the last union (remote/sync.c) */
    struct proa_remote_window *prev, *next; /* in the list of all such windows */
};

/* All windows over several nodes. */
extern PROA_HIDDEN struct proa_remote_window *proa_remote_windows;

/* A process of another node, and its part of the window as the process has shown it. There is none
 * for a process that this one does not communicate with. */
struct proa_remote_process {
    struct proa_win *win;
    struct proa_remote *remote; /* NULL until the first traffic */
    uint64_t memory;
    struct proa_net_key key;
    int rank;
    uint32_t peer; /* its number in the transport */
    uint8_t has_key, lost;
    struct proa_remote_process *next; /* in the window's list */
};

/* The contents of an aggregated batch. */
enum {
    PROA_GATHERED_WORK = 1,    /* operations, and not only words (PROA_WIRE_NOTIFY) */
    PROA_GATHERED_POSTS = 2,   /* posts, for which the target may wait */
    PROA_GATHERED_PRESSED = 4, /* operations that requests wait for */
    PROA_GATHERED_SEEN = 8,    /* a check has found the batch unsent (remote/operation_queue.h) */
    PROA_GATHERED_COUNTS = 16  /* orders to count (remote/notice.h) */
};

/* The lock that an origin has at a target. */
enum proa_remote_lock {
    PROA_REMOTE_UNLOCKED,
    PROA_REMOTE_WANTS_SHARED, /* the next batch requests it */
    PROA_REMOTE_WANTS_EXCLUSIVE,
    PROA_REMOTE_WANTS_TRY, /* the next batch tries for a shared lock (remote/single_locks.c) */
    PROA_REMOTE_TRIED,     /* the answer says whether the lock is held */
    PROA_REMOTE_ASKED
};

/* Lists of targets. */
enum proa_remote_list {
    PROA_REMOTE_PUSHED,   /* with a queue, or a batch that requests wait for
                             (remote/operation_queue.c) */
    PROA_REMOTE_DEFERRED, /* waited for before another lock is taken (proa_remote_take_deferred) */
    PROA_REMOTE_USED,     /* of one window, win->remotes: operations are to be completed there */
    PROA_REMOTE_LISTS
};

/* The first target of each list, except the lists of windows. */
extern PROA_HIDDEN struct proa_remote *proa_remotes[PROA_REMOTE_USED];

/* Created by the first operation, synchronization or message in either direction. */
struct proa_remote {
    const struct proa_remote_process *process; /* the process */
    struct {
        struct proa_remote *prev, *next; /* prev is NULL if not in the list */
    } in[PROA_REMOTE_LISTS];
    uint64_t entry; /* number of its entry into the list of used targets */
    /* as origin: the aggregated batch, not sent yet */
    struct {
        char *body;      /* with room for the head; NULL if the batch is empty */
        size_t used;     /* bytes after the head; 0 if the batch is empty */
        size_t fetching; /* bytes of data in its answer */
        uint8_t has;     /* PROA_GATHERED_*; atomic */
    } batch;
    /* operations in flight; the numbers are those of batches */
    struct {
        uint64_t sent,
            asked;         /* the last one sent; the last one for which an answer was requested */
        uint64_t worked;   /* the last that had operations */
        uint64_t heard;    /* value of `sent` when the last message of the process arrived */
        uint64_t answered; /* all up to this one are; read by waiting threads at any time */
        uint64_t moves;    /* puts and gets of the transport in flight; read likewise */
        struct proa_wanted *wanted;
        struct proa_queued *issues;       /* the queue (remote/operation_queue.h) */
        struct proa_first_failure failed; /* since the last completion */
    } flight;
    /* the permission, lock or post, that operations wait for at the target */
    struct {
        uint8_t lock;         /* enum proa_remote_lock */
        uint8_t holds;        /* other locks were held when the lock was wanted */
        uint8_t waits;        /* we have waited for the post */
        uint64_t post_wanted; /* the value of told.posted that the aggregated operations need */
        /* read by waiting threads: the number of the batch that requested the lock; the value of
         * told.posted that the last batch waits for there */
        uint64_t lock_number, post_asked;
    } grant;
    uint64_t parts; /* parts of operations put into batches so far, for a trace */
    /* as target */
    uint64_t applied; /* such parts executed so far */
    struct proa_serving *serving;
    uint64_t posted;  /* number of our posts to it */
    uint8_t is_hasty; /* the process waits for our post */
    /* post, start, complete, wait between the two processes (sync/pair.h): our own counts; then the
     * counts that the other one has sent, like those in struct proa_from_ctl of a neighbour */
    struct proa_pair pair;
    struct {
        uint64_t posted, completed;
    } told;
};

/* Put the target into the list of that kind, or remove it. Nothing happens if it is in the list
 * already, or not in it. */
void proa_remote_enlist(struct proa_remote *r, enum proa_remote_list kind);
void proa_remote_delist(struct proa_remote *r, enum proa_remote_list kind);

static inline int proa_remote_is_in(const struct proa_remote *r, enum proa_remote_list kind)
{
    return r->in[kind].prev != NULL;
}

/* Returns whether the lock has still to be requested. */
static inline int proa_remote_wants_lock(const struct proa_remote *r)
{
    return r->grant.lock >= PROA_REMOTE_WANTS_SHARED && r->grant.lock <= PROA_REMOTE_WANTS_TRY;
}

/* Returns NULL if the process is of this node, or not known yet. */
static inline struct proa_remote_process *proa_remote_process_of(const struct proa_win *win,
                                                                 int rank)
{
    return proa_atomic_load(&win->targets[rank].remote, PROA_ACQUIRE);
}

/* Returns NULL if the process is of this node, or there was no traffic with it yet. */
static inline struct proa_remote *proa_remote_of(const struct proa_win *win, int rank)
{
    struct proa_remote_process *process = proa_remote_process_of(win, rank);

    return process ? proa_atomic_load(&process->remote, PROA_ACQUIRE) : NULL;
}

/* Finds the process of that rank, not our own, and keeps it known; inside the progress engine.
 * Returns NULL, with the reason in proa_failure(), if there is no memory for it, no way to it, or
 * the window is being freed. */
struct proa_remote_process *proa_remote_know(struct proa_win *win, int rank);

/* Like proa_remote_of, but creates it if there is none. Returns NULL like proa_remote_know. */
struct proa_remote *proa_remote_make(struct proa_win *win, int rank);

/* Free list of bodies for batches. */
enum { PROA_BODIES_KEPT = 8 };
extern PROA_HIDDEN struct proa_bodies {
    int count;
    char *body[PROA_BODIES_KEPT];
} proa_remote_bodies;

/* Take a body of PROA_NET_MESSAGE_MOST bytes for a batch, and give back that of r, whose batch was
 * sent. So there are as many bodies as batches being filled, not as many as targets. Both are
 * called inside. take: returns NULL if there is no memory. */
char *proa_remote_body_take(void);
void proa_remote_body_give_back(struct proa_remote *r);

/* Returns whether a message from that peer, which names that rank, comes from that rank's process.
 * Inside. If not, drops the peer, unless all processes have reached the end of the window: then no
 * process waits for the message. */
int proa_remote_is_from(struct proa_win *win, uint32_t peer, int rank);

/* Returns whether its process is gone. Callable by any thread, at any time. */
static inline int proa_remote_is_lost(const struct proa_remote *r)
{
    return proa_atomic_load(&r->process->lost, PROA_RELAXED);
}

/* Returns the head of our message about the window. number: as the kind requires (remote/wire.h).
 */
static inline struct proa_wire_head
proa_remote_window_head(const struct proa_win *win, enum proa_wire_kind kind, uint64_t number)
{
    return (struct proa_wire_head){.kind = (uint8_t)kind,
                                   .version = PROA_WIRE_VERSION,
                                   .rank = (uint32_t)win->rank,
                                   .window = win->remote_window->number,
                                   .number = number};
}

/* Returns the window of that number, or NULL if there is none here. */
struct proa_win *proa_remote_window_find(uint64_t number);

/* Add the window to the list, and to the table by its number, or remove it if it is there; inside.
 * add: returns PROA_OK or PROA_ERR_NO_MEM. */
int proa_remote_windows_add(struct proa_win *win);
void proa_remote_windows_remove(struct proa_win *win);

/* Handles a message of one kind. from: the sender. head: head of the message. body, bytes: the data
 * after the head. The sender of a malformed message is dropped (proa_progress_drop). */
typedef void proa_remote_handler(struct proa_remote *from, const struct proa_wire_head *head,
                                 const char *body, size_t bytes);

/* Returns the word of that number (sync/notify.h) by which the process of rank `from` notifies us;
 * NULL if there is none yet, as the process is not known. */
uint64_t *proa_word_anywhere(const struct proa_win *win, int from, int word);

/* ---- processes that are gone (remote/peer_failure.c); inside ---- */

/* Rows of proa_sync_remote (window/sync_ops.h). */
void proa_remote_lose(struct proa_win *win, int rank);
uint32_t proa_remote_node_lost(const struct proa_win *win);

/* Called when the network has lost a peer, or the peer has left: its processes are gone. */
void proa_remote_lost(uint32_t peer, enum proa_net_end end);

/* Handles the message by which a process, of any node, reports that another one is gone. */
void proa_remote_told_lost(uint32_t peer, const struct proa_wire_head *head);

/* ---- opening and closing (remote/open.c); not inside ---- */

/* Size of the name of a host, with its terminating null; longer names are cut. */
enum { PROA_REMOTE_HOST = 32 };

/* The part of the window that a process shows to those on other nodes. */
struct proa_remote_card {
    uint64_t network; /* of the address (net/offer.h); 0 if there is none yet */
    struct proa_net_address address;
    struct proa_net_key key; /* of its memory; without has_key, messages reach it */
    uint64_t memory;         /* the process's own address of it */
    uint64_t window;         /* the number for the window, taken from rank 0 */
    uint64_t bytes;          /* its size */
    int64_t disp_unit;
    uint64_t roster_offset; /* of a leader: offset of its roster in that segment of its arena */
    int roster_segment;
    int32_t leader; /* the lowest rank on its node */
    int32_t has_key;
    int32_t error;               /* a negative code */
    char host[PROA_REMOTE_HOST]; /* the name of its host, for lines of the log */
};

/* Creates win->remote_window, joins the network to be tried (remote/network.h), exposes the
 * window's memory there, and fills in our card. */
void proa_remote_card_fill(struct proa_win *win, struct proa_networks *networks,
                           struct proa_remote_card *card);

/* Tries the network. From then on the window reaches and serves targets of other nodes: those
 * without a block here. Returns PROA_OK, PROA_ELSEWHERE or a code; proa_remote_close undoes it in
 * any case. */
int proa_remote_open(struct proa_win *win, struct proa_networks *networks,
                     const struct proa_remote_card *cards);
void proa_remote_close(struct proa_win *win);

/* ---- the roster (remote/roster.c) ---- */

/* A row: one process's part of the window. */
struct proa_rostered {
    uint64_t bytes, memory; /* its size; its address in its process */
    int64_t disp_unit;
    int has_key;
    struct proa_net_key key;
    struct proa_net_address address;
    char host[PROA_REMOTE_HOST];
};

/* Called before the cards are exchanged. The lowest rank of a node allocates memory for all rows,
 * and puts the place on its card. Returns PROA_OK or PROA_ERR_NO_MEM. proa_roster_close undoes it
 * in any case. */
int proa_roster_prepare(struct proa_win *win, struct proa_remote_card *card);

/* Called after that, with the cards of all processes. The leader fills in the rows, and the other
 * processes of its node map them. They may read once all processes have agreed. Returns PROA_OK or
 * PROA_ERR_NO_MEM. */
int proa_roster_open(struct proa_win *win, const struct proa_remote_card *cards);

/* Returns whether the roster is still there. If not, all processes have reached the last barrier,
 * and the leader has given the roster back. If it is, loads before this call have read the roster.
 */
int proa_roster_is_there(const struct proa_win *win);

/* Copies the row of that rank. Returns whether the roster is there. It is not before
 * proa_roster_open, as a process may be lost while the window is created, and not after the last
 * barrier. */
int proa_roster_find(const struct proa_win *win, int rank, struct proa_rostered *row);

/* Gives everything back. */
void proa_roster_close(struct proa_win *win);

/* ---- for a trace: without one each costs a load and a branch ---- */

static inline int proa_remote_is_traced(const struct proa_win *win)
{
    return __builtin_expect(proa_atomic_load(&proa_trace_on, PROA_ACQUIRE), 0) && win->traced;
}

/* Records a message of the window: handed to the network (PROA_TRACE_SENT), or received
 * (PROA_TRACE_RECEIVED). rank: rank of the other process. bytes: size of the whole message. */
static inline void proa_remote_message(enum proa_trace_kind kind, const struct proa_win *win,
                                       int rank, const struct proa_wire_head *head, size_t bytes)
{
    if (proa_remote_is_traced(win))
        proa_trace_put_message(kind, win->traced, rank, head->kind, head->number, bytes);
}

/* Returns whether an operation with that code touches the target's memory. */
static inline int proa_wire_is_operation(unsigned code)
{
    return code >= PROA_WIRE_PUT && code <= PROA_WIRE_COMBINE;
}

#endif
