/* SPDX-License-Identifier: BSD-3-Clause */
/* See accesses.h. */
#include "order/accesses.h"
#include "base/fail.h"
#include "order/clock.h"

#include <stdlib.h>
#include <string.h>

/* A search looks at the first 32 bytes alone. */
struct proa_access_node {
    uint64_t highest; /* the highest end in this tree */
    uint32_t left, right;
    struct proa_access access;
    int target; /* -1: given back, and left is the next such node */
};

/* ---- conflicts ---- */

const char *proa_access_name(const struct proa_access *access)
{
    switch (access->call) {
    case PROA_ACCESS_LOAD:
        return "a load";
    case PROA_ACCESS_STORE:
        return "a store";
    case PROA_ACCESS_TOUCH:
        return "a load or a store";
    default:
        return proa_call_name((enum proa_call)access->call);
    }
}

int proa_access_conflicts(const struct proa_access *one, const struct proa_access *other)
{
    const unsigned kinds = 1U << one->kind | 1U << other->kind;

    if (kinds & 1U << PROA_ACCESS_WRITE)
        return 1;
    if ((kinds & 1U << PROA_ACCESS_ATOMIC) == 0)
        return 0;
    if (kinds == 1U << PROA_ACCESS_ATOMIC) /* 13.7.1: atomic with one predefined type only */
        return one->basic != other->basic;
    return (kinds & 1U << PROA_ACCESS_READ) != 0;
}

static int overlap(const struct proa_access *one, const struct proa_access *other)
{
    return one->low < other->high && other->low < one->high;
}

static int covers(const struct proa_access *one, const struct proa_access *other)
{
    return one->low <= other->low && other->high <= one->high;
}

/* Are they of one place in the program, and of one kind? */
static int are_alike(const struct proa_access *one, const struct proa_access *other)
{
    return one->caller == other->caller && one->call == other->call && one->kind == other->kind &&
           one->basic == other->basic && one->requested == other->requested &&
           one->fetches == other->fetches && one->epoch == other->epoch &&
           one->window == other->window && one->origin == other->origin &&
           one->place == other->place && one->number == other->number;
}

/* Is it enough to keep one of the two, with the bytes of both? Of accesses that are complete at the
 * same time the one that was issued first, and so knew least, conflicts with all that the other
 * does. */
static int are_one(const struct proa_access *kept, const struct proa_access *access)
{
    return kept->low <= access->high && access->low <= kept->high && are_alike(kept, access) &&
           kept->stamp == access->stamp && (kept->moment == access->moment || covers(kept, access));
}

static int is_older(const struct proa_access *kept, const struct proa_access *access)
{
    return overlap(kept, access) && are_alike(kept, access);
}

/* ---- the tree ---- */

/* Nodes are ordered by where they begin, and then by number. */
static int is_before(const struct proa_accesses *accesses, uint32_t one, uint32_t other)
{
    uint64_t low = accesses->nodes[one].access.low, than = accesses->nodes[other].access.low;

    return low < than || (low == than && one < other);
}

/* The heap's order: as good as random, and the same for a node whenever it is asked. */
static uint32_t priority(uint32_t node)
{
    node *= 2654435769U;
    node ^= node >> 15;
    node *= 2246822519U;
    return node ^ node >> 13;
}

static void update(struct proa_accesses *accesses, uint32_t node)
{
    struct proa_access_node *nodes = accesses->nodes, *this = &nodes[node];

    this->highest = this->access.high;
    if (this->left && nodes[this->left].highest > this->highest)
        this->highest = nodes[this->left].highest;
    if (this->right && nodes[this->right].highest > this->highest)
        this->highest = nodes[this->right].highest;
}

/* All of `left` is before all of `right`. */
static uint32_t join(struct proa_accesses *accesses, uint32_t left, uint32_t right)
{
    if (!left || !right)
        return left ? left : right;
    if (priority(left) > priority(right)) {
        accesses->nodes[left].right = join(accesses, accesses->nodes[left].right, right);
        update(accesses, left);
        return left;
    }
    accesses->nodes[right].left = join(accesses, left, accesses->nodes[right].left);
    update(accesses, right);
    return right;
}

/* Splits a tree into what is before the node, and the rest. */
static void split(struct proa_accesses *accesses, uint32_t tree, uint32_t node, uint32_t *left,
                  uint32_t *right)
{
    if (!tree) {
        *left = *right = 0;
        return;
    }
    if (is_before(accesses, tree, node)) {
        split(accesses, accesses->nodes[tree].right, node, &accesses->nodes[tree].right, right);
        *left = tree;
    } else {
        split(accesses, accesses->nodes[tree].left, node, left, &accesses->nodes[tree].left);
        *right = tree;
    }
    update(accesses, tree);
}

