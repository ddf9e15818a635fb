/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over libfabric where Proa was built without libfabric's headers: there is none. */
#include "net/net.h"
#include "base/fail.h"

static int absent(void)
{
    return proa_fail(PROA_ERR_OTHER, "Proa was built without libfabric");
}

static int absent_offers(struct proa_offers *offers, struct proa_offer_names *names)
{
    *offers = (struct proa_offers){.error = absent()};
    *names = (struct proa_offer_names){0};
    return offers->error;
}

static int absent_open(const struct proa_net_events *events, void *context,
                       const struct proa_offer *offer, struct proa_net **net,
                       struct proa_net_address *address)
{
    (void)events, (void)context, (void)offer, (void)net, (void)address;
    return absent();
}

/* No other function can be called without an open network. */
const struct proa_net_transport proa_net_ofi = {
    .name = "libfabric", .offers = absent_offers, .open = absent_open};
