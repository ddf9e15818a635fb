/* SPDX-License-Identifier: BSD-3-Clause */
/* See offer.h. */
#include "net/offer.h"
#include "base/hash.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUTED = -2,     /* a route between subnets may be missing */
    HELD = 512,      /* one network is better than two */
    HELD_ROUTED = 1, /* the same, but it may not lead to the others */
    NTH_MOST = 4,    /* addresses of a process in one subnet that are considered */
    ENTRIES_MOST = PROA_OFFERS_MOST * 2 * NTH_MOST
};

/* ---- one entry, one process ---- */

static const unsigned char mapped[12] = {[10] = 0xff, 0xff};

static int is_ipv4(const unsigned char address[16])
{
    return memcmp(address, mapped, sizeof mapped) == 0;
}

/* The address without the bits that name a machine. */
static void subnet_of(const struct proa_offer *offer, unsigned char subnet[16])
{
    for (int i = 0; i < 16; i++) {
        int bits = offer->bits - 8 * i;

        subnet[i] = bits >= 8  ? offer->address[i]
                    : bits > 0 ? (unsigned char)(offer->address[i] & (0xff00 >> bits))
                               : 0;
    }
}

static int is_in(const struct proa_offer *offer, const struct proa_common *common)
{
    unsigned char subnet[16];

    if (offer->kind != common->kind || ((offer->flags ^ common->flags) & PROA_OFFER_IP) ||
        (offer->flags & PROA_OFFER_LOOPBACK && !common->machine))
        return 0;
    if (!(common->flags & PROA_OFFER_IP))
        return 1;
    if (common->routed)
        return !(offer->flags & (PROA_OFFER_LINK | PROA_OFFER_LOOPBACK)) &&
               is_ipv4(offer->address) == is_ipv4(common->subnet);
    subnet_of(offer, subnet);
    return offer->bits == common->bits && memcmp(subnet, common->subnet, sizeof subnet) == 0;
}

int proa_offers_pick(const struct proa_offers *mine, const struct proa_common *common)
{
    int last = -1, before = 0;

    for (int i = 0; i < mine->count && before <= common->nth; i++)
        if (is_in(&mine->offer[i], common)) {
            last = i;
            before++;
        }
    return last;
}

/* ---- one entry, all processes ---- */

/* An address, and the machine of its process. */
struct at {
    unsigned char address[16];
    uint64_t machine;
};

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct at));
}

/* Returns whether two machines show the same address. Sorts the addresses. */
static int is_ambiguous(struct at *at, int count)
{
    qsort(at, (size_t)count, sizeof *at, compare);
    for (int i = 1; i < count; i++)
        if (at[i].machine != at[i - 1].machine &&
            memcmp(at[i].address, at[i - 1].address, sizeof at[i].address) == 0)
            return 1;
    return 0;
}

/* Completes an entry whose key is set. Returns 0 if not all processes are in it, or it leads
 * nowhere. */
static int evaluate(const struct proa_offers *all, int count, struct at *at,
                    struct proa_common *common)
{
    int worth = INT16_MAX, held = 0;

    common->places = PROA_HASH_OF_NOTHING;
    for (int i = 0; i < count; i++) {
        int picked = proa_offers_pick(&all[i], common);
        const struct proa_offer *offer = &all[i].offer[picked < 0 ? 0 : picked];

        if (picked < 0)
            return 0;
        worth = offer->worth < worth ? offer->worth : worth;
        held |= offer->flags & PROA_OFFER_HELD;
        common->flags |= offer->flags & PROA_OFFER_DEVICE;
        at[i].machine = all[i].machine;
        memcpy(at[i].address, offer->address, sizeof at[i].address);
        common->places = proa_hash_bytes(common->places, offer->address, sizeof offer->address);
    }
    common->score = worth + (common->routed ? ROUTED : 0);
    if (held)
        common->score += common->routed ? HELD_ROUTED : HELD;
    /* Two providers that drive no device fail alike on the same addresses: trying one is enough. */
    if (common->flags & PROA_OFFER_DEVICE || !(common->flags & PROA_OFFER_IP))
        common->places = proa_hash_bytes(common->places, &common->kind, sizeof common->kind);
    return !(common->flags & PROA_OFFER_IP) || !is_ambiguous(at, count);
}

/* ---- the list ---- */

struct entries {
    int count;
    struct proa_common entry[ENTRIES_MOST]; /* network is 0 in an entry that was removed */
    struct at at[];                         /* addresses of the processes in one of the entries */
};

