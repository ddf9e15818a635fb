/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proa's own additions for programs that want them. A program needs none of this to run on Proa;
 * link with -lproa-mpich, -lproa-openmpi or -lproa-abi, or look the functions up with dlsym to work
 * with and without Proa.
 */
#ifndef PROA_H
#define PROA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header; proa_version tells that of the library which is loaded. */
#define PROA_VERSION "0.2.0"
#define PROA_VERSION_MAJOR 0
#define PROA_VERSION_MINOR 2
#define PROA_VERSION_PATCH 0

/* The version, as PROA_VERSION. Never NULL. */
const char *proa_version(void);

/* How many windows Proa, and not the host MPI, has served in this process so far. */
unsigned long proa_windows_served(void);

/* ---- statistics ---- */

/* What an operation, or a call of synchronization, is counted as. Request forms and those with
 * large counts are the plain ones. The first PROA_STATS_OPERATIONS are operations. */
enum proa_stats_row {
    PROA_STATS_PUT,
    PROA_STATS_GET,
    PROA_STATS_ACCUMULATE,
    PROA_STATS_GET_ACCUMULATE,
    PROA_STATS_FETCH_AND_OP,
    PROA_STATS_COMPARE_AND_SWAP,
    PROA_STATS_FENCE,
    PROA_STATS_START,
    PROA_STATS_COMPLETE,
    PROA_STATS_POST,
    PROA_STATS_WAIT,
    PROA_STATS_TEST,
    PROA_STATS_LOCK,
    PROA_STATS_UNLOCK,
    PROA_STATS_LOCK_ALL,
    PROA_STATS_UNLOCK_ALL,
    PROA_STATS_FLUSH, /* all four */
    PROA_STATS_SYNC,
    PROA_STATS_WAIT_NOTIFY, /* waits for notification counters (proa_notify.h) */
    PROA_STATS_CALLS,
    PROA_STATS_OPERATIONS = PROA_STATS_FENCE
};

/* How an operation was done, and how a target is reached. */
enum proa_stats_way {
    PROA_STATS_PLAIN,   /* load and store, in the fast path */
    PROA_STATS_GENERAL, /* load and store; a derived type, many elements, a first operation */
    PROA_STATS_KERNEL,  /* process_vm_readv and writev: a system call */
    PROA_STATS_NETWORK, /* another node */
    PROA_STATS_REGIONS, /* of targets only: a dynamic window's, region by region */
    PROA_STATS_WAYS = PROA_STATS_REGIONS
};

/* What this process has done on a window since it was made. */
struct proa_stats {
    struct {
        unsigned long long count, bytes;
    } operations[PROA_STATS_OPERATIONS][PROA_STATS_WAYS];
    struct proa_stats_call {
        unsigned long long count;
        unsigned long long waits;     /* how often one had to wait; of locks: were contended */
        unsigned long long waited_ns; /* in all */
    } calls[PROA_STATS_CALLS];
    unsigned long long targets[PROA_STATS_REGIONS + 1]; /* ranks that are reached so */
    unsigned long long window_bytes;                    /* of this process's own part */
    unsigned long long messages;                        /* sent to other nodes */
    unsigned long long notified;                        /* operations that were notified ones */
};

/* The numbers of a window, given by the address of its MPI_Win, into *stats, of `size` bytes
 * (sizeof *stats). 0; -1, and nothing is written: it is no window of Proa's or is being freed,
 * nothing is counted (PROA_STATS is not set), or the size is not that of this version's struct. */
int proa_stats_get(const void *win, struct proa_stats *stats, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
