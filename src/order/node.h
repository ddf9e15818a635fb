/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nodes of accesses that are kept (order/accesses.h). Each is in one of two indices: an access
 * of at most 64 bytes in a hash table of blocks (order/blocks.h), any other one in its target's
 * tree of intervals (order/treap.h). Nodes have numbers; 0 is none.
 */
#ifndef PROA_ORDER_NODE_H
#define PROA_ORDER_NODE_H

#include "order/accesses.h"

struct proa_access_node {
    uint64_t highest; /* in a tree: the highest end in this tree */
    uint32_t left;    /* the same; given back: the next node */
    uint32_t right;
    struct proa_access access;
    int target;            /* -1: given back */
    uint32_t older, newer; /* of the same target, and of the same completion */
};

#endif
