/* SPDX-License-Identifier: BSD-3-Clause */
/* The available transports. A further one needs a file with its table, and a line here. */
#include "net/net.h"
#include "base/fail.h"

#include <string.h>

#ifndef PROA_HAS_LIBFABRIC
static int absent_offers(struct proa_offers *offers, struct proa_offer_names *names)
{
    *offers = (struct proa_offers){
        .error = proa_fail(PROA_ERR_OTHER, "Proa was built without libfabric")};
    *names = (struct proa_offer_names){0};
    return offers->error;
}

/* No other function can be called without an offer. */
const struct proa_net_transport proa_net_ofi = {.name = "libfabric", .offers = absent_offers};
#endif

static const struct proa_net_transport *const transports[] = {
    &proa_net_ofi, /* any network that libfabric has */
};

const struct proa_net_transport *proa_net_find(const char *choice)
{
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++)
        if (strcmp(choice, "auto") == 0 || strcmp(choice, transports[i]->name) == 0)
            return transports[i];
    return NULL;
}
