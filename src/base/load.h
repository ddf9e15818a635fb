/* SPDX-License-Identifier: BSD-3-Clause */
/* The load of this node: how many processes share its processors, how a thread gives a processor up
 * to them, whether another thread preempts it, and the session that ranks share (session.c). */
#ifndef PROA_BASE_LOAD_H
#define PROA_BASE_LOAD_H

/* processes, processors: their numbers on this node. With more processes than processors
 * (oversubscribed) a wait does not spin and yields at once. */
void proa_load_set(int processes, int processors);
int proa_is_oversubscribed(void);

/* Threads of this process run one at a time: from here on it counts as oversubscribed. */
void proa_load_take_turns(void);

/* Gives the processor up once. Returns whether another thread has run. A yield that returns at once
 * has let no other thread run (idle). Then no other thread wants this processor, or those that do
 * are in other sessions. Linux shares a processor between sessions by groups (sched(7), autogroup),
 * as under MPICH's launcher; some kernels then switch at most yields, others at none. Only sleeping
 * lets those threads run. */
int proa_yield(void);

/* After so many idle yields in a row a thread sleeps. */
int proa_load_idle_yields(void);

/* ---- the session of `proa run` ---- */

/* `proa run` lets the ranks of its node share a session (tools/launcher/session.c), so that a yield
 * hands the processor over. Beside other work all of them would get the share of one session. So
 * each rank leaves it once other work wants the processors, and has a session of its own from then
 * on, as without `proa run`. */

/* The variable that holds the process id of a rank in that session. A process that inherits it has
 * another id. */
#define PROA_SESSION_VARIABLE "PROA_SESSION_OF"

/* Called at each yield. processes: the ranks of this node. Checks now and then whether more threads
 * than those want to run, and leaves the session after some checks in a row that found so. Where
 * ranks sleep meanwhile, other work may stay unseen until they wake. */
void proa_session_watch(int processes, long now_ns);

/* ---- preemption of a thread that polls ---- */

/* Does another thread want the processor that it keeps busy? Each thread finds out for itself.
 * Times are those of proa_system's clock. */

/* From now on this thread only polls. */
void proa_preemption_begin(void);

/* This thread has only polled since begin_ns, for about as long as it meant to. Has it been
 * preempted meanwhile for a slice of the scheduler, or for a short slice once more? Then preemption
 * counts as likely for 50 ms. Each time that it happens again soon it does so for longer, up to a
 * second. Threads that run for an instant only, or now and then for a millisecond, do not count:
 * the kernel's own threads do that. */
void proa_preemption_watch(long begin_ns, long now_ns);

int proa_preemption_is_likely(long now_ns);

#endif
