/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All words that processes share, with their writers and meanings.
 *
 * Two kinds of blocks, both in the arena of the process that owns them, mapped by every process of
 * the node that needs them:
 *   struct proa_proc_ctl   one per process, at offset 0 of its first segment
 *   struct proa_win_ctl    one per window and process
 * Rules: counters only grow, are never reset, and are compared with >=. Each word has one writer or
 * one kind of atomic operation. Writers do not share cache lines. "ring X" after a store means
 * proa_doorbell_ring on that doorbell, so that sleepers check again.
 */
#ifndef PROA_SHM_CTL_H
#define PROA_SHM_CTL_H

#include "base/line.h"
#include "base/wait.h"

#include <sched.h>
#include <stdint.h>

enum {
    /* each twice the previous one unless a limit forbids it: more than an address space holds */
    PROA_SEGMENTS = 48,
    /* accessors of one process that may use processor atomics; one more makes it use stripes */
    PROA_SLOTS = 256,
    PROA_STRIPES = 1024,
    /* consecutive bytes guarded by one stripe; a multiple of every element's size except pairs with
     * long double */
    PROA_STRIPE_BYTES = 4096,
    PROA_WIDE = 4, /* stripes that a wide lock covers */
    PROA_WIDE_LOCKS = PROA_STRIPES / PROA_WIDE,
    PROA_BARRIER_ROUNDS = 32
};

/* One piece of a process's arena. The owner writes it before it stores bytes (release), which is
 * then constant. */
struct proa_segment_ctl {
    uint64_t bytes; /* 0 if the segment does not exist (yet) */
    /* address of the owner's mapping: keys of objects in it count from there (window/span.h) */
    uint64_t address;
    /* of the memfd; they distinguish it from a file that the program may have put in its place */
    uint64_t device, inode;
    int32_t fd; /* the memfd, in the owner's table of files: /proc/PID/fd/FD */
    int32_t unused;
};

/* A lock over some bytes of the owner's memory, for accumulates (rma/guard.c). */
struct proa_stripe {
    /* 0 or 1; taken and released by any process of the node */
    uint32_t held PROA_ALIGNED_LINE;
};

/* The mark of an accessor that works on the owner's memory with processor atomics (rma/guard.c). */
struct proa_slot {
    /* written only by the accessor that has the slot */
    uint32_t busy PROA_ALIGNED_LINE;
};

#define PROA_CTL_MAGIC 0x70726f612d303100ull

struct proa_proc_ctl {
    /* Constant once the process has sent its hello (shm/peer.h). */
    uint64_t magic;
    uint64_t id; /* random; distinguishes a process from a later one with the same pid */
    int32_t pid;
    int32_t light_fences; /* 1 if membarrier works for this process (base/membar.h) */
    cpu_set_t processors; /* the processors that it may run on */

    /* the owner sleeps here for fence, post and complete */
    struct proa_doorbell bell PROA_ALIGNED_LINE;

    /* Accumulates. stripes_only: changes once from 0, when the first accessor needs stripes, such
     * as for a bulk accumulate; see rma/guard.c. */
    uint32_t stripes_only PROA_ALIGNED_LINE;
    uint32_t slots_given; /* number of accessors that requested a slot; may exceed PROA_SLOTS */
    struct proa_doorbell stripe_doorbell PROA_ALIGNED_LINE;

    struct proa_segment_ctl segments[PROA_SEGMENTS] PROA_ALIGNED_LINE;
    /* Not 0 if a process has waited for a stripe (contention): the number of further pieces of long
     * accumulates that stay short (rma/guard.c). */
    uint32_t contended;
    /* bytes of the segments that the owner has given out or keeps for the next request: at least
     * those that have pages (shm/arena.c) */
    uint64_t granted;
    /* windows of the owner that are not freed yet, or are being created (shm/peer.h) */
    uint32_t windows;
    struct proa_segment_ctl adopted; /* the file that adopted pages are in (adopt/adopt.h) */
    struct proa_slot slots[PROA_SLOTS];
    struct proa_stripe stripes[PROA_STRIPES];
    struct proa_stripe wide[PROA_WIDE_LOCKS]; /* each covers PROA_WIDE of stripes[] */
};

