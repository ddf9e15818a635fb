/* SPDX-License-Identifier: BSD-3-Clause */
/* See accesses.h. */
#include "order/accesses.h"
#include "base/fail.h"
#include "order/blocks.h"
#include "order/clock.h"
#include "order/treap.h"

#include <stdlib.h>
#include <string.h>

static int overlap(const struct proa_access *one, const struct proa_access *other)
{
    return one->low < other->high && other->low < one->high;
}

static int covers(const struct proa_access *one, const struct proa_access *other)
{
    return one->low <= other->low && other->high <= one->high;
}

/* Returns true if both are of one place in the program, and of one kind. */
static int are_alike(const struct proa_access *one, const struct proa_access *other)
{
    return one->place == other->place && one->caller == other->caller &&
           proa_access_shape(one) == proa_access_shape(other) && one->origin == other->origin &&
           one->window == other->window && one->number == other->number;
}

/* Returns true if one of the two, with the bytes of both, can stand for both. If they are complete
 * at the same time, the first issued one has the older clock. So it conflicts with every access
 * that the other one conflicts with. */
static int are_one(const struct proa_access *kept, const struct proa_access *access)
{
    return kept->low <= access->high && access->low <= kept->high && are_alike(kept, access) &&
           kept->stamp == access->stamp && kept->seen == access->seen &&
           (kept->moment == access->moment || covers(kept, access));
}

/* Updates to a later access that is equal. */
static void update(struct proa_access *kept, const struct proa_access *access)
{
    kept->stamp = access->stamp;
    kept->seen = access->seen;
    kept->seen_arrival = access->seen_arrival;
    kept->arrival = access->arrival;
    kept->unread = access->unread;
    kept->payload = access->payload;
}

static int is_older(const struct proa_access *kept, const struct proa_access *access)
{
    return overlap(kept, access) && are_alike(kept, access);
}

/* ---- the indices ---- */

/* The accesses kept of a target. Local completion examines only accesses that fetch, so these have
 * a list of their own. */
struct proa_access_target {
    uint32_t tree;
    uint32_t oldest[2],
        newest[2]; /* lists of all nodes: those that do not fetch, and those that do */
};

static void enter(struct proa_accesses *accesses, uint32_t node)
{
    const struct proa_access_node *this = &accesses->nodes[node];
    uint32_t *tree = &accesses->of[this->target].tree;

    if (proa_is_of_block(&this->access))
        proa_blocks_enter(&accesses->blocks, accesses->nodes, node);
    else
        *tree = proa_treap_enter(accesses->nodes, *tree, node);
}

static void take_out(struct proa_accesses *accesses, uint32_t node)
{
    const struct proa_access_node *this = &accesses->nodes[node];
    uint32_t *tree = &accesses->of[this->target].tree;

    if (proa_is_of_block(&this->access))
        proa_blocks_take_out(&accesses->blocks, accesses->nodes, node);
    else
        *tree = proa_treap_take_out(accesses->nodes, *tree, node);
}

/* Examines all nodes that are in blocks. */
static uint32_t find_in_list(const struct proa_accesses *accesses, int target,
                             const struct proa_access *access, proa_access_relation *has)
{
    const struct proa_access_target *of = &accesses->of[target];

    for (int fetches = 0; fetches < 2; fetches++)
        for (uint32_t node = of->oldest[fetches]; node; node = accesses->nodes[node].newer)
            if (proa_is_of_block(&accesses->nodes[node].access) &&
                has(&accesses->nodes[node].access, access))
                return node;
    return 0;
}

static inline __attribute__((always_inline)) uint32_t
find_in_blocks(const struct proa_accesses *accesses, int target, const struct proa_access *access,
               uint64_t around, proa_access_relation *has)
{
    const uint64_t low = access->low ? access->low - around : 0, high = access->high - 1 + around;

    if (accesses->blocks.count == 0)
        return 0;
    return proa_blocks_are_few(&accesses->blocks, low, high)
               ? proa_blocks_find(&accesses->blocks, accesses->nodes, target, low, high, access,
                                  has)
               : find_in_list(accesses, target, access, has);
}

