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
 * Pure functions over bytes that all processes have alike.
 */
#ifndef PROA_NET_OFFER_H
#define PROA_NET_OFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PROA_OFFERS_MOST = 32, /* that a process shows: the best */
    PROA_COMMON_MOST = 8,  /* networks that are tried: the best */
    PROA_OFFER_NAME = 48   /* bytes of a text for people */
};

/* Of an offer. */
enum {
    PROA_OFFER_IP = 1,       /* it has an address of a subnet */
    PROA_OFFER_LINK = 2,     /* which is of the link alone: 169.254/16, fe80::/10 */
    PROA_OFFER_LOOPBACK = 4, /* or of the machine alone */
    PROA_OFFER_DEVICE = 8,   /* a device moves the bytes */
    PROA_OFFER_HELD = 16     /* this process is on that network already, with a window */
};

/* A network that a process could use. */
struct proa_offer {
    uint32_t kind; /* the provider: processes with different ones cannot talk */
    int16_t worth; /* more is better; a few hundred at the most, either way */
    uint8_t bits;  /* of the address: so many name its subnet; 128 at the most */
    uint8_t flags;
    /* IPv4 as ::ffff:a.b.c.d; without PROA_OFFER_IP, any name for the device */
    unsigned char address[16];
};

/* Are they of one network, of the same process? */
static inline int proa_offer_is_same(const struct proa_offer *a, const struct proa_offer *b)
{
    return a->kind == b->kind && memcmp(a->address, b->address, sizeof a->address) == 0;
}

/* The offers of a process. */
struct proa_offers {
    uint64_t machine;  /* processes with the same have the same addresses */
    uint64_t given_up; /* not 0: core has tried these networks in vain */
    int32_t error;     /* there are none: a negative code */
    int32_t count;
    struct proa_offer offer[PROA_OFFERS_MOST]; /* the best first */
};

/* A network that all processes have. The members from `machine` to `subnet` name it. */
struct proa_common {
    uint64_t network; /* stands for it; not 0. The same on all processes of that network */
    uint64_t places;  /* stands for the addresses that the processes have in it */
    uint64_t machine; /* 0, or all processes share this one's addresses */
    uint32_t kind;
    uint8_t flags, bits, routed, nth;
    unsigned char subnet[16];
    int32_t score;
};

/* Fills the list, the best first; how many. The same for the same offers in the same order. count:
 * of processes, with `error` 0 each. room: proa_offers_room(count) bytes to work in. */
size_t proa_offers_room(int count);
int proa_offers_common(const struct proa_offers *all, int count, void *room,
                       struct proa_common list[PROA_COMMON_MOST]);

/* Which of its offers a process uses on that network; -1: it has none there. */
int proa_offers_pick(const struct proa_offers *mine, const struct proa_common *common);

/* The first process that shares no provider with process 0; -1: all share one with it. */
int proa_offers_stranger(const struct proa_offers *all, int count);

/* A text for the network's place: a subnet such as 192.0.2.0/24. */
void proa_common_name(const struct proa_common *common, char *text, size_t bytes);

#endif
