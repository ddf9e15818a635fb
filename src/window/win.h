/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window in its own process: the ways to each target's memory, and the open epochs.
 *
 * struct proa_win is private to the process; struct proa_win_ctl (shm/ctl.h) is the state that
 * processes share. The operations (rma/op.h, rma/accumulate.c) read it, the synchronization calls
 * (sync/fence.c, sync/pscw.c, sync/passive.c) change it.
 */
#ifndef PROA_WINDOW_WIN_H
#define PROA_WINDOW_WIN_H

/* A body that is written once and compiled in several forms, by arguments that are constant.
 * Without static it is also compiled for callers in other files. */
#define PROA_FORM inline __attribute__((always_inline))
#define PROA_FORMS static PROA_FORM

/* The return address of an MPI call, in its slow form or one without another (bind/form.h): the
 * forms before the slow one jump to it. A build without optimisation calls it. */
#if defined PROA_SLOW && !defined __OPTIMIZE__
#pragma GCC diagnostic ignored "-Wframe-address" /* all frames are this library's */
#ifdef PROA_HAS_RULED_FORM
#define PROA_CALLER __builtin_return_address(2)
#else
#define PROA_CALLER __builtin_return_address(1)
#endif
#else
#define PROA_CALLER __builtin_return_address(0)
#endif

#include "base/atomic.h"
#include "base/poll.h"
#include "shm/peer.h"
#include "window/span.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct proa_target {
    /* memory of the window for plain loads and stores (`only`); NULL if there is none */
    char *fast;
    union {
        uint64_t fast_bytes; /* its size, if the window starts there; else 0 */
        uint64_t sequence;   /* of a dynamic window: sequence of the table that `only` was read
                              * from */
    };
    int64_t disp_unit; /* in bytes; may exceed an int in large-count windows */
    uint8_t epoch;     /* window/epoch.h */
    /* 0 in a dynamic window, whose spans are found by address at each operation */
    uint32_t span_count;
    /* the pieces of the window (window/span.h); &only if there is one */
    struct proa_span *spans;
    struct proa_span only;    /* of several: the largest mapped here; of a dynamic window: the last
                               * span found */
    uint64_t bytes;           /* size of the target's window */
    struct proa_peer *peer;   /* the process, if on this node */
    struct proa_win_ctl *ctl; /* the target's shared words, if on this node */
    /* the thread that acquired the lock of this target (sync/bypass.h); set only if win->threads */
    pthread_t taker;
    /* a process of another node; peer and ctl are NULL then. Before the first communication with
     * it, it is NULL, and its size and displacement unit are unset (proa_target_know). The
     * structure's size is a power of two, as every call computes its target's address from it */
    struct proa_remote_process *remote;
};
_Static_assert((sizeof(struct proa_target) & (sizeof(struct proa_target) - 1)) == 0,
               "the size of a target is a power of two");

/* Returns whether the process is on another node (remote/window.h). */
static inline int proa_is_remote(const struct proa_target *target)
{
    return !target->ctl;
}

/* For a neighbour in a dynamic window: returns whether it has attached and detached no region since
 * `only` was found. Later accesses to that span are ordered after this load. */
static inline int proa_regions_are_unchanged(const struct proa_target *target)
{
    return target->sequence == proa_atomic_load(&target->ctl->regions.sequence, PROA_ACQUIRE);
}

enum proa_flavor {
    PROA_FLAVOR_CREATE,
    PROA_FLAVOR_ALLOCATE,
    PROA_FLAVOR_DYNAMIC,
    PROA_FLAVOR_SHARED
};

/* The rank whose block holds the words that a window on one node has once (shm/ctl.h). */
enum { PROA_LEADER = 0 };

/* The reason why a process cannot reach a neighbour's memory; the last one is solved first
 * (create/reach.c). PRIVATE: the kernel refuses access to memory that no other process maps. LIMIT:
 * a limit of the process prevents further mappings. FILE: the process cannot open files. NETWORK,
 * for another node: the network that was tried does not reach it. */
