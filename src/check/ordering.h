/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls on windows order among processes, and the accesses of this process that are handed
 * over to their targets (order/crossing.h).
 *
 * There are clocks if all processes of MPI_COMM_WORLD have Proa and check mode. Without them
 * operations of one origin are compared only. Between nodes a post or a lock is there before the
 * first operation that needs it (remote/sync.c), as on one node: so the clock of an operation's
 * issue has what they order.
 *
 * Before a call this process tells its clock to processes that may notice the call; after it, it
 * learns from those whose calls it may have noticed. An access is complete when a call completes
 * it, and at the latest when another process may be told so.
 */
#ifndef PROA_CHECK_ORDERING_H
#define PROA_CHECK_ORDERING_H

#include "base/calls.h"
#include "order/accesses.h"
#include "order/inside.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

struct proa_ordering; /* "inside": order/inside.h */

/* Begins; collective over MPI_COMM_WORLD, which the group is of. */
void proa_ordering_begin(const struct proa_group *group, int threads);

/* Takes all that is left, counts what was left out (findings/finding.h), and ends; collective. Does
 * nothing without clocks. */
void proa_ordering_end(void);

/* Are there clocks? */
int proa_ordering_is_on(void);

/* The processes of a group of `size`, by rank in it. Returns how many are of MPI_COMM_WORLD. */
int proa_ordering_processes(MPI_Group group, int size, int *processes);

/* A window has come to be, or is about to go. Collective over comm, after its creation; NULL: it is
 * not followed. */
struct proa_ordering *proa_ordering_open(struct proa_win *win, MPI_Comm comm);
void proa_ordering_close(struct proa_ordering *ordering);

/* This process has a pointer to the memory of another one, or may get it. NULL: does nothing.
 * Inside. */
void proa_ordering_share(struct proa_ordering *ordering);

/* Memory is attached to it, where the program has it, or detached. NULL: does nothing. */
void proa_ordering_attach(struct proa_ordering *ordering, const void *base, uint64_t bytes);
void proa_ordering_detach(struct proa_ordering *ordering, const void *base);

/* Around an operation on that target. NULL: does nothing. Inside. */
void proa_ordering_operates(struct proa_ordering *ordering, enum proa_call call, int rank);
void proa_ordering_operated(struct proa_ordering *ordering, enum proa_call call, int rank);

/* Around another call on the window. rank: the target's, or -1. NULL: does nothing. Inside. A flush
 * need not be told of before it. */
void proa_ordering_before(struct proa_ordering *ordering, enum proa_call call, int rank);
void proa_ordering_after(struct proa_ordering *ordering, enum proa_call call, int rank);

/* Where accesses to this target are kept until they are complete, and the address of its window.
 * Inside. */
struct proa_accesses *proa_ordering_accesses(struct proa_ordering *ordering, int rank, int *target,
                                             uint64_t *base);

/* Fills in what an access needs to be followed. Inside. is_notified: it is complete, and its target
 * may know that. The caller drops the moment. */
void proa_ordering_fill(struct proa_ordering *ordering, enum proa_call call,
                        struct proa_access *access);

/* Hands over an access that is complete at once; proa_ordering_notify follows. Inside. */
void proa_ordering_hand_over(struct proa_ordering *ordering, int rank,
                             const struct proa_access *access);

/* The target may hear of it from now on, as its counter is about to count. Inside. */
void proa_ordering_notify(struct proa_ordering *ordering, int rank);

/* Drops accesses that a call has completed, and hands them over: to one target or to all (rank <
 * 0); all kinds, or those that local completion completes. Inside. */
void proa_ordering_complete(struct proa_ordering *ordering, int rank, int local);

/* Some requests may be complete. Inside. */
void proa_ordering_requests_completed(void);

/* Takes what others have handed over, and says what they may forget. Inside; at calls that are not
 * operations. */
void proa_ordering_settle(void);

#endif
