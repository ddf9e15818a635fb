/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This process and its peers on the node: their identities, and where their arenas are mapped here.
 *
 * A peer is named by node and process, never by a rank, so windows on any communicator, spawned
 * processes and sessions find the same peer. A process sends its hello (struct proa_hello) whenever
 * a window is created. Each receiver attaches the sender: it opens the sender's first segment
 * through /proc/PID/fd and maps it. Further segments are mapped on first use. Every window holds a
 * reference to each peer that it uses. A peer without references stays attached until its process
 * is found to have ended, so that the next window is created as fast as the last.
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
    uint64_t node; /* equal on the same node: host name, boot, pid namespace and PROA_NODE_ID */
    struct proa_segment_name first; /* its first segment, with the process's id and pid */
};

struct proa_peer {
    uint64_t id;
    int32_t pid;
    struct proa_proc_ctl *ctl;
    struct proa_slot *slot;        /* our slot in the peer's block; NULL if none was left */
    char *segments[PROA_SEGMENTS]; /* addresses of our mappings; NULL if not mapped yet */
    int cma;                       /* whether it works (shm/cma.h): 0 if unknown, 1 if it does, -1
                                    * if not */
    int holders;                   /* proa_peer_attach less proa_peer_release */
    uint64_t met;                  /* time of the first attach, in ticks since the node started */
    struct proa_peer *second;      /* proa_peer_second */
    struct proa_block *blocks;     /* of its adopted memory, as mapped here */
    UT_hash_handle hh;
};

/* This process as its own peer; valid between proa_peers_start and proa_peers_stop. */
extern PROA_HIDDEN struct proa_peer *proa_self;

/* proa_peers_start creates our own peer from the arena's first block (shm/arena.h). Returns PROA_OK
 * or PROA_ERR_NO_MEM. proa_peers_stop forgets all peers. */
int proa_peers_start(struct proa_proc_ctl *ctl);
void proa_peers_stop(void);

/* Returns the hello of a peer, such as proa_self. */
struct proa_hello proa_hello_of(const struct proa_peer *peer);

/* Returns the peer that sent this hello, attached, with one more reference, which proa_peer_release
 * drops. Returns NULL, with proa_failure() and errno set, if its memory cannot be opened. */
struct proa_peer *proa_peer_attach(const struct proa_hello *hello);
void proa_peer_release(struct proa_peer *peer);

/* Return whether the peer's process has ended, as the functions of shm/process.h. */
int proa_peer_has_ended(const struct proa_peer *peer);
int proa_peer_is_nobody(const struct proa_peer *peer);

/* Returns whether the process that sent this hello has ended. Preserves errno. */
int proa_hello_has_ended(const struct proa_hello *hello);

/* The first two count the windows of this process, from before other processes know of a window
 * until it is freed. The third returns whether the peer has any. A process that ends without
 * windows has not failed. */
void proa_peer_opens_window(void);
void proa_peer_closes_window(void);
int proa_peer_has_windows(const struct proa_peer *peer);

/* Returns the same peer for a second accessor in this process, which works beside the program's
 * thread and has its own slot (rma/guard.h). Only its block may be used. Returns NULL if memory is
 * short. */
struct proa_peer *proa_peer_second(struct proa_peer *peer);

/* Finds the peer, other than ourselves, in whose arena all of [address, address + bytes) lies as
 * mapped here. Returns 1, with the peer's hello and the place in its arena, or 0. */
int proa_peer_find(const void *address, uint64_t bytes, struct proa_hello *owner, int *segment,
                   uint64_t *offset);

/* Returns the bytes that the other peers have given out of their arenas. untouched: 1 to count only
 * bytes without pages yet, which may be allocated at any time; this takes system calls for each
 * peer. */
uint64_t proa_peers_granted(int untouched);

/* Returns the peer's own address of a byte in its segment, which must be mapped here. */
static inline uint64_t proa_peer_address(const struct proa_peer *peer, int segment, uint64_t offset)
{
    return peer->ctl->segments[segment].address + offset;
}

/* Returns the address of the peer's segment here; maps it on first use. Returns NULL, with
 * proa_failure() and errno set, if that fails. */
char *proa_peer_segment(struct proa_peer *peer, int segment);

/* A peer's adopted memory (adopt/adopt.h) is mapped in blocks of this many bytes. They stay mapped
 * as long as the peer is known, so that a window on the same memory needs no new mapping. */
static const uint64_t proa_pages_block = 64ull << 20;

/* Returns the address here of a byte of the peer's adopted memory, after mapping all of its block.
 * Returns NULL, with proa_failure() and errno set, if that fails. Callable from any thread. */
char *proa_pages_map(struct proa_peer *peer, uint64_t address);

#endif
