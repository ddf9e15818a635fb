/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks whether a peer's host refuses connections to it.
 *
 * libfabric connects to a process when something is first sent to it. If the host refuses the
 * connection, libfabric reports nothing and connects again. So a peer that is gone looks like one
 * that is slow. The kernel can tell them apart: an endpoint listens from before its address is
 * shown to others until its process ends. So if a host refuses, there is no such process any more.
 */
#include "net/ofi.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Other networks have IP addresses too, at which nothing listens by TCP. `net`: libfabric 1.17. */
static int is_tcp(const struct proa_net *net)
{
    const char *name = net->info->fabric_attr->prov_name;

    return strcspn(name, ";") == 3 &&
           (strncmp(name, "tcp", 3) == 0 || strncmp(name, "net", 3) == 0);
}

int proa_ofi_knock(struct proa_net *net, struct proa_ofi_peer *peer)
{
    struct sockaddr_storage address = {0};
    size_t bytes = sizeof address;
    int error;

    if (!is_tcp(net) || fi_av_lookup(net->av, peer->at, &address, &bytes) != 0)
        return 0;
    if (peer->knock < 0)
        peer->knock = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (peer->knock < 0)
        return 0;
    error = connect(peer->knock, (const struct sockaddr *)&address, (socklen_t)bytes) ? errno : 0;
    if (error != EINPROGRESS && error != EALREADY)
        proa_ofi_knock_end(peer);
    return error == ECONNREFUSED;
}

int proa_ofi_may_live(struct proa_net *net, struct proa_ofi_peer *peer)
{
    return is_tcp(net) && !proa_ofi_knock(net, peer);
}

void proa_ofi_knock_end(struct proa_ofi_peer *peer)
{
    if (peer->knock >= 0)
        close(peer->knock);
    peer->knock = -1;
}
