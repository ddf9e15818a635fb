/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every word that processes share, its writers and its meaning.
 *
 * Two kinds of blocks, both in the arena of the process that owns them, mapped by every process of
 * the node that needs them:
 *   struct proa_proc_ctl   one per process, at offset 0 of its first segment
 *   struct proa_win_ctl    one per window and process
 * Rules: counters only grow and are compared for having been reached, never reset; each word has
 * one writer, or one kind of atomic; writers do not share cache lines. "ring X" after a store
 * means: proa_doorbell_ring on that doorbell, so that sleepers look again.
 */
#ifndef PROA_SHM_CTL_H
#define PROA_SHM_CTL_H

#include "base/line.h"
#include "base/wait.h"

#include <sched.h>
#include <stdint.h>

enum {
    /* each twice the one before, where no limit forbids it: more than an address space holds */
    PROA_SEGMENTS = 48,
    /* accessors of one process that may use processor atomics; the next one makes it use stripes */
    PROA_SLOTS = 256,
    PROA_STRIPES = 1024,
    /* consecutive bytes guarded by one stripe; a multiple of every element's size but long double's
     * pairs */
    PROA_STRIPE_BYTES = 4096,
    PROA_WIDE = 4, /* stripes that a wide lock is over */
    PROA_WIDE_LOCKS = PROA_STRIPES / PROA_WIDE,
    PROA_BARRIER_ROUNDS = 32
};

/* One piece of a process's arena. Written by the owner before bytes is stored (release); bytes is
 * then constant. */
struct proa_segment_ctl {
    uint64_t bytes; /* 0: not there (yet) */
    /* where the owner has mapped it: keys of what lies in it are from there on (window/span.h) */
    uint64_t address;
    /* of the memfd: tell it from another file that the program may have put in its place */
    uint64_t device, inode;
    int32_t fd; /* the memfd, in the owner's table of files: /proc/PID/fd/FD */
    int32_t unused;
};

/* A lock over some bytes of the owner's memory, for accumulates (rma/guard.c). */
struct proa_stripe {
    /* 0 or 1; taken and released by any process of the node */
    uint32_t held PROA_ALIGNED_LINE;
};

/* The mark that an accessor makes while it works on the owner's memory with processor atomics
 * (rma/guard.c). */
struct proa_slot {
    /* written by the one accessor that was given the slot */
    uint32_t busy PROA_ALIGNED_LINE;
};

#define PROA_CTL_MAGIC 0x70726f612d303100ull

struct proa_proc_ctl {
    /* Constant once the process has said hello. */
    uint64_t magic;
    uint64_t id; /* random: tells a process from a later one with the same pid */
    int32_t pid;
    int32_t light_fences; /* 1: membarrier works for this process (base/membar.h) */
    cpu_set_t processors; /* where it may run */

    /* the owner sleeps here for fence, post and complete */
    struct proa_doorbell bell PROA_ALIGNED_LINE;

    /* Accumulates. stripes_only: leaves 0 once, when the first accessor needs stripes, such as for
     * a bulk accumulate; see rma/guard.c. */
    uint32_t stripes_only PROA_ALIGNED_LINE;
    uint32_t slots_given; /* how many of slots[] have an accessor; may exceed PROA_SLOTS */
    struct proa_doorbell stripe_doorbell PROA_ALIGNED_LINE;

    struct proa_segment_ctl segments[PROA_SEGMENTS] PROA_ALIGNED_LINE;
    /* Not 0: a process has waited for a stripe (contention). The number is that of further pieces
     * of long accumulates that stay short (rma/guard.c). */
    uint32_t contended;
    /* bytes of the segments that the owner has given out, or keeps for the next request: at least
     * those that have pages; some have none yet (shm/arena.c) */
    uint64_t granted;
    /* windows of the owner that are not freed yet, or are being created (shm/peer.h) */
    uint32_t windows;
    struct proa_segment_ctl adopted; /* the file that adopted pages are in (adopt/adopt.h) */
    struct proa_slot slots[PROA_SLOTS];
    struct proa_stripe stripes[PROA_STRIPES];
    struct proa_stripe wide[PROA_WIDE_LOCKS]; /* each over as many of stripes[] */
};

/* A lock of one process's part of a window (sync/rwlock.h). */
struct proa_rwlock {
    /* PROA_RW_HELD by a writer | PROA_RW_WANTED by the queue's head | readers * PROA_RW_READER |
     * PROA_RW_BROKEN: a process has died that may have had it (sync/claims.h). The word does not
     * tell the holders from then on, but takes and releases keep their balance in it */
    uint32_t state;
    uint32_t tickets; /* drawn */
    uint32_t serving; /* the ticket at the head of the queue */
    /* waiters outside of the queue (sync/lock.c): each waiter counts itself, holders of the lock
     * read the number */
    uint32_t outside;
    struct proa_doorbell bell; /* rung whenever the lock is released */
};

