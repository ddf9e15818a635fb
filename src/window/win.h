/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window as its own process sees it: where each target's memory is reached, and which epochs are
 * open here.
 *
 * struct proa_win is private to the process; what processes share about a window is struct
 * proa_win_ctl (shm/ctl.h). The operations (rma/op.h, rma/accumulate.c) read it, the
 * synchronization calls (sync/fence.c, sync/pscw.c, sync/passive.c) change it.
 */
#ifndef PROA_WINDOW_WIN_H
#define PROA_WINDOW_WIN_H

/* A body that is written once and compiled in several forms, by arguments that are constant.
 * Without static it is compiled for callers in other files as well. */
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
    /* memory of the window that is reached by plain load and store (`only`); NULL: there is none */
    char *fast;
    union {
        uint64_t fast_bytes; /* how much of it, if that is where the window starts; else 0 */
        uint64_t sequence;   /* of a dynamic window: of the table that `only` was read from */
    };
    int64_t disp_unit; /* bytes; large-count windows may have more than an int of them */
    uint8_t epoch;     /* window/epoch.h */
    /* 0: a dynamic window's, whose spans are looked up by address at each operation */
    uint32_t span_count;
    /* what the window consists of (window/span.h); &only where that is one */
    struct proa_span *spans;
    struct proa_span only;  /* of several: the largest that is mapped here; of a dynamic window: the
                             * span that was found last */
    uint64_t bytes;         /* size of the target's window */
    struct proa_peer *peer; /* the process, if it is on this node */
    struct proa_win_ctl *ctl; /* the target's shared words, if it is */
    /* the thread that took the lock of this target (sync/bypass.h); set only if win->threads */
    pthread_t taker;
    /* a process of another node: peer and ctl are NULL then. NULL until this process first
     * communicates with it, and so are its size and displacement unit (proa_target_know). The size
     * is a power of two: every call finds its target by it */
    struct proa_remote_process *remote;
};
_Static_assert((sizeof(struct proa_target) & (sizeof(struct proa_target) - 1)) == 0,
               "the size of a target is a power of two");

/* Is the process of another node (remote/window.h)? */
static inline int proa_is_remote(const struct proa_target *target)
{
    return !target->ctl;
}

/* Of a neighbour in a dynamic window: has it attached and detached nothing since `only` was found?
 * Accesses to that span afterwards are not done before this look. */
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

/* The rank in whose block the words stand that a window on one node has once (shm/ctl.h). */
enum { PROA_LEADER = 0 };

/* The reason why a process cannot reach a neighbour's memory; the last is mended first
 * (create/reach.c). PRIVATE: the kernel refuses access to memory that no other process maps.
 * LIMIT: a limit of its own keeps the process from mapping more. FILE: files are closed to it.
 * NETWORK, of another node: the network that was tried does not lead there. */
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

/* A wait that depends on the process of rank `from`, on all for from < 0 (sync/peer_failure.h).
 * due_ns: when it looks at its neighbours next, 0: it has just begun. */
struct proa_vigil {
    struct proa_win *win;
    int from;
    long due_ns;
};

/* Which barrier a window of one node has (sync/barrier.c): DISSEMINATION for as many processors as
 * processes, CENTRAL for fewer (an oversubscribed node). */
enum proa_barrier_kind { PROA_BARRIER_DISSEMINATION, PROA_BARRIER_CENTRAL };

/* The part of a window's group that is posted or started: ranks in the window. */
struct proa_ranks {
    int count, room;
    int *rank; /* room for so many */
};

struct proa_win {
    struct proa_target *targets; /* by rank */
    int size, rank;              /* of the window's group, and ours in it */
    /* Which epochs are open: window/epoch.h alone writes these. */
    uint8_t epoch_all; /* PROA_EPOCH_*, for every target */
    uint8_t touched;   /* PROA_TOUCH_*: the operations since the last fence or flush of any kind */
    uint8_t exposed;   /* between post and wait */
    uint8_t started;   /* between start and complete */
    int locked;        /* targets locked by MPI_Win_lock */
    int taken;         /* of a window over several nodes: those among them that were not NOCHECK */
    uint8_t lax;       /* PROA_LAX_*: wrong uses that were served (window/strict.h) */
    const struct proa_sync_ops *sync; /* how this window is synchronized (sync/sync.h) */
    uint8_t threads;                  /* several threads of this process may call at once */
    struct proa_win_ctl *ctl;         /* our own shared words */
    struct proa_win_ctl *leader; /* those of rank PROA_LEADER; of the lowest rank on this node */
    enum proa_flavor flavor;
    int contiguous; /* PROA_FLAVOR_SHARED: all memory is one block, in the leader's arena */

