/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usage rules of a window, as far as they are not errors at once: its state in this process.
 * Calls tell their beginning and their end. The watchdog's thread reads the state as well.
 */
#ifndef PROA_USAGE_RULES_H
#define PROA_USAGE_RULES_H

#include "base/calls.h"
#include "usage/fences.h"
#include "hang/members.h"
#include "host/handle.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

/* Towards one rank: counts of calls so far. */
struct proa_rules_peer {
    uint64_t posts, starts;
};

struct proa_rules {
    struct proa_win *win;
    struct proa_members *members; /* of its group */
    uint64_t id;                  /* the same in all processes */
    enum proa_call created;
    const void *creator;           /* the return address of that call */
    struct proa_rules_peer *peers; /* by rank */
    struct proa_fences fences;
    int assert;         /* of the call that is under way */
    const void *caller; /* its return address */
    struct proa_rules *before, *after;
};

/* What is kept of a window that has come to be by that call; NULL: nothing, as without check
 * mode. */
struct proa_rules *proa_rules_new(struct proa_win *win, enum proa_call call, const void *caller);

/* Frees it. NULL: does nothing. */
void proa_rules_drop(struct proa_rules *rules);

/* A call on the window begins. rank: of the target, or -1; assert: MPI's bits, 0 for calls without;
 * caller: its return address. NULL: does nothing. */
void proa_rules_enter(struct proa_rules *rules, enum proa_call call, int rank, int assert,
                      const void *caller);

/* It is over; rank: as above; code: of core's. */
void proa_rules_leave(struct proa_rules *rules, enum proa_call call, int rank, int code);

/* MPI_Win_free: all processes have called it. caller: the return address. */
void proa_rules_free(struct proa_rules *rules, const void *caller);

/* Memory that MPI_Alloc_mem gave is about to be freed. */
void proa_rules_memory_goes(const void *base, const void *caller);

/* MPI ends: tells of windows that are left. */
void proa_rules_tell_leaks(void);

/* Calls `look` for each window, while none comes or goes. */
void proa_rules_each(void (*look)(const struct proa_rules *rules, void *arg), void *arg);

#endif