/* Returns the first node that has this relation to the access. Only nodes whose bytes overlap the
 * access, or touch it if around is 1, are certainly examined. The last access is not. */
static inline __attribute__((always_inline)) uint32_t
find(const struct proa_accesses *accesses, int target, const struct proa_access *access,
     uint64_t around, proa_access_relation *has)
{
    const uint32_t found = find_in_blocks(accesses, target, access, around, has),
                   tree = accesses->of[target].tree;

    return found || !tree
               ? found
               : proa_treap_find(accesses->nodes, tree, access->low, access->high, access, has);
}

/* ---- nodes ---- */

static int has_more_room(struct proa_accesses *accesses)
{
    const uint32_t room = accesses->room ? 2 * accesses->room : 64;
    struct proa_access_node *nodes =
        room > PROA_ACCESSES_MOST ? NULL : realloc(accesses->nodes, room * sizeof *nodes);

    if (!nodes)
        return 0;
    accesses->nodes = nodes;
    if (proa_blocks_begin(&accesses->blocks, room) != 0)
        return 0;
    accesses->room = room;
    for (uint32_t node = 1; node < accesses->used; node++)
        if (nodes[node].target >= 0 && proa_is_of_block(&nodes[node].access))
            proa_blocks_enter(&accesses->blocks, nodes, node);
    return 1;
}

static void append(struct proa_accesses *accesses, uint32_t node)
{
    struct proa_access_node *this = &accesses->nodes[node];
    struct proa_access_target *of = &accesses->of[this->target];
    const int list = this->access.fetches != 0;

    this->newer = 0;
    this->older = of->newest[list];
    if (this->older)
        accesses->nodes[this->older].newer = node;
    else
        of->oldest[list] = node;
    of->newest[list] = node;
}

static void unlink_node(struct proa_accesses *accesses, uint32_t node)
{
    const struct proa_access_node *this = &accesses->nodes[node];
    struct proa_access_target *of = &accesses->of[this->target];
    const int list = this->access.fetches != 0;

    if (this->older)
        accesses->nodes[this->older].newer = this->newer;
    else
        of->oldest[list] = this->newer;
    if (this->newer)
        accesses->nodes[this->newer].older = this->older;
    else
        of->newest[list] = this->older;
}

/* The node is in no index. */
static void forget(struct proa_accesses *accesses, uint32_t node)
{
    unlink_node(accesses, node);
    proa_moment_drop(accesses->nodes[node].access.moment);
    accesses->nodes[node].target = -1;
    accesses->alive--;
    accesses->fetching -= accesses->nodes[node].access.fetches != 0;
}

static void give_back(struct proa_accesses *accesses, uint32_t node)
{
    take_out(accesses, node);
    forget(accesses, node);
    accesses->nodes[node].left = accesses->unused;
    accesses->unused = node;
}

/* All nodes are in use, in about the order of their numbers: drops the oldest. */
static uint32_t drop_oldest(struct proa_accesses *accesses)
{
    uint32_t node = accesses->oldest;

    accesses->oldest = node + 1 < accesses->used ? node + 1 : 1;
    accesses->dropped++;
    take_out(accesses, node);
    forget(accesses, node);
    return node;
}

/* Returns 0 without memory. */
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

/* ---- functions for the checks ---- */

int proa_accesses_begin(struct proa_accesses *accesses, int targets)
{
    *accesses = (struct proa_accesses){.targets = targets, .used = 1, .oldest = 1};
    accesses->of = calloc((size_t)targets, sizeof *accesses->of);
    if (accesses->of && has_more_room(accesses))
        return PROA_OK;
    proa_accesses_end(accesses);
    return proa_fail(PROA_ERR_NO_MEM, "out of memory for the checks of a window");
}

void proa_accesses_end(struct proa_accesses *accesses)
{
    for (uint32_t node = 1; node < accesses->used; node++)
        if (accesses->nodes[node].target >= 0)
            proa_moment_drop(accesses->nodes[node].access.moment);
    if (accesses->young_of)
        proa_moment_drop(accesses->young.moment);
    free(accesses->of);
    free(accesses->nodes);
    proa_blocks_end(&accesses->blocks);
}

