/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The endpoints of this process: one on each network that it has joined. A window over several
 * nodes uses one network (remote/network.h), nearly always the same. A process may be on several
 * networks if it shares windows with different groups of processes. A peer's number outside the
 * transport includes the endpoint.
 *
 * The set of endpoints changes only inside the progress engine, and while the progress thread does
 * not run.
 */
#ifndef PROA_PROGRESS_ENDPOINTS_H
#define PROA_PROGRESS_ENDPOINTS_H

#include "net/net.h"

#include <stddef.h>
#include <stdint.h>

/* Sets the transport for windows over several nodes. transport: the functions; NULL if there is no
 * network. Called before the first such window. */
void proa_progress_set_transport(const struct proa_net_transport *transport);

/* ---- for threads that create and free windows, not inside the progress engine ---- */

/* Lists the networks that this process can use. offers: result, in which networks that a window
 * uses are marked. names: result, readable text of each offer; NULL if not wanted. Returns PROA_OK,
 * or the negative code that `offers` holds too; the code comes with its sentence. */
int proa_endpoints_offers(struct proa_offers *offers, struct proa_offer_names *names);

/* Adds a holder to this process's endpoint on that network, and joins the network if there is none.
 * address: result, our address there. Returns PROA_OK, PROA_ERR_OTHER if the network cannot be
 * joined, or PROA_ERR_NO_MEM. */
int proa_endpoint_join(const struct proa_offer *offer, int *end, struct proa_net_address *address);

/* Removes a holder. If it was the last one and no window uses the network, leaves the network. */
void proa_endpoint_release(int end);

/* Keeps the endpoint for later windows, as a window uses it. network: number of the network, the
 * same on all processes of the window (net/offer.h). */
void proa_endpoint_keep(int end, uint64_t network);

/* Adds a holder to the endpoint that was kept last. network, address: results, the network's number
 * and our address there. Returns the endpoint, or -1 if none was kept. */
int proa_endpoint_kept(uint64_t *network, struct proa_net_address *address);

/* ---- inside the progress engine: the transport's functions (net/net.h) ---- */

int proa_endpoint_reach(int end, const struct proa_net_address *address, uint32_t *peer);
int proa_endpoint_try(uint32_t peer);
int proa_endpoint_expose(int end, void *memory, size_t bytes, struct proa_net_key *key);
void proa_endpoint_hide(int end, const struct proa_net_key *key);

/* ---- for the progress engine ---- */

/* Returns whether there is an endpoint. */
int proa_endpoints_any(void);

/* Makes progress on all endpoints; inside. Returns whether an event happened. */
int proa_endpoints_progress(void);

/* doze: for the progress thread, not inside; wake: for any thread. */
int proa_endpoints_doze(long timeout_ns);
void proa_endpoints_wake(void);

/* Says goodbye on all endpoints at the end of the process, inside. Frees nothing. */
void proa_endpoints_part(int in_order);

/* Closes all endpoints. Called while the progress thread does not run. */
void proa_endpoints_close(int in_order);

#endif
