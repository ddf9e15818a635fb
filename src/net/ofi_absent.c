/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over libfabric where Proa was built without libfabric's headers: there is none. */
#include "net/net.h"
#include "base/fail.h"

static int absent_open(const struct proa_net_events *events, void *context, struct proa_net **net,
                       struct proa_net_address *address)
{
    (void)events;
    (void)context;
    (void)net;
    (void)address;
    return proa_fail(PROA_ERR_OTHER, "Proa was built without libfabric");
}

/* Nothing else can be called without a network that is open. */
const struct proa_net_transport proa_net_ofi = {.name = "libfabric", .open = absent_open};