/* A lock of one process's part of a window (sync/rwlock.h). */
struct proa_rwlock {
    /* PROA_RW_HELD by a writer | PROA_RW_WANTED by the queue's head | readers * PROA_RW_READER |
     * PROA_RW_BROKEN: a process that may have held it has died (sync/claims.h). From then on the
     * word does not show the holders, but takes and releases stay balanced in it */
    uint32_t state;
    uint32_t tickets; /* drawn */
    uint32_t serving; /* the ticket at the head of the queue */
    /* number of waiters outside the queue (sync/lock.c); each waiter counts itself, holders of the
     * lock read it */
    uint32_t outside;
    struct proa_doorbell bell; /* rung whenever the lock is released */
};

/* Counts of lock_all and of waiters outside a lock's queue, for the whole window, in the block of
 * the leader, rank PROA_LEADER (sync/lock.c). */
struct proa_all_ctl {
    /* origins that hold or try to acquire a lock_all */
    uint32_t active PROA_ALIGNED_LINE;
    /* all lock_alls, and shared locks of processes that hold others, that ever had to wait */
    uint32_t asked;
    uint32_t granted;                            /* number of these that were ever granted */
    uint32_t waiting_alls;                       /* lock_alls among those not granted yet */
    struct proa_doorbell bell PROA_ALIGNED_LINE; /* rung when active falls, when granted rises */
};

/* The words that one peer alone writes into this process's block for a window. */
struct proa_from_ctl {
    /* exposure epochs that the peer has posted to us, times 2, plus 1 if we are its only origin */
    uint64_t posted PROA_ALIGNED_LINE;
    /* access epochs that the peer, as origin, has completed on us */
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

/* The place of a contiguous shared window's memory. The leader writes it before the window exists
 * for the others. */
struct proa_shared_ctl {
    uint64_t offset;
    uint32_t segment;
};

/* A notification counter (sync/counters.h). Any process of the node increments it; the owner resets
 * it. */
struct proa_counter {
    uint64_t value PROA_ALIGNED_LINE;
};

/* The place of the owner's counters. The owner writes it before a barrier (sync/counters.c). */
struct proa_counters_ctl {
    uint64_t offset; /* of the first in the owner's segment number `segment` */
    uint32_t segment;
    uint32_t count;
};

/* The dissemination barrier: the partner of round k stores the number of its barrier. These words
 * lie before the block, one for each round, the first one next to the block. */
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
    /* Fences of this process that ended no epoch (sync/fence.c). */
    uint64_t opened PROA_ALIGNED_LINE;
    /* rung when passed, opened or agreed changes; over several nodes, when arrived changes */
    struct proa_doorbell barrier_doorbell;
    /* In the leader's block of a window over several nodes: 1 + the rank of the first failed
     * process that a process of this node has detected or been notified of (sync/peer_failure.c); 0
     * if none. While the window is created: in the owner's block, as the owner has found. */
    uint32_t lost;
    /* In the leader's block: 1 + the slot of the process that now changes claims after the death of
     * a neighbour; 0 if none does (sync/claims.h). */
    uint32_t turn;
    /* The owner's place among its node's processes, by rank in the window's group. Constant. */
    uint32_t slot;
    /* Operations of neighbours on the owner's memory through the kernel; a long one counts as
     * several (adopt/policy.h). */
    uint64_t through_kernel;
    /* The owner's part of a union of bits (sync/barrier.c), written by it before a barrier. */
    uint32_t united;
    /* The owner's result of creation, at each agreement of neighbours (create/agree.c). */
    uint64_t agreed;
    /* The owner's claims (sync/claims.h). claims_all: it holds or tries to acquire a lock_all.
     * served: number of locks of each kind that it holds on its own lock for origins on other
     * nodes. The claims on the locks of other processes, by slot, follow from[]. */
    uint32_t claims_all;
    uint32_t served[3]; /* by PROA_CLAIM_* */

    struct proa_from_ctl from[]; /* by slot */
};

#endif