enum proa_unreached {
    PROA_REACHED,
    PROA_UNREACHED_PRIVATE,
    PROA_UNREACHED_LIMIT,
    PROA_UNREACHED_FILE,
    PROA_UNREACHED_NETWORK
};

struct proa_attached;
struct proa_counters;
struct proa_memory_owners;
struct proa_pages;
struct proa_pair;
struct proa_remote;
struct proa_remote_window;
struct proa_sync_ops;
struct proa_win;

/* A wait that depends on the process of rank `from`, or on all if from < 0 (sync/peer_failure.h).
 * due_ns: time of the next check of its neighbours; 0 at the start. */
struct proa_vigil {
    struct proa_win *win;
    int from;
    long due_ns;
};

/* The barrier of a window of one node (sync/barrier.c): DISSEMINATION, or CENTRAL on an
 * oversubscribed node. */
enum proa_barrier_kind { PROA_BARRIER_DISSEMINATION, PROA_BARRIER_CENTRAL };

/* The ranks in a window that are posted or started. */
struct proa_ranks {
    int count, room;
    int *rank; /* has room for `room` ranks */
};

struct proa_win {
    struct proa_target *targets; /* by rank */
    int size, rank;              /* of the window's group, and ours in it */
    /* The open epochs; only window/epoch.h writes these. */
    uint8_t epoch_all; /* PROA_EPOCH_*, for all targets */
    uint8_t touched;   /* PROA_TOUCH_*: the operations since the last fence or flush of any kind */
    uint8_t exposed;   /* between post and wait */
    uint8_t started;   /* between start and complete */
    int locked;        /* targets locked by MPI_Win_lock */
    int taken;         /* of a window over several nodes: those of them without NOCHECK */
    uint8_t lax;       /* PROA_LAX_*: wrong uses that were served (window/strict.h) */
    const struct proa_sync_ops *sync; /* the synchronization of this window (sync/sync.h) */
    uint8_t threads;                  /* several threads of this process may call at once */
    struct proa_win_ctl *ctl;         /* our own shared words */
    struct proa_win_ctl *leader; /* those of rank PROA_LEADER; of the lowest rank on this node */
    enum proa_flavor flavor;
    int contiguous; /* PROA_FLAVOR_SHARED: 1 if all memory is one block in the leader's arena */

    struct proa_ranks started_group, exposed_group;
    struct proa_pair *pairs;             /* with our neighbours, by slot (sync/pair.h) */
    int slot, near;                      /* our slot, and the number of processes on this node */
    uint8_t *claims;                     /* ours, by slot (sync/claims.h) */
    enum proa_barrier_kind barrier;      /* sync/barrier.h */
    uint64_t barriers, central_barriers; /* number so far: by dissemination; all others */
    uint64_t opens;                      /* fences so far that ended no epoch (sync/fence.c) */
    uint8_t opening;    /* the last fence was such a fence, and targets may still be awaited */
    uint8_t adopt;      /* of attached memory: enum proa_adopt (adopt/adopt.h) */
    uint8_t direct;     /* the program may load and store in its neighbours' memory without our
                         * calls */
    uint8_t unreached;  /* enum proa_unreached; used during creation */
    uint8_t agreements; /* agreements of neighbours; used during creation */