static uint32_t without(struct proa_accesses *accesses, uint32_t tree, uint32_t node)
{
    struct proa_access_node *this = &accesses->nodes[tree];

    if (tree == node)
        return join(accesses, this->left, this->right);
    if (is_before(accesses, node, tree))
        this->left = without(accesses, this->left, node);
    else
        this->right = without(accesses, this->right, node);
    update(accesses, tree);
    return tree;
}

/* Local completion looks at those that fetch alone, so these have a tree of their own. */
static uint32_t *root_of(const struct proa_accesses *accesses, int target, int fetches)
{
    return &accesses->roots[2 * target + (fetches != 0)];
}

static void enter(struct proa_accesses *accesses, int target, uint32_t node)
{
    uint32_t *root = root_of(accesses, target, accesses->nodes[node].access.fetches), left, right;

    accesses->nodes[node].left = accesses->nodes[node].right = 0;
    accesses->nodes[node].target = target;
    update(accesses, node);
    split(accesses, *root, node, &left, &right);
    *root = join(accesses, join(accesses, left, node), right);
}

static void take_out(struct proa_accesses *accesses, uint32_t node)
{
    const struct proa_access_node *this = &accesses->nodes[node];
    uint32_t *root = root_of(accesses, this->target, this->access.fetches);

    *root = without(accesses, *root, node);
}

/* The first node of the tree that has this relation to the access; only such whose bytes touch it
 * are looked at. */
static uint32_t find(const struct proa_accesses *accesses, uint32_t tree,
                     const struct proa_access *access, proa_access_relation *has)
{
    const struct proa_access_node *this = &accesses->nodes[tree];
    uint32_t found;

    if (!tree || this->highest < access->low)
        return 0;
    found = find(accesses, this->left, access, has);
    if (found || this->access.low > access->high)
        return found;
    return has(&this->access, access) ? tree : find(accesses, this->right, access, has);
}

/* ---- nodes ---- */

static int has_more_room(struct proa_accesses *accesses)
{
    uint32_t room = accesses->room ? 2 * accesses->room : 64;
    struct proa_access_node *nodes;

    if (room > PROA_ACCESSES_MOST)
        return 0;
    nodes = realloc(accesses->nodes, room * sizeof *nodes);
    if (!nodes)
        return 0;
    accesses->nodes = nodes;
    accesses->room = room;
    return 1;
}

static void give_back(struct proa_accesses *accesses, uint32_t node)
{
    proa_moment_drop(accesses->nodes[node].access.moment);
    accesses->nodes[node].target = -1;
    accesses->nodes[node].left = accesses->unused;
    accesses->unused = node;
    accesses->alive--;
}

/* All nodes are alive, in about the order of their numbers: the oldest goes. */
static uint32_t drop_oldest(struct proa_accesses *accesses)
{
    uint32_t node = accesses->oldest;

    accesses->oldest = node + 1 < accesses->used ? node + 1 : 1;
    accesses->dropped++;
    take_out(accesses, node);
    proa_moment_drop(accesses->nodes[node].access.moment);
    accesses->alive--;
    return node;
}

/* 0: there is no memory at all. */
static uint32_t take(struct proa_accesses *accesses)
{
    uint32_t node = accesses->unused;

    if (node)
        accesses->unused = accesses->nodes[node].left;
    else if (accesses->used < accesses->room || has_more_room(accesses))
        node = accesses->used++;
    else
        node = accesses->alive ? drop_oldest(accesses) : 0;
    accesses->alive += node != 0;
    return node;
}

/* ---- what checks call ---- */

int proa_accesses_begin(struct proa_accesses *accesses, int targets)
{
    *accesses = (struct proa_accesses){.targets = targets, .used = 1, .oldest = 1};
    accesses->roots = calloc(2 * (size_t)targets, sizeof *accesses->roots);
    if (accesses->roots && has_more_room(accesses))
        return PROA_OK;
    proa_accesses_end(accesses);
    return proa_fail(PROA_ERR_NO_MEM, "out of memory for the checks of a window");
}

static int all_go(const struct proa_access *access, void *arg)
{
    (void)access, (void)arg;
    return 1;
}

void proa_accesses_end(struct proa_accesses *accesses)
{
    if (accesses->roots)
        proa_accesses_drop(accesses, -1, 0, all_go, NULL);
    free(accesses->roots);
    free(accesses->nodes);
}

