/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The networks that this process is on: its ends. A window over several nodes goes over one of
 * them (remote/network.h), nearly always the same; a process of which the windows are with
 * different others may be on several. A peer's number, as the rest of core has it, tells the end as
 * well.
 *
 * The set of ends changes only while the agent's thread does not run, and inside the agent.
 */
#ifndef PROA_REMOTE_ENDS_H
#define PROA_REMOTE_ENDS_H

#include "net/net.h"

#include <stddef.h>
#include <stdint.h>

/* The network that windows over several nodes use; NULL: there is none. Before the first such
 * window. */
void proa_agent_set_transport(const struct proa_net_transport *transport);

/* ---- by threads that create and free windows, not inside the agent ---- */

/* The offers of this process, with those marked that a window has gone over. PROA_OK, or the
 * negative code that is in there too, with its sentence. names: NULL, or a text for people of each.
 */
int proa_ends_offers(struct proa_offers *offers, struct proa_offer_names *names);

/* This process's end of that network, joined if it has none, with one holder more. *end: a small
 * number; *address: how others reach us there. PROA_ERR_OTHER: it cannot be joined;
 * PROA_ERR_NO_MEM. */
int proa_end_join(const struct proa_offer *offer, int *end, struct proa_net_address *address);

/* One holder less. An end that no window has gone over is left by its last holder. */
void proa_end_release(int end);

/* A window goes over it: it stays for later ones. network: the same number for the same network on
 * all processes of the window (net/offer.h). */
void proa_end_keep(int end, uint64_t network);

/* The end that was kept last, with one holder more, its network and our address there; -1: none. */
int proa_end_kept(uint64_t *network, struct proa_net_address *address);

/* ---- inside the agent: the transport's functions (net/net.h) ---- */

int proa_end_reach(int end, const struct proa_net_address *address, uint32_t *peer);
int proa_end_try(uint32_t peer);
int proa_end_expose(int end, void *memory, size_t bytes, struct proa_net_key *key);
void proa_end_hide(int end, const struct proa_net_key *key);

/* ---- for the agent ---- */

/* Is there any? */
int proa_ends_any(void);

/* On all of them; inside. Has anything happened? */
int proa_ends_progress(void);

/* By the agent's thread, not inside; wake: by any thread. */
int proa_ends_doze(long timeout_ns);
void proa_ends_wake(void);

/* At the end of the process: says goodbye on all of them, inside, and frees nothing. */
void proa_ends_part(int in_order);

/* Leaves all of them. The thread does not run. */
void proa_ends_close(int in_order);

#endif
