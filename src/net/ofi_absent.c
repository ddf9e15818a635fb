/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport over libfabric where Proa was built without libfabric's headers: there is none. */
#include "net/net.h"
#include "base/fail.h"

static int absent_offers(struct proa_offers *offers, struct proa_offer_names *names)
{
    *offers = (struct proa_offers){
        .error = proa_fail(PROA_ERR_OTHER, "Proa was built without libfabric")};
    *names = (struct proa_offer_names){0};
    return offers->error;
}

/* No other function can be called without an offer. */
const struct proa_net_transport proa_net_ofi = {.name = "libfabric", .offers = absent_offers};