    void *memory;                      /* the window's memory from our arena; NULL if none */
    void *base;                        /* our own window: MPI_WIN_BASE */
    struct proa_attached *attached;    /* dynamic windows: the memory attached here */
    struct proa_memory_owners *owners; /* rma/memory_owner.h */
    struct proa_counters *counters;    /* sync/counters.h; NULL if their number was never set */
    /* For a window over several nodes (remote/origin.h), else NULL. remotes: the remote targets
     * with operations in flight, or locked. */
    struct proa_remote_window *remote_window;
    struct proa_remote *remotes;
    /* Failed processes (sync/peer_failure.h). failed: by rank; NULL if none. lost: 1 + the rank of
     * the first known; 0 if none. ending: we are in the last barrier, and blocks of neighbours may
     * be freed at any time. given_up: the others have given this process up. watched_next: the
     * neighbour to check next. */
    uint8_t *failed;
    uint32_t lost;
    uint8_t ending, given_up;
    uint8_t keeps_block; /* neighbours may still read our block, although the window is freed */
    int watched_next;
    struct proa_vigil tests;  /* of MPI_Win_test, which a program may call in a loop */
    uint8_t is_open;          /* it counts as a window of this process (shm/peer.h) */
    uint8_t counted;          /* PROA_COUNTED_*, common to all processes */
    uint8_t ruled;            /* watched for usage rules alone (host/handle.h) */
    uint64_t identity;        /* a unique number, the same on all processes */
    uint32_t traced;          /* its number in this process's trace; 0 if none */
    uint8_t second;           /* 1 for the window as served to others, by second accessors
                               * (shm/peer.h) */
    struct proa_pages *pages; /* rma/pages.h */
    /* elements of an accumulate that processor atomics may do (rma/guard.h) */
    uint64_t atomics_most;
    pthread_t taker; /* the thread that acquired the lock_all; set only if threads */
    struct proa_win *watched_before, *watched_after; /* sync/bypass.c */
    struct proa_polls polls;                         /* polling calls: flush, unlock, sync */
    /* guards the epoch state against threads of this process (taken only if threads) */
    pthread_mutex_t mutex;
    void *user;    /* data of the window's creator (struct proa_create_args) */
    void *counter; /* data of the code that counts the window's operations (watch/record.h) */
};

/* The tasks of a window's observers: count its operations, check its use, record a trace. */
enum { PROA_COUNTED_STATS = 1, PROA_COUNTED_CHECK = 2, PROA_COUNTED_TRACE = 4 };

/* Functions by which creation communicates with the other processes of the window's group, provided
 * by bind or by a unit test. The calls are collective and return 0 or a negative code. */
struct proa_group {
    int size, rank;
    void *context;
    /* Gathers `bytes` bytes from each process into all, in rank order. */
    int (*allgather)(void *context, const void *mine, void *all, size_t bytes);
    /* Clears the bits that are not set in all processes' `bytes` bytes (window/gather.h). */
    int (*intersect)(void *context, void *bits, size_t bytes);
    /* Sets *value to the largest of all processes' values. */
    int (*max)(void *context, int *value);
    /* Copies the `bytes` bytes of process rank into every process's text. */
    int (*tell)(void *context, int rank, char *text, size_t bytes);
};

struct proa_create_args {
    enum proa_flavor flavor;
    void *base; /* PROA_FLAVOR_CREATE */
    uint64_t bytes;
    int64_t disp_unit;
    size_t align; /* alignment of allocated memory, a power of two; 0 for our choice */
    /* PROA_FLAVOR_SHARED: info alloc_shared_noncontig, used if all processes set it */
    int noncontig;
    int threads; /* several threads may call at once */
    int counted; /* PROA_COUNTED_*, of this process */
    int adopt;   /* enum proa_adopt, for memory provided by the program (adopt/adopt.h) */
    /* not 0 if this process cannot create it; proa_failure() has the reason. With a negative code
     * creation fails on every process. With PROA_ELSEWHERE Proa serves the window on none, and core
     * need not be started here */
    int error;
    /* Does the rest of a process's work for the window. Returns PROA_OK or a code; NULL if there is
     * no such work. Called once the process's part is ready, before the last agreement. So it is
     * done on all processes, or the window is created on none. */
    int (*finish)(struct proa_win *win, void *user);
    void *user; /* argument for finish; copied to the window */
};

/* A result of creation: Proa does not serve such a window. */
enum { PROA_ELSEWHERE = 1 };

/* Guards epoch state against other threads of this process; takes no lock if there are none. */
static inline void proa_win_enter(struct proa_win *win)
{
    if (win->threads)
        pthread_mutex_lock(&win->mutex);
}

static inline void proa_win_leave(struct proa_win *win)
{
    if (win->threads)
        pthread_mutex_unlock(&win->mutex);
}

#endif
