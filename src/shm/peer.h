/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This process and its peers on the node: their identities, and where their arenas are mapped here.
 *
 * A peer is named by node and process, never by a rank, so windows on any communicator, spawned
 * processes and sessions find the same peer. A process says hello (struct proa_hello) whenever a
 * window is created. Each receiver attaches the sender: it opens the sender's first segment through
 * /proc/PID/fd and maps it. Further segments are mapped on first use. Every window holds the peers
 * that it works with; a peer that no window holds stays attached, so that the next window costs no
 * more than the last, until it is found that its process has ended.
 */
#ifndef PROA_SHM_PEER_H
#define PROA_SHM_PEER_H

#include "base/hidden.h"
#include "shm/segment.h"

#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

/* The message by which a process introduces itself. Fixed size, no pointers. */
struct proa_hello {
    uint64_t node; /* equal on equal nodes: host name, boot, pid namespace and PROA_NODE_ID */
    struct proa_segment_name first; /* its first segment, with the process's id and pid */
};

struct proa_peer {
    uint64_t id;
    int32_t pid;
    struct proa_proc_ctl *ctl;
    struct proa_slot *slot;        /* ours in the peer's block; NULL if there was none left */
    char *segments[PROA_SEGMENTS]; /* where we have mapped them; NULL: not yet */
    int cma;                       /* does it work (shm/cma.h)? 0: not asked yet, 1: yes, -1: no */
    int holders;                   /* proa_peer_attach less proa_peer_release */
    uint64_t met;                  /* when that was, in ticks since the node started */
    struct proa_peer *second;      /* proa_peer_second */
    struct proa_block *blocks;     /* of its adopted memory, as mapped here */
    UT_hash_handle hh;
};

/* This process as its own peer; valid between proa_peers_start and proa_peers_stop. */
extern PROA_HIDDEN struct proa_peer *proa_self;

/* Makes our own peer, of the arena's first block (shm/arena.h). PROA_OK or PROA_ERR_NO_MEM. And
 * forgets all peers. */
int proa_peers_start(struct proa_proc_ctl *ctl);
void proa_peers_stop(void);

/* The hello of a peer, such as proa_self. */
struct proa_hello proa_hello_of(const struct proa_peer *peer);

/* The peer that said this hello, attached, and held until proa_peer_release is called as often.
 * NULL, with proa_failure() and errno set, if its memory cannot be opened. */
struct proa_peer *proa_peer_attach(const struct proa_hello *hello);
void proa_peer_release(struct proa_peer *peer);

/* Has the peer's process ended? As the functions of shm/process.h. */
int proa_peer_has_ended(const struct proa_peer *peer);
int proa_peer_is_nobody(const struct proa_peer *peer);

/* Has the process that said this hello? Leaves errno as it is. */
int proa_hello_has_ended(const struct proa_hello *hello);

/* Counts the windows of this process, from before others know of one until it has been freed. Has
 * the peer any? A process that ends without any has left in order, and is not missed. */
void proa_peer_opens_window(void);
void proa_peer_closes_window(void);
int proa_peer_has_windows(const struct proa_peer *peer);

/* The same peer for a second accessor in this process, which works beside the program's thread and
 * has a slot of its own (rma/guard.h). Only its block is to be used. NULL without memory. */
struct proa_peer *proa_peer_second(struct proa_peer *peer);

/* Finds the peer, other than ourselves, in whose arena all of [address, address + bytes) lies as
 * mapped here: 1, what it says of itself, and where in its arena; or 0. */
int proa_peer_find(const void *address, uint64_t bytes, struct proa_hello *owner, int *segment,
                   uint64_t *offset);

/* Bytes that the other peers have given out of their arenas. untouched: only those without pages
 * yet, which may be taken from the node at any time; that takes system calls for each peer. */
uint64_t proa_peers_granted(int untouched);

/* The peer's own address of a byte in its segment, which has been mapped here. */
static inline uint64_t proa_peer_address(const struct proa_peer *peer, int segment, uint64_t offset)
{
    return peer->ctl->segments[segment].address + offset;
}

/* Where the peer's segment is mapped here; maps it on first use. NULL, with proa_failure() and
 * errno set, if that fails. */
char *proa_peer_segment(struct proa_peer *peer, int segment);

/* A peer's adopted memory (adopt/adopt.h) is mapped in blocks of so many bytes, which stay mapped
 * as long as the peer is known: a window made again costs nothing. */
static const uint64_t proa_pages_block = 64ull << 20;

/* Where that address of the peer's adopted memory is mapped here, with all of its block; NULL, with
 * proa_failure() and errno set, if that fails. Any thread. */
char *proa_pages_map(struct proa_peer *peer, uint64_t address);

#endif