const struct proa_access *proa_accesses_find(const struct proa_accesses *accesses, int target,
                                             const struct proa_access *access,
                                             proa_access_relation *has)
{
    uint32_t found = find(accesses, target, access, 0, has);

    if (found)
        return &accesses->nodes[found].access;
    return accesses->young_of == target + 1 && has(&accesses->young, access) ? &accesses->young
                                                                             : NULL;
}

static int is_conflict(const struct proa_access *kept, const struct proa_access *access)
{
    return overlap(kept, access) && proa_access_conflicts(kept, access);
}

const struct proa_access *proa_accesses_conflict_of(const struct proa_accesses *accesses,
                                                    int target, const struct proa_access *access)
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
    accesses->nodes[node].target = target;
    accesses->fetching += access->fetches != 0;
    proa_moment_hold(access->moment);
    append(accesses, node);
    enter(accesses, node);
}

/* Changes the bytes of the node. */
static void reshape(struct proa_accesses *accesses, uint32_t node, uint64_t low, uint64_t high)
{
    struct proa_access_node *this = &accesses->nodes[node];

    take_out(accesses, node);
    this->access.low = low;
    this->access.high = high;
    enter(accesses, node);
}

/* The access may close the gap between kept ones, which are then merged into one. */
static void unite(struct proa_accesses *accesses, int target, const struct proa_access *access)
{
    struct proa_access whole = *access;
    uint32_t node;

    while ((node = find(accesses, target, &whole, 1, are_one)) != 0) {
        const struct proa_access *kept = &accesses->nodes[node].access;

        if (covers(kept, &whole))
            return;
        whole.low = kept->low < whole.low ? kept->low : whole.low;
        whole.high = kept->high > whole.high ? kept->high : whole.high;
        whole.unread = kept->unread < whole.unread ? kept->unread : whole.unread;
        give_back(accesses, node);
    }
    add(accesses, target, &whole);
}

static void forget_young(struct proa_accesses *accesses)
{
    proa_moment_drop(accesses->young.moment);
    accesses->young_of = 0;
    accesses->alive--;
}

static void give_young_a_node(struct proa_accesses *accesses)
{
    const int target = accesses->young_of - 1;

    if (target < 0)
        return;
    unite(accesses, target, &accesses->young);
    forget_young(accesses);
}

void proa_accesses_keep(struct proa_accesses *accesses, int target,
                        const struct proa_access *access)
{
    struct proa_access *young = &accesses->young;

    if (accesses->young_of == target + 1 && are_one(young, access)) {
        young->low = access->low < young->low ? access->low : young->low;
        young->high = access->high > young->high ? access->high : young->high;
        young->payload = access->payload;
        return;
    }
    give_young_a_node(accesses);
    *young = *access;
    accesses->young_of = target + 1;
    accesses->alive++;
    proa_moment_hold(access->moment);
}

/* Removes these bytes from the node. */
static void cut(struct proa_accesses *accesses, uint32_t node, uint64_t low, uint64_t high)
{
    const int target = accesses->nodes[node].target;
    struct proa_access rest = accesses->nodes[node].access;

    if (rest.low >= low && rest.high <= high) {
        give_back(accesses, node);
    } else if (rest.low < low) {
        reshape(accesses, node, rest.low, low);
        rest.low = high;
        if (rest.low < rest.high)
            add(accesses, target, &rest);
    } else {
        reshape(accesses, node, high, rest.high);
    }
}

/* Similar accesses never overlap, so one with the same bytes is the only one. */
void proa_accesses_renew(struct proa_accesses *accesses, int target,
                         const struct proa_access *access)
{
    uint32_t node;

    give_young_a_node(accesses);
    while ((node = find(accesses, target, access, 0, is_older)) != 0) {
        struct proa_access *kept = &accesses->nodes[node].access;

        if (covers(kept, access) && kept->stamp == access->stamp)
            return;
        if (kept->low == access->low && kept->high == access->high) {
            update(kept, access);
            return;
        }
        cut(accesses, node, access->low, access->high);
    }
    unite(accesses, target, access);
}