const struct proa_access *proa_accesses_find(const struct proa_accesses *accesses, int target,
                                             const struct proa_access *access,
                                             proa_access_relation *has)
{
    uint32_t found = find(accesses, *root_of(accesses, target, 0), access, has);

    if (!found)
        found = find(accesses, *root_of(accesses, target, 1), access, has);
    return found ? &accesses->nodes[found].access : NULL;
}

static int is_conflict(const struct proa_access *kept, const struct proa_access *access)
{
    return overlap(kept, access) && proa_access_conflicts(kept, access);
}

const struct proa_access *proa_accesses_conflict(const struct proa_accesses *accesses, int target,
                                                 const struct proa_access *access)
{
    return proa_accesses_find(accesses, target, access, is_conflict);
}

static void add(struct proa_accesses *accesses, int target, const struct proa_access *access)
{
    uint32_t node = take(accesses);

    if (!node) {
        accesses->dropped++;
        return;
    }
    accesses->nodes[node].access = *access;
    if (access->moment)
        proa_moment_hold(access->moment);
    enter(accesses, target, node);
}

/* Its bytes become these. */
static void reshape(struct proa_accesses *accesses, uint32_t node, uint64_t low, uint64_t high)
{
    struct proa_access_node *this = &accesses->nodes[node];

    take_out(accesses, node);
    this->access.low = low;
    this->access.high = high;
    enter(accesses, this->target, node);
}

void proa_accesses_keep(struct proa_accesses *accesses, int target,
                        const struct proa_access *access)
{
    uint32_t node = find(accesses, *root_of(accesses, target, access->fetches), access, are_one);
    const struct proa_access *kept = &accesses->nodes[node].access;

    if (!node)
        add(accesses, target, access);
    else if (!covers(kept, access))
        reshape(accesses, node, kept->low < access->low ? kept->low : access->low,
                kept->high > access->high ? kept->high : access->high);
}

/* Takes these bytes away from the node. */
static void cut(struct proa_accesses *accesses, uint32_t node, uint64_t low, uint64_t high)
{
    struct proa_access_node *this = &accesses->nodes[node];
    struct proa_access rest = this->access;

    if (rest.low >= low && rest.high <= high) {
        take_out(accesses, node);
        give_back(accesses, node);
    } else if (rest.low < low) {
        reshape(accesses, node, rest.low, low);
        rest.low = high;
        if (rest.low < rest.high)
            add(accesses, this->target, &rest);
    } else {
        reshape(accesses, node, high, rest.high);
    }
}

/* Of accesses that are alike none overlap, so one with the same bytes is the only one. */
void proa_accesses_renew(struct proa_accesses *accesses, int target,
                         const struct proa_access *access)
{
    const uint32_t *root = root_of(accesses, target, access->fetches);
    uint32_t node;

    while ((node = find(accesses, *root, access, is_older)) != 0) {
        struct proa_access *kept = &accesses->nodes[node].access;

        if (covers(kept, access) && kept->stamp == access->stamp)
            return;
        if (kept->low == access->low && kept->high == access->high) {
            kept->stamp = access->stamp;
            return;
        }
        cut(accesses, node, access->low, access->high);
    }
    proa_accesses_keep(accesses, target, access);
}

/* What is left of the tree: nothing, or without those that go. */
static uint32_t without_those(struct proa_accesses *accesses, uint32_t tree, proa_access_goes *goes,
                              void *arg)
{
    uint32_t left, right;

    if (!tree)
        return 0;
    left = without_those(accesses, accesses->nodes[tree].left, goes, arg);
    right = without_those(accesses, accesses->nodes[tree].right, goes, arg);
    if (goes(&accesses->nodes[tree].access, arg)) {
        give_back(accesses, tree);
        return join(accesses, left, right);
    }
    accesses->nodes[tree].left = left;
    accesses->nodes[tree].right = right;
    update(accesses, tree);
    return tree;
}

void proa_accesses_drop(struct proa_accesses *accesses, int target, int fetches,
                        proa_access_goes *goes, void *arg)
{
    int first = target < 0 ? 0 : target, end = target < 0 ? accesses->targets : target + 1;

    if (accesses->alive == 0)
        return;
    for (int i = 2 * first; i < 2 * end; i++)
        if (!fetches || (i & 1))
            accesses->roots[i] = without_those(accesses, accesses->roots[i], goes, arg);
    if (accesses->alive == 0) {
        accesses->used = accesses->oldest = 1;
        accesses->unused = 0;
    }
}
