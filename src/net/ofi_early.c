/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that arrived before their turn, on a network that does not keep the order of messages.
 * They are few: a frame waits only for those that were in flight together with it.
 */
#include "net/ofi.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { MOST = 4096 };

int proa_ofi_early_keep(struct proa_net *net, const struct proa_frame_head *head, const void *body)
{
    struct proa_ofi_early *one = net->early_count < MOST ? malloc(sizeof *one + head->bytes) : NULL;

    if (!one)
        return -1;
    one->head = *head;
    memcpy(one->body, body, head->bytes);
    LL_PREPEND(net->early, one);
    net->early_count++;
    return 0;
}

struct proa_ofi_early *proa_ofi_early_take(struct proa_net *net, uint64_t sender, uint32_t number)
{
    struct proa_ofi_early *one;

    LL_FOREACH(net->early, one)
        if (one->head.sender == sender && one->head.number == number) {
            LL_DELETE(net->early, one);
            net->early_count--;
            return one;
        }
    return NULL;
}

void proa_ofi_early_drop(struct proa_net *net, uint64_t sender)
{
    struct proa_ofi_early **at = &net->early, *one;

    while ((one = *at) != NULL) {
        if (sender && one->head.sender != sender) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        net->early_count--;
        free(one);
    }
}
