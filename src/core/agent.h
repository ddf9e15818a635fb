/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent: this process's end of the network, and who moves it.
 *
 * It is there only if a window spans nodes. One mutex guards the transport and all that core keeps
 * for it (core/remote.c, core/serve.c), so at most one thread is inside. Who waits in Proa moves
 * the network himself (base/wait.h has the agent for a driver); the agent's thread does so when
 * nobody does: while the program computes, or is in its MPI, or sleeps. It makes no MPI call.
 */
#ifndef PROA_CORE_AGENT_H
#define PROA_CORE_AGENT_H

#include "net/net.h"

#include <stddef.h>
#include <stdint.h>

/* The network that windows over several nodes use; NULL: there is none. Before the first such
 * window. */
void proa_agent_set_transport(const struct proa_net_transport *transport);

/* Opens the network and starts the thread, if that has not been done. PROA_OK and how others reach
 * us; or a negative code: there is no network. */
int proa_agent_start(struct proa_net_address *address);

/* Ends both, if they are there. No window spans nodes any more, or none is going to be used. */
void proa_agent_stop(void);

/* At the end of MPI: stops it, unless a window was left that spans nodes; callbacks that run later
 * may still work on it (at the end of the process it stops). */
void proa_agent_end(void);

/* Around everything below, and around what core keeps for the network. Not twice by one thread. */
void proa_agent_enter(void);
void proa_agent_leave(void);

/* The transport's functions (net/net.h), inside. */
int proa_agent_reach(const struct proa_net_address *address, uint32_t *peer);
int proa_agent_expose(void *memory, size_t bytes, struct proa_net_key *key);
void proa_agent_hide(const struct proa_net_key *key);
int proa_agent_send(uint32_t peer, const void *body, size_t bytes);
int proa_agent_put(const struct proa_net_place *there, const void *here, size_t bytes,
                   uint64_t token);
int proa_agent_get(const struct proa_net_place *there, void *here, size_t bytes, uint64_t token);

/* Moves what can be moved; inside. Has anything happened? */
int proa_agent_progress(void);

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

#endif
