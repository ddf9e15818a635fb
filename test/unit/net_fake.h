/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network within one machine, for tests: a transport (net/net.h) between the processes of a
 * world, over rings in the world's shared memory.
 *
 * Puts and gets travel as packets and are done by the target's progress, so nothing is ever moved
 * behind a process's back that a real network might leave to it. What the contract allows a network
 * to do this one does on demand: it delays, lets puts and gets overtake each other and messages,
 * has no room, fails, loses a peer. It counts what went by.
 */
#ifndef PROA_TEST_NET_FAKE_H
#define PROA_TEST_NET_FAKE_H

#include "net/net.h"
#include "world.h"

extern const struct proa_net_transport proa_net_fake;

/* How it behaves, in this process; all zero: as well as it can. */
struct net_fake_rules {
    uint64_t seed;
    /* calls of progress between the arrival of a packet and its delivery, at the most */
    uint32_t delay_most;
    int overtaking;        /* an operation that may overtake does so when its delay is over first */
    uint32_t again_of_100; /* how many sends, puts and gets find no room */
    uint32_t fail_of_100;  /* how many puts and gets fail, having been done or not */
};

/* For the process that calls it, before open: the rings lie at the end of world->shared. */
void net_fake_join(struct world *world);
void net_fake_set_rules(const struct net_fake_rules *rules);

/* From the next progress on. net NULL: the one that this process has opened. */
void net_fake_lose(struct proa_net *net, uint32_t peer);

/* The same, as if the peer had ended in order; its earlier messages still come. */
void net_fake_leave(uint32_t peer);
void net_fake_gives_up(uint32_t peer);

/* 1: nothing that comes to this process is delivered any more when this returns, until 0. By any
 * thread. */
void net_fake_hold(int held);

/* The last message that this process has sent to that peer, and its bytes. */
const unsigned char *net_fake_last(uint32_t peer, size_t *bytes);

/* Counts the goodbyes of this process's end (part), where it is set: those out of order, and those
 * in order. The peers hear them. */
extern uint32_t *net_fake_parted;

/* What went by in this process since net_fake_join. */
struct net_fake_counts {
    long sent, received; /* messages */
    long puts, gets, again, failed;
    long dropped;   /* peers */
    long overtaken; /* packets delivered before one that had come earlier from the same peer */
    long exposed;   /* now */
};
struct net_fake_counts net_fake_counts(void);

#endif
