/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which networks processes have in common.
 *
 * Each process shows the networks that it could use: its offers, one for each address and provider.
 * From the offers of all, every process computes the same list of common networks, the best first.
 * A common network is tried before anything depends on it (remote/network.h), so the order decides
 * which is tried first and no more.
 *
 *   - A subnet in which each process has an address is common. Processes with several addresses in
 *     it use the first one each, and the second one each in a further entry.
 *   - A network without subnets, such as InfiniBand, is common by its provider.
 *   - Addresses of different subnets may be routed. Such an entry stands for any address of each
 *     process, of one family.
 *   - Two machines with one and the same address cannot reach each other by it (docker0, virbr0).
 *     An entry in which two machines show the same address is left out. So are loopback addresses,
 *     unless all processes share one machine's addresses.
 *   - One provider is tried on the same addresses, and one that drives a device before it.
 *
 * The functions are pure, and all processes call them with the same bytes.
 */
#ifndef PROA_NET_OFFER_H
#define PROA_NET_OFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PROA_OFFERS_MOST = 32, /* offers that a process shows: its best */
    PROA_COMMON_MOST = 8,  /* networks that are tried: the best */
    PROA_OFFER_NAME = 48   /* bytes of a readable name */
};

/* Flags of an offer. */
enum {
    PROA_OFFER_IP = 1,       /* the network has an address of a subnet */
    PROA_OFFER_LINK = 2,     /* the address is link-local: 169.254/16, fe80::/10 */
    PROA_OFFER_LOOPBACK = 4, /* the address is of the machine alone */
    PROA_OFFER_DEVICE = 8,   /* a device moves the bytes */
    PROA_OFFER_HELD = 16     /* this process has a window on that network already */
};

/* A network that a process could use. */
struct proa_offer {
    uint32_t kind; /* the provider; processes with different ones cannot communicate */
    int16_t worth; /* larger is better; at most a few hundred, positive or negative */
    uint8_t bits;  /* length of the address's prefix that names its subnet; at most 128 */
    uint8_t flags;
    /* IPv4 as ::ffff:a.b.c.d; without PROA_OFFER_IP, any name for the device */
    unsigned char address[16];
};

/* Returns whether both are of one network of the same process. */
static inline int proa_offer_is_same(const struct proa_offer *a, const struct proa_offer *b)
{
    return a->kind == b->kind && memcmp(a->address, b->address, sizeof a->address) == 0;
}

/* The offers of a process. */
struct proa_offers {
    uint64_t machine; /* hash of the machine: processes with the same one have the same addresses */
    uint64_t given_up; /* not 0 if core has tried these networks in vain */
    int32_t error;     /* a negative code if there are no offers */
    int32_t count;
    struct proa_offer offer[PROA_OFFERS_MOST]; /* the best first */
};

/* A network that all processes have. The members from `machine` to `subnet` identify it. */
struct proa_common {
    uint64_t network; /* identifies the network on all its processes; not 0 */
    uint64_t places;  /* identifies the addresses that the processes have in it */
    uint64_t machine; /* the machine whose addresses all processes share; 0 if none */
    uint32_t kind;
    uint8_t flags, bits, routed, nth;
    unsigned char subnet[16];
    int32_t score;
};

/* Fill the list of common networks, the best first. The result is the same for the same offers in
 * the same order. count: number of processes, each with `error` 0. room: proa_offers_room(count)
 * bytes of scratch memory. Returns the length of the list. */
size_t proa_offers_room(int count);
int proa_offers_common(const struct proa_offers *all, int count, void *room,
                       struct proa_common list[PROA_COMMON_MOST]);

/* Returns the index of the offer that a process uses on that network, or -1 if it has none there.
 */
int proa_offers_pick(const struct proa_offers *mine, const struct proa_common *common);

/* Returns the first process that shares no provider with process 0, or -1 if all share one with it.
 */
int proa_offers_stranger(const struct proa_offers *all, int count);

/* Writes a readable name of the network's place: a subnet such as 192.0.2.0/24. */
void proa_common_name(const struct proa_common *common, char *text, size_t bytes);

#endif
