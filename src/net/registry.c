/* SPDX-License-Identifier: BSD-3-Clause */
/* The transports that there are. A further one is a file with its table, and a line here. */
#include "net/net.h"

#include <string.h>

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