/* lock_all, and the waiters outside of a lock's queue, counted for the whole window in the leader's
 * block, rank PROA_LEADER (sync/lock.c). */
struct proa_all_ctl {
    /* origins that hold, or are just trying for, a lock_all */
    uint32_t active PROA_ALIGNED_LINE;
    /* lock_alls, and shared locks of processes that hold others, that had to wait, ever */
    uint32_t asked;
    uint32_t granted;                            /* of these, how many have got it, ever */
    uint32_t waiting_alls;                       /* lock_alls among those not granted yet */
    struct proa_doorbell bell PROA_ALIGNED_LINE; /* rung when active falls, when granted rises */
};

/* The words that one peer alone writes into this process's block for a window. */
struct proa_from_ctl {
    /* exposure epochs the peer has posted to us, times 2, plus 1 if we are its only origin */
    uint64_t posted PROA_ALIGNED_LINE;
    /* access epochs that the peer, as origin, has completed towards us */
    uint64_t completed;
};

/* Attached regions of a dynamic window (rma/regions.c): a sorted array that readers copy from
 * under a sequence count. */
struct proa_regions_ctl {
    uint64_t sequence PROA_ALIGNED_LINE; /* odd while the owner changes the table */
    uint64_t count;
    uint64_t offset; /* of the array in the owner's segment number `segment` */
    uint32_t segment;
};

/* Where the leader has put the memory of a contiguous shared window; written by it before the
 * window exists for the others. */
struct proa_shared_ctl {
    uint64_t offset;
    uint32_t segment;
};

/* A notification counter (sync/counters.h). Any process of the node counts it up; the owner resets
 * it. */
struct proa_counter {
    uint64_t value PROA_ALIGNED_LINE;
};

/* Where the owner has put its counters. Written by it before a barrier (sync/counters.c). */
struct proa_counters_ctl {
    uint64_t offset; /* of the first in the owner's segment number `segment` */
    uint32_t segment;
    uint32_t count;
};

/* The dissemination barrier: round k's partner stores the number of the barrier it is in. They
 * stand before the block, as many as the window has rounds, the first one next to it. */
struct proa_round_ctl {
    uint64_t reached PROA_ALIGNED_LINE;
};

struct proa_win_ctl {
    struct proa_rwlock lock PROA_ALIGNED_LINE; /* MPI_Win_lock on this process */
    struct proa_all_ctl all;
    struct proa_regions_ctl regions;
    struct proa_shared_ctl shared;
    struct proa_counters_ctl counters;

    /* The barrier of an oversubscribed node (sync/barrier.c), in the leader's block. All
     * processes write `arrived`; the last one to arrive writes `passed`. Over several nodes: all
     * but the leader write `arrived`, the leader writes `passed`. */
    uint64_t arrived PROA_ALIGNED_LINE;
    uint64_t passed PROA_ALIGNED_LINE;
    /* Fences of this process that ended nothing (sync/fence.c). */
    uint64_t opened PROA_ALIGNED_LINE;
    /* rung when passed, opened or agreed has changed; over several nodes, when arrived has */
    struct proa_doorbell barrier_doorbell;
    /* In the leader's block, of a window over several nodes: 1 + the rank of the first process that
     * one of this node has found to be gone, or was told is (sync/peer_failure.c); 0: none is.
     * While the window is created, in the owner's: that the owner has. */
    uint32_t lost;
    /* In the leader's block: 1 + the slot of the process that changes claims now, after a neighbour
     * has died; 0: none does (sync/claims.h). */
    uint32_t turn;
    /* The owner's place among its node's processes, by rank in the window's group. Constant. */
    uint32_t slot;
    /* Operations of neighbours that came to the owner's memory through the kernel, a long one as
     * several (adopt/policy.h). */
    uint64_t through_kernel;
    /* What the owner brings to a union of bits (sync/barrier.c), written by it before a barrier. */
    uint32_t united;
    /* How creation went for the owner, at each agreement of neighbours (create/agree.c). */
    uint64_t agreed;
    /* The owner's claims (sync/claims.h): it has, or tries for, a lock_all; and, on its own lock,
     * so many locks of each kind for origins on other nodes. Behind from[]: by slot, that lock. */
    uint32_t claims_all;
    uint32_t served[3]; /* by PROA_CLAIM_* */

    struct proa_from_ctl from[]; /* by slot */
};

#endif