    struct proa_ranks started_group, exposed_group;
    struct proa_pair *pairs;             /* with our neighbours, by slot (sync/pair.h) */
    int slot, near;                      /* ours; and how many there are on this node */
    uint8_t *claims;                     /* ours, by slot (sync/claims.h) */
    enum proa_barrier_kind barrier;      /* sync/barrier.h */
    uint64_t barriers, central_barriers; /* so far: by dissemination; all others */
    uint64_t opens;                      /* fences so far that ended nothing (sync/fence.c) */
    uint8_t opening; /* the last fence was one, and targets may still be awaited */
    uint8_t adopt;   /* of attached memory: enum proa_adopt (adopt/adopt.h) */
    uint8_t direct;  /* the program may load and store in its neighbours' memory without our help */
    uint8_t unreached;  /* enum proa_unreached: while it is created */
    uint8_t agreements; /* of neighbours: while it is created */

    void *memory;                      /* what the window allocated in our arena; NULL if nothing */
    void *base;                        /* our own window: MPI_WIN_BASE */
    struct proa_attached *attached;    /* dynamic windows: the memory attached here */
    struct proa_memory_owners *owners; /* rma/memory_owner.h */
    struct proa_counters *counters;    /* sync/counters.h; NULL: their number was never set */
    /* A window over several nodes (remote/origin.h); NULL: it is not. And the remote targets with
     * operations in flight, or locked. */
    struct proa_remote_window *remote_window;
    struct proa_remote *remotes;
    /* Processes that are gone (sync/peer_failure.h): by rank, NULL: none is; 1 + the first that was
     * heard of, 0: none. We are in the last barrier: blocks of neighbours may go at any time. The
     * others have given this process up. The neighbour that is looked at next. */
    uint8_t *failed;
    uint32_t lost;
    uint8_t ending, given_up;
    uint8_t keeps_block; /* neighbours may still look at ours, although there is no window */
    int watched_next;
    struct proa_vigil tests;  /* of MPI_Win_test, which a program may call in a loop */
    uint8_t is_open;          /* it is counted among the windows of this process (shm/peer.h) */
    uint8_t counted;          /* PROA_COUNTED_*: what all processes do */
    uint8_t ruled;            /* it is watched for usage rules alone (host/handle.h) */
    uint64_t identity;        /* a number of its own, the same on all processes */
    uint32_t traced;          /* its number in this process's trace; 0: none */
    uint8_t second;           /* as it is served to others: by second accessors (shm/peer.h) */
    struct proa_pages *pages; /* rma/pages.h */
    /* elements of an accumulate that processor atomics may do (rma/guard.h) */
    uint64_t atomics_most;
    pthread_t taker; /* the thread that took the lock_all; set only if threads */
    struct proa_win *watched_before, *watched_after; /* sync/bypass.c */
    struct proa_polls polls; /* calls that a program can poll with: flush, unlock, sync */
    /* guards the epoch state against threads of this process (taken only if threads) */
    pthread_mutex_t mutex;
    void *user;    /* of the window's creator (struct proa_create_args) */
    void *counter; /* of the code that counts the window's operations (watch/record.h) */
};

/* What the observers of a window do: count the operations on it, check its use,
 * record a trace. */
enum { PROA_COUNTED_STATS = 1, PROA_COUNTED_CHECK = 2, PROA_COUNTED_TRACE = 4 };

/* How creation talks to the other processes of the window's group: given by bind, or by a unit
 * test. The calls are collective and return 0 or a negative code. */
struct proa_group {
    int size, rank;
    void *context;
    /* Gathers `bytes` bytes from each process into all, in rank order. */
    int (*allgather)(void *context, const void *mine, void *all, size_t bytes);
    /* The bits that are set in all processes' `bytes` bytes remain set (window/gather.h). */
    int (*intersect)(void *context, void *bits, size_t bytes);
    /* *value becomes the largest of all processes' values. */
    int (*max)(void *context, int *value);
    /* Copies the `bytes` bytes of process rank into every process's text. */
    int (*tell)(void *context, int rank, char *text, size_t bytes);
};

struct proa_create_args {
    enum proa_flavor flavor;
    void *base; /* PROA_FLAVOR_CREATE */
    uint64_t bytes;
    int64_t disp_unit;
    size_t align; /* of allocated memory, a power of two; 0: our choice */
    /* PROA_FLAVOR_SHARED: info alloc_shared_noncontig; heeded if all processes ask for it */
    int noncontig;
    int threads; /* several threads may call at once */
    int counted; /* PROA_COUNTED_*: what this process does */
    int adopt;   /* memory that the program brings: enum proa_adopt (adopt/adopt.h) */
    /* not 0: this process cannot, and proa_failure() says why. A negative code: creation fails on
     * every process; PROA_ELSEWHERE: Proa serves the window on none, and core need not even have
     * been started here */
    int error;
    /* Does the rest of a process's work for the window, which may fail: PROA_OK or a code. Called
     * once the process's part is ready, before the last agreement. So it is done on all processes,
     * or the window is created on none. NULL: there is no such work. */
    int (*finish)(struct proa_win *win, void *user);
    void *user; /* for finish; the window's */
};

/* An outcome of creation: Proa does not serve such a window. */
enum { PROA_ELSEWHERE = 1 };

/* Guards epoch state against other threads of this process; free of cost where there are none. */
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
