/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The endpoints of this process, one on each network that it has joined. A window over
 * several nodes uses one network (remote/network.h), nearly always the same. A process may be on
 * several networks if its windows are shared with different others. A peer's number, as the rest of
 * core has it, includes the endpoint.
 *
 * The set of endpoints changes only while the progress thread does not run, and inside the progress
 * engine.
 */
#ifndef PROA_PROGRESS_ENDPOINTS_H
#define PROA_PROGRESS_ENDPOINTS_H

#include "net/net.h"

#include <stddef.h>
#include <stdint.h>

/* Sets the transport that windows over several nodes use; NULL: there is none. Called before the
 * first such window. */
void proa_progress_set_transport(const struct proa_net_transport *transport);

/* ---- by threads that create and free windows, not inside the progress engine ---- */

/* The offers of this process; those of networks that a window has gone over are marked. PROA_OK, or
 * the negative code that is in `offers` too, with its sentence. names: NULL, or a readable text of
 * each offer. */
int proa_endpoints_offers(struct proa_offers *offers, struct proa_offer_names *names);

/* this process's endpoint of that network, joined if it has none, with one holder more, and our
 * address there. PROA_ERR_OTHER: the network cannot be joined; PROA_ERR_NO_MEM. */
int proa_endpoint_join(const struct proa_offer *offer, int *end, struct proa_net_address *address);

/* Removes a holder. The last holder leaves the network if no window has gone over it. */
void proa_endpoint_release(int end);

/* A window goes over this end, which stays for later windows. network: the same number for the same
 * network on all processes of the window (net/offer.h). */
void proa_endpoint_keep(int end, uint64_t network);

/* Returns the end that was kept last, with one holder more, its network and our address there; -1:
 * none. */
int proa_endpoint_kept(uint64_t *network, struct proa_net_address *address);

/* ---- inside the progress engine: the transport's functions (net/net.h) ---- */

int proa_endpoint_reach(int end, const struct proa_net_address *address, uint32_t *peer);
int proa_endpoint_try(uint32_t peer);
int proa_endpoint_expose(int end, void *memory, size_t bytes, struct proa_net_key *key);
void proa_endpoint_hide(int end, const struct proa_net_key *key);

/* ---- for the progress engine ---- */

/* Is there any end? */
int proa_endpoints_any(void);

/* Makes progress on all ends; inside. Returns whether anything has happened. */
int proa_endpoints_progress(void);

/* doze: by the progress thread, not inside; wake: by any thread. */
int proa_endpoints_doze(long timeout_ns);
void proa_endpoints_wake(void);

/* At the end of the process: says goodbye on all ends, inside, and frees nothing. */
void proa_endpoints_part(int in_order);

/* Closes all ends. The progress thread does not run. */
void proa_endpoints_close(int in_order);

#endif
