/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nodes of kept accesses (order/accesses.h). Each is in one of two indices: an access of at
 * most 64 bytes in a hash table of blocks (order/blocks.h), any other one in its target's interval
 * tree (order/treap.h). Nodes have numbers; 0 is none.
 */
#ifndef PROA_ORDER_NODE_H
#define PROA_ORDER_NODE_H

#include "order/accesses.h"

struct proa_access_node {
    uint64_t highest; /* in a tree: the highest end in this subtree */
    uint32_t left;    /* children in a tree; of a free node: the next free node */
    uint32_t right;
    struct proa_access access;
    int target;            /* -1 if free */
    uint32_t older, newer; /* of the same target and list */
};

#endif
