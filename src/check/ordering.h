/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order of processes by calls on windows, and the accesses of this process that are handed over to
 * their targets (order/crossing.h).
 *
 * Clocks exist if all processes of MPI_COMM_WORLD have Proa and check mode. Without clocks only
 * operations of one origin are compared. Between nodes a post or a lock arrives before the first
 * operation that needs it (remote/sync.c), as on one node. So the clock at the issue of an
 * operation includes the order that they establish.
 *
 * Before a call this process publishes its clock to processes that may observe the call. After the
 * call it learns the clocks of processes whose calls it may have observed. An access is complete
 * when a call completes it, and at the latest when another process may be notified of it.
 */
#ifndef PROA_CHECK_ORDERING_H
#define PROA_CHECK_ORDERING_H

#include "base/calls.h"
#include "order/accesses.h"
#include "order/inside.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

struct proa_ordering; /* "Inside": the caller is inside (order/inside.h) */

/* Starts. Collective over MPI_COMM_WORLD. group: group of MPI_COMM_WORLD. */
void proa_ordering_begin(const struct proa_group *group, int threads);

/* Drains all queues, counts what was left out (findings/finding.h), and ends. Collective. No-op
 * without clocks. */
void proa_ordering_end(void);

/* Returns true if there are clocks. */
int proa_ordering_is_on(void);

/* Fills in the processes of a group, by rank in it. size: size of the group. Returns the number of
 * them in MPI_COMM_WORLD. */
int proa_ordering_processes(MPI_Group group, int size, int *processes);

/* A window was created, or is about to be freed. Collective over comm, after its creation. Returns
 * NULL if the window is not ordered. */
struct proa_ordering *proa_ordering_open(struct proa_win *win, MPI_Comm comm);
void proa_ordering_close(struct proa_ordering *ordering);

/* This process has a pointer to another one's memory, or may get one. NULL is a no-op. Inside. */
void proa_ordering_share(struct proa_ordering *ordering);

/* Memory was attached to the window, or is detached. base: address in the program. NULL is a
 * no-op. */
void proa_ordering_attach(struct proa_ordering *ordering, const void *base, uint64_t bytes);
void proa_ordering_detach(struct proa_ordering *ordering, const void *base);

/* Called around an operation on a target. NULL is a no-op. Inside. */
void proa_ordering_operates(struct proa_ordering *ordering, enum proa_call call, int rank);
void proa_ordering_operated(struct proa_ordering *ordering, enum proa_call call, int rank);

/* Called around another call on the window. rank: target, or -1. NULL is a no-op. Inside. Before a
 * flush the call may be omitted. */
void proa_ordering_before(struct proa_ordering *ordering, enum proa_call call, int rank);
void proa_ordering_after(struct proa_ordering *ordering, enum proa_call call, int rank);

/* Returns the pending accesses to a target, and the address of its window. Inside. */
struct proa_accesses *proa_ordering_accesses(struct proa_ordering *ordering, int rank, int *target,
                                             uint64_t *base);

/* Fills in the fields that order an access. is_notified: true if the access is complete and its
 * target may know that. The caller frees the moment. Inside. */
void proa_ordering_fill(struct proa_ordering *ordering, enum proa_call call,
                        struct proa_access *access);

/* Hands over an access that is complete at once. Call proa_ordering_notify next. Inside. */
void proa_ordering_hand_over(struct proa_ordering *ordering, int rank,
                             const struct proa_access *access);

/* The target may observe the access from now on, as its counter is about to be incremented.
 * Inside. */
void proa_ordering_notify(struct proa_ordering *ordering, int rank);

/* Drops the accesses that a call completed, and hands them over. rank: target, or < 0 for all.
 * local: true for accesses that local completion completes. Inside. */
void proa_ordering_complete(struct proa_ordering *ordering, int rank, int local);

/* Some requests may be complete. Inside. */
void proa_ordering_requests_completed(void);

/* Drains accesses that others handed over, and publishes what others may drop. Called at calls that
 * are not operations. Inside. */
void proa_ordering_settle(void);

#endif
