/* SPDX-License-Identifier: BSD-3-Clause */
/* A balanced tree of byte intervals: a treap, augmented by the highest end below each node. A tree
 * is the number of its root; 0 is the empty one. */
#ifndef PROA_ORDER_TREAP_H
#define PROA_ORDER_TREAP_H

#include "order/node.h"

/* Adds a node, or removes it. Returns the tree. */
uint32_t proa_treap_enter(struct proa_access_node *nodes, uint32_t tree, uint32_t node);
uint32_t proa_treap_take_out(struct proa_access_node *nodes, uint32_t tree, uint32_t node);

/* Returns the first node whose bytes overlap or touch [low, high), and which has this relation to
 * the access. Returns 0 if there is none. */
uint32_t proa_treap_find(const struct proa_access_node *nodes, uint32_t tree, uint64_t low,
                         uint64_t high, const struct proa_access *access,
                         proa_access_relation *has);

#endif
