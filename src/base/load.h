/* SPDX-License-Identifier: BSD-3-Clause */
/* The load of this node: the number of processes on its processors, yielding to them, preemption by
 * other threads, and the session that ranks share (session.c). */
#ifndef PROA_BASE_LOAD_H
#define PROA_BASE_LOAD_H

/* processes, processors: their numbers on this node. With more processes than processors
 * (oversubscribed), a wait does not spin but yields at once. */
void proa_load_set(int processes, int processors);
int proa_is_oversubscribed(void);

/* From now on this process counts as oversubscribed, because its threads run one at a time. */
void proa_load_take_turns(void);

/* Gives the processor up once. Returns whether another thread has run. A yield that returns at once
 * is idle: no other thread has run. Then no other thread wants this processor, or those that do are
 * in other sessions. Linux shares a processor between sessions by groups (sched(7), autogroup), as
 * under MPICH's launcher; some kernels then switch at most yields, others at none. Only sleeping
 * lets those threads run. */
int proa_yield(void);

/* Returns the number of idle yields in a row after which a thread sleeps. */
int proa_load_idle_yields(void);

/* ---- the session of `proa run` ---- */

/* `proa run` lets the ranks of its node share a session (tools/launcher/session.c), so that a yield
 * hands the processor over. Beside other work, all of them together would get the share of one
 * session. So each rank leaves the session once other work wants the processors. From then on it
 * has its own, as without `proa run`. */

/* The variable that holds the process id of a rank in that session. A process that inherits the
 * variable has another id. */
#define PROA_SESSION_VARIABLE "PROA_SESSION_OF"

/* Called at each yield. processes: number of ranks on this node. Checks now and then whether more
 * threads than these want to run. Leaves the session after several such checks in a row. While
 * ranks sleep, other work may go undetected until they wake. */
void proa_session_watch(int processes, long now_ns);

/* ---- preemption of a thread that polls ---- */

/* Each polling thread determines whether another thread wants its processor. Times are those of
 * proa_system's clock, in nanoseconds. */

/* From now on this thread only polls. */
void proa_preemption_begin(void);

/* This thread has only polled since begin_ns, for about as long as it intended. If it was preempted
 * for a slice of the scheduler, or again for a short slice, preemption counts as likely for 50 ms.
 * Each repetition soon after lengthens that time, up to a second. Threads that run for an instant,
 * or now and then for a millisecond, do not count: the kernel's own threads do so. */
void proa_preemption_watch(long begin_ns, long now_ns);

int proa_preemption_is_likely(long now_ns);

#endif
