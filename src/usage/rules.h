/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usage rules of a window, as far as they are not errors at once: its state in this process.
 * Calls tell their beginning and their end. The watchdog's thread reads the state as well.
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

/* Towards one rank: counts of calls so far, and whether the last ones are open. The watchdog's
 * thread reads these. Then the assertions of the last 64 posts, a bit each; the last one is bit 0.
 */
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

/* The epoch of an operation, as its target may know it: the number of its fence or its start, in
 * that many bits, and these flags. 0: it is of another one. */
enum {
    PROA_SERIAL_NUMBER = 0xfff,
    PROA_SERIAL_FENCE = 0x1000,
    PROA_SERIAL_START = 0x2000,
    PROA_SERIAL_NOCHECK = 0x4000 /* of the start */
};

/* An operation by another process, or this one, on the memory of this one. */
struct proa_rules_arrival {
    int process; /* in MPI_COMM_WORLD */
    uint16_t serial;
    int updates;
    struct proa_finding_call call;
};

struct proa_rules {
    struct proa_win *win;
    struct proa_members *members; /* of its group */
    uint64_t id;                  /* the same in all processes */
    enum proa_call created;
    const void *creator;           /* the return address of that call */
    struct proa_rules_peer *peers; /* by rank */
    struct proa_fences fences;
    uint64_t fenced, noput;           /* fences so far; which of the last 64 have MPI_MODE_NOPUT */
    const void *noput_fence, *poster; /* the last such fence, and the last post */
    int started_unchecked;            /* the last start has MPI_MODE_NOCHECK */
    const void *stored;   /* a store to the window since the last synchronization; or NULL */
    const void *informer; /* the last MPI_Win_set_info; or NULL */
    struct proa_rules_region *regions;
    int ops;            /* asserts about accumulates: enum proa_rules_ops */
    int assert;         /* of the call that is under way */
    const void *caller; /* its return address */
    struct proa_rules *before, *after;
};

/* The record of a window that has come to be by that call; NULL: none, as without check mode. */
struct proa_rules *proa_rules_new(struct proa_win *win, enum proa_call call, const void *caller);

/* Frees it. NULL: does nothing. */
void proa_rules_drop(struct proa_rules *rules);

/* Do rules follow this call? Operations and flushes change nothing of their state. */
static inline int proa_rules_follow(enum proa_call call)
{
    return (call >= PROA_CALL_Win_fence && call <= PROA_CALL_Win_unlock_all) ||
           call == PROA_CALL_Win_sync;
}

/* Such a call begins, and is over; arguments as of the next two. */
void proa_rules_begin(struct proa_rules *rules, enum proa_call call, int assert,
                      const void *caller);
void proa_rules_over(struct proa_rules *rules, enum proa_call call, int rank, int code);

/* A call on the window begins. rank: of the target, or -1; assert: MPI's bits, 0 for calls without;
 * caller: its return address. */
static inline void proa_rules_enter(struct proa_rules *rules, enum proa_call call, int rank,
                                    int assert, const void *caller)
{
    if (proa_rules_follow(call))
        proa_rules_begin(rules, call, assert, caller);
    if (proa_thread_calls_on)
        proa_thread_calls_enter_window(call, rank, caller, rules);
}

/* It is over; rank: as above; code: of core's. */
static inline void proa_rules_leave(struct proa_rules *rules, enum proa_call call, int rank,
                                    int code)
{
    if (proa_rules_follow(call))
        proa_rules_over(rules, call, rank, code);
    if (proa_thread_calls_on)
        proa_thread_calls_leave();
}

/* MPI_Win_set_info has changed the hints. NULL: does nothing. */
void proa_rules_inform(struct proa_rules *rules, const void *caller);

/* Memory is attached to a dynamic window, or detached. NULL: does nothing. */
void proa_rules_attach(struct proa_rules *rules, const void *base, uint64_t bytes);
void proa_rules_detach(struct proa_rules *rules, const void *base);

/* An operation on this rank begins: its epoch, PROA_SERIAL_*. epoch: PROA_EPOCH_*. */
uint16_t proa_rules_serial(const struct proa_rules *rules, int rank, unsigned epoch);

/* The program's assertion on the window's accumulates: the same op at a time,
 * or one and MPI_NO_OP. By default, which is the latter, both hosts and Proa serve all, and so do
 * examples of the standard rely on it. */
enum proa_rules_ops { PROA_OPS_ANY, PROA_OPS_SAME_OR_NONE, PROA_OPS_SAME };

/* A number of the op, for accumulates that must not meet those with another one; 0: they may. */
uint8_t proa_rules_op(const struct proa_rules *rules, MPI_Op op);

/* Is there a window here that asserts something of operations that arrive? */
extern PROA_HIDDEN int proa_rules_asserting;

/* Do the assertions permit this operation? If not, tells so; its call has to be there by then. */
int proa_rules_permit(const struct proa_rules *rules, const struct proa_rules_arrival *arrival);
void proa_rules_arrived(const struct proa_rules *rules, const struct proa_rules_arrival *arrival);

/* The program has stored to the window's memory, at this place. NULL: does nothing. */
void proa_rules_stored(struct proa_rules *rules, const void *place);

/* MPI_Win_free begins: compares what all processes must have given alike. Collective: all have
 * check mode, and some no rules. */
void proa_rules_compare(struct proa_win *win, const struct proa_rules *rules);

/* MPI_Win_free: all processes have called it. caller: the return address; frame: of that call. */
void proa_rules_free(struct proa_rules *rules, const void *caller, const void *frame);

/* MPI_Alloc_mem has given memory, and it is about to be freed. */
void proa_rules_memory_comes(const void *base, uint64_t bytes);
void proa_rules_memory_goes(const void *base, const void *caller);

/* MPI ends: tells of windows that are left. */
void proa_rules_tell_leaks(void);

/* No window comes or goes meanwhile, nor is looked at. */
void proa_rules_lock(void);
void proa_rules_unlock(void);

/* Calls `look` for each window, while none comes or goes. */
void proa_rules_each(void (*look)(const struct proa_rules *rules, void *arg), void *arg);

#endif
