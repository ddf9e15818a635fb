/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that the plain way of the accumulate family (rma/accumulate.c) has in common with the
 * roads of load and store (rma/road_store.c). */
#ifndef PROA_RMA_ROAD_STORE_H
#define PROA_RMA_ROAD_STORE_H

#include "rma/combine.h"
#include "rma/road.h"

/* Does what run says to its elements, from at on, stripe by stripe; key: the owner's address of the
 * first. An element belongs to the stripe of its first byte, for every accessor. The last stripe is
 * held until proa_guard_leave. */
void proa_store_striped(const struct proa_elements *run, struct proa_peer *owner, uint64_t key,
                        char *at, struct proa_guarded *guarded);

#endif
