/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The promises of the network that is opened. The contract (net.h) needs two that not all providers
 * give: the order of messages, and a completion of a put that says that its bytes lie in the
 * target's memory. Each missing one is replaced, with a line in the log:
 *
 *   order      frames are numbered, and wait for their turn here (ofi_early.c)
 *   delivery   a read of the put's last byte follows it, in order or fenced; its completion proves
 *              the put: such a read sees the results of the operations before it (fi_endpoint(3))
 */
#include "net/ofi.h"
#include "base/fail.h"
#include "base/log.h"

#include <string.h>

static void tell(const struct proa_net *net, const char *text)
{
    proa_log(PROA_LOG_INFO, "network: %s on %s %s", net->info->fabric_attr->prov_name,
             net->info->domain_attr->name, text);
}

/* Returns the same network with these flags of transmits and these capabilities; NULL if it does
 * not have them. */
static struct fi_info *with(const struct fi_info *info, uint64_t flags, uint64_t caps)
{
    struct fi_info *hints = proa_libfabric.dupinfo(info), *list = NULL;

    if (!hints)
        return NULL;
    hints->tx_attr->op_flags |= flags;
    hints->caps |= caps;
    hints->tx_attr->caps |= caps;
    if (proa_libfabric.getinfo(info->fabric_attr->api_version, NULL, NULL, 0, hints, &list) != 0)
        list = NULL;
    proa_libfabric.freeinfo(hints);
    return list;
}

static int has_delivery(const struct fi_info *info)
{
    struct fi_info *list = with(info, FI_DELIVERY_COMPLETE, 0);
    int has = list != NULL;

    proa_libfabric.freeinfo(list);
    return has;
}

static int has_ordered_reads(const struct fi_info *info)
{
    const uint64_t both = info->tx_attr->msg_order & info->rx_attr->msg_order;

    return both & (FI_ORDER_RAW | FI_ORDER_RMA_RAW) &&
           info->ep_attr->max_order_raw_size >= PROA_OFI_PIECE;
}

/* Fences have to be requested. */
static int has_fence(struct proa_net *net)
{
    struct fi_info *list = with(net->info, 0, FI_FENCE);

    if (!list || !(list->caps & FI_FENCE)) {
        proa_libfabric.freeinfo(list);
        return 0;
    }
    net->fenced = list;
    net->info = list;
    return 1;
}

static int find_proof(struct proa_net *net)
{
    if (has_delivery(net->info)) {
        net->proof = PROA_OFI_DELIVERY;
    } else if (has_ordered_reads(net->info)) {
        net->proof = PROA_OFI_READ;
        tell(net, "does not say when a put is visible: a read follows each");
    } else if (has_fence(net)) {
        net->proof = PROA_OFI_FENCE;
        tell(net, "does not say when a put is visible: a fenced read follows each");
    } else {
        return proa_fail(PROA_ERR_OTHER,
                         "%s on %s does not say when a put is visible, and has "
                         "neither ordered nor fenced reads that would",
                         net->info->fabric_attr->prov_name, net->info->domain_attr->name);
    }
    return PROA_OK;
}

int proa_ofi_promises(struct proa_net *net)
{
    int outcome = find_proof(net);

    net->is_ordered =
        (net->info->tx_attr->msg_order & net->info->rx_attr->msg_order & FI_ORDER_SAS) != 0;
    if (outcome == PROA_OK && !net->is_ordered)
        tell(net, "does not keep the order of messages: it is restored here");
    if (outcome == PROA_OK && net->memory_mode & FI_MR_LOCAL)
        tell(net, "has to know all buffers: small ones are copied, large ones registered");
    return outcome;
}