static int is_listed(const struct entries *list, const struct proa_common *one)
{
    for (int i = 0; i < list->count; i++)
        if (list->entry[i].network == one->network)
            return 1;
    return 0;
}

/* Adds the entries that differ only in `nth`. */
static void add(struct entries *list, struct proa_common one)
{
    enum { KEY = offsetof(struct proa_common, machine), END = offsetof(struct proa_common, score) };

    for (one.nth = 0; one.nth < NTH_MOST; one.nth++) {
        uint64_t hash = proa_hash_bytes(PROA_HASH_OF_NOTHING, (const char *)&one + KEY, END - KEY);

        one.network = hash ? hash : 1;
        if (list->count < ENTRIES_MOST && !is_listed(list, &one))
            list->entry[list->count++] = one;
    }
}

/* Proposes the entries that process 0 could be in: others are not common. */
static void propose(const struct proa_offers *first, uint64_t machine, struct entries *list)
{
    for (int i = 0; i < first->count; i++) {
        const struct proa_offer *offer = &first->offer[i];
        struct proa_common one = {
            .kind = offer->kind, .machine = machine, .flags = offer->flags & PROA_OFFER_IP};
        struct proa_common routed = one;

        if (one.flags & PROA_OFFER_IP) {
            one.bits = offer->bits;
            subnet_of(offer, one.subnet);
        }
        add(list, one);
        if (!(one.flags & PROA_OFFER_IP) || offer->flags & (PROA_OFFER_LINK | PROA_OFFER_LOOPBACK))
            continue;
        routed.routed = 1;
        if (is_ipv4(offer->address))
            memcpy(routed.subnet, mapped, sizeof mapped);
        add(list, routed);
    }
}

/* Returns the best entry, the first one among equals; NULL if none is left. */
static const struct proa_common *best_of(const struct entries *list)
{
    const struct proa_common *best = NULL;

    for (int i = 0; i < list->count; i++)
        if (list->entry[i].network && (!best || list->entry[i].score > best->score))
            best = &list->entry[i];
    return best;
}

/* Drops the other entries on the same addresses: one try is enough. */
static void drop_places(struct entries *list, uint64_t places)
{
    for (int i = 0; i < list->count; i++)
        if (list->entry[i].places == places)
            list->entry[i].network = 0;
}

/* Returns the machine whose addresses all processes have; 0 if there is none. */
static uint64_t machine_of(const struct proa_offers *all, int count)
{
    for (int i = 1; i < count; i++)
        if (all[i].machine != all[0].machine)
            return 0;
    return all[0].machine;
}

size_t proa_offers_room(int count)
{
    return sizeof(struct entries) + (size_t)count * sizeof(struct at);
}

int proa_offers_common(const struct proa_offers *all, int count, void *room,
                       struct proa_common list[PROA_COMMON_MOST])
{
    struct entries *entries = room;
    const struct proa_common *best;
    int common = 0;

    entries->count = 0;
    propose(&all[0], machine_of(all, count), entries);
    for (int i = 0; i < entries->count; i++)
        if (!evaluate(all, count, entries->at, &entries->entry[i]))
            entries->entry[i].network = 0;
    while (common < PROA_COMMON_MOST && (best = best_of(entries))) {
        list[common] = *best;
        drop_places(entries, list[common++].places);
    }
    return common;
}

/* ---- names ---- */

static int has_kind(const struct proa_offers *one, uint32_t kind)
{
    for (int i = 0; i < one->count; i++)
        if (one->offer[i].kind == kind)
            return 1;
    return 0;
}

int proa_offers_stranger(const struct proa_offers *all, int count)
{
    for (int i = 1; i < count; i++) {
        int shared = 0;

        for (int k = 0; k < all[0].count; k++)
            shared |= has_kind(&all[i], all[0].offer[k].kind);
        if (!shared)
            return i;
    }
    return -1;
}

void proa_common_name(const struct proa_common *common, char *text, size_t bytes)
{
    char subnet[INET6_ADDRSTRLEN] = "";
    int ipv4 = is_ipv4(common->subnet);

    if (!(common->flags & PROA_OFFER_IP)) {
        snprintf(text, bytes, "its fabric");
    } else if (common->routed) {
        snprintf(text, bytes, "any subnet of %s", ipv4 ? "IPv4" : "IPv6");
    } else {
        inet_ntop(ipv4 ? AF_INET : AF_INET6, common->subnet + (ipv4 ? sizeof mapped : 0), subnet,
                  sizeof subnet);
        snprintf(text, bytes, "%s/%d", subnet, common->bits - (ipv4 ? 8 * (int)sizeof mapped : 0));
    }
}