/* Atomics of one kind and shape are not related: programs with atomics of words make many. */
static int note(const struct proa_access *kept, const struct proa_access *access)
{
    struct proa_meeting *meeting = (struct proa_meeting *)(uintptr_t)access;
    const int is_alike = proa_access_shape(kept) == proa_access_shape(access);

    if (!overlap(kept, access))
        return 0;
    if (proa_access_reads_value(kept))
        meeting->value(meeting, kept);
    if (!meeting->first && !(is_alike && kept->kind == PROA_ACCESS_ATOMIC) &&
        meeting->has(kept, access))
        meeting->first = kept;
    if (!is_alike || !are_alike(kept, access))
        return 0;
    meeting->like = kept;
    if (kept->low == access->low && kept->high == access->high)
        meeting->same = (struct proa_access *)(uintptr_t)kept;
    return 0;
}

static int has_first(const struct proa_access *kept, const struct proa_access *access)
{
    return overlap(kept, access) && ((const struct proa_meeting *)access)->has(kept, access);
}

/* A value that the access observed may order it after accesses that were examined before, so they
 * are examined again. */
static void
tell_first(const struct proa_accesses *accesses, int target, const struct proa_meeting *meeting,
           void (*tell)(const struct proa_access *kept, const struct proa_access *access))
{
    const struct proa_access *first =
        meeting->first && meeting->access.seen
            ? proa_accesses_find(accesses, target, &meeting->access, has_first)
            : meeting->first;

    if (first)
        tell(first, &meeting->access);
}

/* Accesses that can be merged are complete at once, and mostly arrive consecutively. */
int proa_accesses_meet(struct proa_accesses *accesses, int target, struct proa_meeting *meeting,
                       void (*tell)(const struct proa_access *kept,
                                    const struct proa_access *access))
{
    give_young_a_node(accesses);
    find(accesses, target, &meeting->access, 0, note);
    if (meeting->part)
        return 0;
    tell_first(accesses, target, meeting, tell);
    if (meeting->same) {
        update(meeting->same, &meeting->access);
        return 1;
    }
    meeting->access.moment = NULL;
    if (meeting->like)
        proa_accesses_renew(accesses, target, &meeting->access);
    else if (accesses->stamp == meeting->access.stamp)
        unite(accesses, target, &meeting->access);
    else
        add(accesses, target, &meeting->access);
    accesses->stamp = meeting->access.stamp;
    return 1;
}

static void drop_of(struct proa_accesses *accesses, int target, int list, proa_access_goes *goes,
                    void *arg)
{
    uint32_t next;

    for (uint32_t node = accesses->of[target].oldest[list]; node; node = next) {
        next = accesses->nodes[node].newer;
        if (goes(&accesses->nodes[node].access, arg))
            give_back(accesses, node);
    }
}

static void drop_young(struct proa_accesses *accesses, int target, int fetches,
                       proa_access_goes *goes, void *arg)
{
    if (accesses->young_of && (target < 0 || accesses->young_of == target + 1) &&
        (!fetches || accesses->young.fetches) && goes(&accesses->young, arg))
        forget_young(accesses);
}

static uint32_t nodes_of(const struct proa_accesses *accesses)
{
    return accesses->alive - (accesses->young_of != 0);
}

void proa_accesses_drop(struct proa_accesses *accesses, int target, int fetches,
                        proa_access_goes *goes, void *arg)
{
    int first = target < 0 ? 0 : target, end = target < 0 ? accesses->targets : target + 1;

    if (accesses->alive == 0)
        return;
    for (int i = first; i < end && (fetches ? accesses->fetching : nodes_of(accesses)); i++)
        for (int list = fetches; list < 2; list++)
            drop_of(accesses, i, list, goes, arg);
    drop_young(accesses, target, fetches, goes, arg);
    if (accesses->alive == 0) {
        accesses->used = accesses->oldest = 1;
        accesses->unused = 0;
    }
}
