/* SPDX-License-Identifier: BSD-3-Clause */
/* See treap.h. */
#include "order/treap.h"

/* Nodes are ordered by their start, and then by number. */
static int is_before(const struct proa_access_node *nodes, uint32_t one, uint32_t other)
{
    uint64_t low = nodes[one].access.low, than = nodes[other].access.low;

    return low < than || (low == than && one < other);
}

/* Priority in the heap: pseudorandom, and constant for a node. */
static uint32_t priority(uint32_t node)
{
    node *= 2654435769U;
    node ^= node >> 15;
    node *= 2246822519U;
    return node ^ node >> 13;
}

static void update(struct proa_access_node *nodes, uint32_t node)
{
    struct proa_access_node *this = &nodes[node];

    this->highest = this->access.high;
    if (this->left && nodes[this->left].highest > this->highest)
        this->highest = nodes[this->left].highest;
    if (this->right && nodes[this->right].highest > this->highest)
        this->highest = nodes[this->right].highest;
}

/* Joins two trees: all nodes of `left` are before all of `right`. */
static uint32_t join(struct proa_access_node *nodes, uint32_t left, uint32_t right)
{
    if (!left || !right)
        return left ? left : right;
    if (priority(left) > priority(right)) {
        nodes[left].right = join(nodes, nodes[left].right, right);
        update(nodes, left);
        return left;
    }
    nodes[right].left = join(nodes, left, nodes[right].left);
    update(nodes, right);
    return right;
}

/* Splits a tree into the nodes before the given node, and the rest. */
static void split(struct proa_access_node *nodes, uint32_t tree, uint32_t node, uint32_t *left,
                  uint32_t *right)
{
    if (!tree) {
        *left = *right = 0;
        return;
    }
    if (is_before(nodes, tree, node)) {
        split(nodes, nodes[tree].right, node, &nodes[tree].right, right);
        *left = tree;
    } else {
        split(nodes, nodes[tree].left, node, left, &nodes[tree].left);
        *right = tree;
    }
    update(nodes, tree);
}

uint32_t proa_treap_enter(struct proa_access_node *nodes, uint32_t tree, uint32_t node)
{
    struct proa_access_node *this = &nodes[tree];
    uint32_t left, right;

    if (!tree || priority(node) > priority(tree)) {
        split(nodes, tree, node, &left, &right);
        nodes[node].left = left;
        nodes[node].right = right;
        update(nodes, node);
        return node;
    }
    if (is_before(nodes, node, tree))
        this->left = proa_treap_enter(nodes, this->left, node);
    else
        this->right = proa_treap_enter(nodes, this->right, node);
    update(nodes, tree);
    return tree;
}

uint32_t proa_treap_take_out(struct proa_access_node *nodes, uint32_t tree, uint32_t node)
{
    struct proa_access_node *this = &nodes[tree];

    if (tree == node)
        return join(nodes, this->left, this->right);
    if (is_before(nodes, node, tree))
        this->left = proa_treap_take_out(nodes, this->left, node);
    else
        this->right = proa_treap_take_out(nodes, this->right, node);
    update(nodes, tree);
    return tree;
}

uint32_t proa_treap_find(const struct proa_access_node *nodes, uint32_t tree, uint64_t low,
                         uint64_t high, const struct proa_access *access, proa_access_relation *has)
{
    const struct proa_access_node *this = &nodes[tree];
    uint32_t found;

    if (!tree || this->highest < low)
        return 0;
    found = proa_treap_find(nodes, this->left, low, high, access, has);
    if (found || this->access.low > high)
        return found;
    if (has(&this->access, access))
        return tree;
    return proa_treap_find(nodes, this->right, low, high, access, has);
}
