/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usage rules of a window that are not errors at once: its state in this process. Calls report
 * their start and end. The watchdog's thread reads the state as well.
 */
#ifndef PROA_USAGE_RULES_H
#define PROA_USAGE_RULES_H

#include "base/calls.h"
#include "base/hidden.h"
#include "findings/finding.h"
#include "usage/fences.h"
#include "hang/members.h"
#include "hang/thread_calls.h"
#include "host/handle.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

/* State towards one rank: counts of calls so far, and flags for open epochs. The watchdog's thread
 * reads these. Then the assertions of the last 64 posts, one bit each; bit 0 is the last post. */
struct proa_rules_peer {
    uint64_t posts, starts;
    uint8_t exposed, started;
    uint64_t noput, nocheck;
};

/* Memory that is attached to a dynamic window. */
struct proa_rules_region {
    const char *base;
    uint64_t bytes;
    struct proa_rules_region *next;
};

/* The epoch of an operation, as its target may know it: the number of its fence or start, in that
 * many bits, and these flags. 0 for an epoch of another kind. */
enum {
    PROA_SERIAL_NUMBER = 0xfff,
    PROA_SERIAL_FENCE = 0x1000,
    PROA_SERIAL_START = 0x2000,
    PROA_SERIAL_NOCHECK = 0x4000 /* of the start */
};

/* An operation of any process on the memory of this one. */
struct proa_rules_arrival {
    int process; /* in MPI_COMM_WORLD */
    uint16_t serial;
    int updates;
    struct proa_finding_call call;
};

struct proa_rules {
    struct proa_win *win;
    struct proa_members *members; /* members of its group */
    uint64_t id;                  /* equal in all processes */
    enum proa_call created;
    const void *creator;           /* return address of the call that created the window */
    struct proa_rules_peer *peers; /* by rank */
    struct proa_fences fences;
    uint64_t fenced, noput;           /* fences so far; which of the last 64 have MPI_MODE_NOPUT */
    const void *noput_fence, *poster; /* the last such fence, and the last post */
    int started_unchecked;            /* the last start has MPI_MODE_NOCHECK */
    const void *stored; /* place of a store to the window since the last synchronization, or NULL */
    const void *informer; /* return address of the last MPI_Win_set_info, or NULL */
    struct proa_rules_region *regions;
    int ops;            /* assertion on accumulates: enum proa_rules_ops */
    int assert;         /* assertions of the current call */
    const void *caller; /* its return address */
    struct proa_rules *before, *after;
};

/* Returns the record of a window that the call created. Returns NULL if there is none, as without
 * check mode. */
struct proa_rules *proa_rules_new(struct proa_win *win, enum proa_call call, const void *caller);

/* Frees the record. NULL is a no-op. */
void proa_rules_drop(struct proa_rules *rules);

/* Returns true if the rules track this call. Operations and flushes do not change their state. */
static inline int proa_rules_follow(enum proa_call call)
{
    return (call >= PROA_CALL_Win_fence && call <= PROA_CALL_Win_unlock_all) ||
           call == PROA_CALL_Win_sync;
}

/* A tracked call starts, and returns. Arguments as of the next two functions. */
void proa_rules_begin(struct proa_rules *rules, enum proa_call call, int assert,
                      const void *caller);
void proa_rules_over(struct proa_rules *rules, enum proa_call call, int rank, int code);

/* A call on the window starts. rank: target, or -1. assert: assertions in MPI's bits, 0 for calls
 * without. caller: return address of the call. */
static inline void proa_rules_enter(struct proa_rules *rules, enum proa_call call, int rank,
                                    int assert, const void *caller)
{
    if (proa_rules_follow(call))
        proa_rules_begin(rules, call, assert, caller);
    if (proa_thread_calls_on)
        proa_thread_calls_enter_window(call, rank, caller, rules);
}

/* The call returned. rank: as above. code: result of the core. */
static inline void proa_rules_leave(struct proa_rules *rules, enum proa_call call, int rank,
                                    int code)
{
    if (proa_rules_follow(call))
        proa_rules_over(rules, call, rank, code);
    if (proa_thread_calls_on)
        proa_thread_calls_leave();
}

/* MPI_Win_set_info changed the hints. NULL is a no-op. */
void proa_rules_inform(struct proa_rules *rules, const void *caller);

/* Memory was attached to a dynamic window, or is detached. NULL is a no-op. */
void proa_rules_attach(struct proa_rules *rules, const void *base, uint64_t bytes);
void proa_rules_detach(struct proa_rules *rules, const void *base);

/* An operation on this rank starts. epoch: PROA_EPOCH_*. Returns its serial, PROA_SERIAL_*. */
uint16_t proa_rules_serial(const struct proa_rules *rules, int rank, unsigned epoch);

/* The program's assertion on the window's accumulates: the same op at a time, or one op and
 * MPI_NO_OP. The default is the latter, but both hosts and Proa allow all ops, and examples of the
 * standard rely on it. */
enum proa_rules_ops { PROA_OPS_ANY, PROA_OPS_SAME_OR_NONE, PROA_OPS_SAME };

/* Returns a number for the op of accumulates that must not be mixed with another op. Returns 0 if
 * they may be mixed. */
uint8_t proa_rules_op(const struct proa_rules *rules, MPI_Op op);

/* True if a window of this process has assertions on incoming operations. */
extern PROA_HIDDEN int proa_rules_asserting;

/* Returns true if the assertions permit this operation, and reports it if not. The call must be
 * filled in by then. */
int proa_rules_permit(const struct proa_rules *rules, const struct proa_rules_arrival *arrival);
void proa_rules_arrived(const struct proa_rules *rules, const struct proa_rules_arrival *arrival);

/* The program stored to the window's memory. place: place of the store. NULL is a no-op. */
void proa_rules_stored(struct proa_rules *rules, const void *place);

/* MPI_Win_free starts: compares the values that must be equal in all processes. Collective: all
 * processes have check mode, and some may have no rules. */
void proa_rules_compare(struct proa_win *win, const struct proa_rules *rules);

/* MPI_Win_free: all processes called it. caller: return address. frame: stack frame of the
 * caller. */
void proa_rules_free(struct proa_rules *rules, const void *caller, const void *frame);

/* MPI_Alloc_mem returned memory, and memory is about to be freed. */
void proa_rules_memory_comes(const void *base, uint64_t bytes);
void proa_rules_memory_goes(const void *base, const void *caller);

/* Called when MPI ends: reports windows that are left. */
void proa_rules_tell_leaks(void);

/* While locked, no window is created, freed or examined. */
void proa_rules_lock(void);
void proa_rules_unlock(void);

/* Calls `look` for each window. No window is created or freed meanwhile. */
void proa_rules_each(void (*look)(const struct proa_rules *rules, void *arg), void *arg);

#endif
