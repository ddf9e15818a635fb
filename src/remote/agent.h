/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent: progress of the network.
 *
 * It is there only if a window spans nodes. One mutex guards the transport and all that core keeps
 * for it (remote/origin.c, remote/serve.c), so at most one thread is inside. A thread that waits
 * in Proa makes progress itself (base/wait.h has the agent for a driver). The agent's thread does
 * so when no thread does: while the program computes, or is in its MPI, or sleeps. It makes no MPI
 * call.
 */
#ifndef PROA_REMOTE_AGENT_H
#define PROA_REMOTE_AGENT_H

#include "remote/ends.h"

#include <stddef.h>
#include <stdint.h>

/* Leaves all networks, and ends the thread, if there is any. No window spans nodes any more, or
 * none is going to be used. */
void proa_agent_stop(void);

/* At the end of MPI: stops it, unless a window was left that spans nodes; callbacks that run later
 * may still work on it (at the end of the process it stops). */
void proa_agent_end(void);

/* Around everything below, and around what core keeps for the network. Not twice by one thread. */
void proa_agent_enter(void);
void proa_agent_leave(void);

/* The transport's functions (net/net.h), inside. A peer's number is that of remote/ends.h. */
int proa_agent_send(uint32_t peer, const void *body, size_t bytes);
int proa_agent_put(const struct proa_net_place *there, const void *here, size_t bytes,
                   uint64_t token);
int proa_agent_get(const struct proa_net_place *there, void *here, size_t bytes, uint64_t token);

/* Moves what can be moved; inside. Has anything happened? */
int proa_agent_progress(void);

/* A thread waits, and has for some time: peers that are silent are asked soon; inside. */
void proa_agent_attend(void);

/* A message to a peer who waits for it, inside: sent as soon as there is room, in the order of
 * these calls. For those who may not wait: their number is bounded by what the peer has asked for.
 */
void proa_agent_answer(uint32_t peer, const void *body, size_t bytes);

/* What has come from this peer makes no sense: it is lost. why: "a message of it " goes before. By
 * whoever looks at what has come. */
void proa_agent_drop(uint32_t peer, const char *why);

/* There is something that its thread is to look at soon; inside. */
void proa_agent_disturb(void);

/* The same as progress, by a thread that is not inside: nothing if another one is. */
void proa_agent_drive(void);

/* For calls that test, by a thread that is not inside, while there is a network: returns once all
 * that had come before has been looked at, by this thread or by another that is inside. */
void proa_agent_take_in(void);

/* ---- for remote/ends.c ---- */

/* Around a change of the ends. Not inside. pause: the agent's thread has ended, if there was one;
 * resume: it is there. PROA_ERR_OTHER: it cannot be. */
void proa_agent_pause(void);
int proa_agent_resume(void);

/* Events at an end (net/net.h), from within progress. */
void proa_agent_message(uint32_t peer, const void *body, size_t bytes);
void proa_agent_done(uint64_t token, int outcome);
void proa_agent_lost(uint32_t peer, enum proa_net_end end);

#endif
