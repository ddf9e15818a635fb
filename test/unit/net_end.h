/* SPDX-License-Identifier: BSD-3-Clause */
/* Endpoints of the transport over libfabric, and what happens at them. */
#ifndef PROA_TEST_NET_END_H
#define PROA_TEST_NET_END_H

#include "world.h"

#include "base/system.h"
#include "net/ofi.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct proa_net_transport *const transport = &proa_net_ofi;

enum { MOST_TOKENS = 64 };

/* ---- what happens ---- */

struct seen {
    int messages, lost;
    enum proa_net_end how; /* was the last one lost */
    size_t bytes;          /* of the last message */
    int done[MOST_TOKENS], outcome[MOST_TOKENS];
    unsigned char last[PROA_NET_MESSAGE_MOST];
};

static inline void on_message(void *context, uint32_t peer, const void *body, size_t bytes)
{
    struct seen *seen = context;

    (void)peer;
    seen->messages++;
    seen->bytes = bytes;
    memcpy(seen->last, body, bytes);
}

static inline void on_done(void *context, uint64_t token, int outcome)
{
    struct seen *seen = context;

    CHECK(token < MOST_TOKENS);
    seen->done[token]++;
    seen->outcome[token] = outcome;
}

static inline void on_lost(void *context, uint32_t peer, enum proa_net_end end)
{
    struct seen *seen = context;

    (void)peer;
    seen->lost++;
    seen->how = end;
}

static const struct proa_net_events events = {on_message, on_done, on_lost};

/* ---- processes ---- */

struct end {
    struct proa_net *net;
    struct proa_net_address address;
    struct seen seen;
};

/* In the world's shared memory: the facts about each that others need. */
struct card {
    struct proa_net_address address;
    struct proa_net_key key;
    uint64_t memory;
    uint32_t there;
    uint32_t steps; /* how far it is; or told by the other */
    uint32_t looks; /* at the clock: see paced_now */
};

static inline struct card *card_of(struct world *world, int number)
{
    return (struct card *)(void *)world->shared + number;
}

static inline void end_open(struct end *end)
{
    memset(&end->seen, 0, sizeof end->seen);
    CHECK_OK(transport->open(&events, &end->seen, NULL, &end->net, &end->address));
}

static inline void progress(struct end *end)
{
    CHECK(transport->progress(end->net) >= 0);
}

/* In a wait that may take seconds, this leaves the processor to the peer. */
static inline void progress_slowly(struct end *end)
{
    progress(end);
    world_sleep_us(200);
}

static inline void progress_for(struct end *end, long ms)
{
    const long end_ns = proa_system->now_ns() + ms * 1000000;

    while (proa_system->now_ns() < end_ns)
        progress_slowly(end);
}

static inline void show(struct end *end, struct card *card)
{
    card->address = end->address;
    __atomic_store_n(&card->there, 1, __ATOMIC_SEQ_CST);
}

static inline uint32_t reach(struct end *end, struct card *card)
{
    uint32_t peer;

    world_await(&card->there, 1);
    CHECK_OK(transport->reach(end->net, &card->address, &peer));
    return peer;
}

static inline int try_to_send(struct end *end, uint32_t peer, const void *body, size_t bytes)
{
    int outcome;

    while ((outcome = transport->send(end->net, peer, body, bytes)) == PROA_NET_AGAIN)
        progress_slowly(end);
    return outcome;
}

static inline void tell(struct end *end, uint32_t peer, const void *body, size_t bytes)
{
    CHECK_OK(try_to_send(end, peer, body, bytes));
}

static inline void await_messages(struct end *end, int count)
{
    while (end->seen.messages < count)
        progress_slowly(end);
    CHECK_EQUAL(end->seen.messages, count);
}

static inline void await_lost(struct end *end)
{
    while (end->seen.lost == 0)
        progress_slowly(end);
    CHECK_EQUAL(end->seen.lost, 1);
}

static inline void on_loopback(struct world *world)
{
    (void)world;
    setenv("PROA_INTERFACE", "lo", 1);
}

/* ---- a pair of processes whose PROA_TIMEOUT is short ---- */

/* A rank and its victim. A busy machine may give one of them no processor for longer than the
 * time-out. So the clock of each goes on by PACE_NS at most for each look of the other one at its
 * own, unless that is stopped on purpose. It makes up for nothing later. A connection of layered
 * providers takes several turns of both and of their threads, so a time-out of 1 s is thousands. */
enum { PACE_NS = 250000 };

static struct {
    const struct proa_system *real;
    struct proa_system paced;
    uint32_t *mine, *others, seen; /* looks */
    long now_ns, real_ns;
    int alone; /* the other one is stopped */
} pace;

static inline long paced_now(void)
{
    const long real_ns = pace.real->now_ns();
    const uint32_t others = __atomic_load_n(pace.others, __ATOMIC_SEQ_CST);
    const long gone_ns = real_ns - pace.real_ns, most_ns = (long)(others - pace.seen) * PACE_NS;

    __atomic_fetch_add(pace.mine, 1, __ATOMIC_SEQ_CST);
    pace.seen = others;
    pace.real_ns = real_ns;
    pace.now_ns += pace.alone || gone_ns < most_ns ? gone_ns : most_ns;
    return pace.now_ns;
}

/* From now on, in this process. */
static inline void pace_begin(struct card *mine, struct card *others)
{
    pace.real = pace.real ? pace.real : proa_system;
    pace.paced = *pace.real;
    pace.paced.now_ns = paced_now;
    pace.mine = &mine->looks;
    pace.others = &others->looks;
    pace.seen = others->looks;
    pace.now_ns = pace.real_ns = pace.real->now_ns();
    proa_system = &pace.paced;
}

static inline void suspend(pid_t pid)
{
    pace.alone = 1;
    kill(pid, SIGSTOP);
}

static inline void go_on(pid_t pid)
{
    kill(pid, SIGCONT);
    pace.alone = 0;
}

static inline void end_of(pid_t pid)
{
    pace.alone = 1;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* The looks of the rank are on card 1, and those of its victim on card 0. */
static inline void impatient(struct world *world)
{
    on_loopback(world);
    setenv("PROA_TIMEOUT", "1", 1);
    pace_begin(card_of(world, 1), card_of(world, 0));
}

/* A process that only answers, until it is killed. */
static inline pid_t victim(struct world *world)
{
    struct end end;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* it outlives no check that fails */
    if (pace.real)
        pace_begin(card_of(world, 0), card_of(world, 1));
    end_open(&end);
    show(&end, card_of(world, 0));
    for (;;) {
        transport->doze(&end.net, 1, PACE_NS);
        progress(&end);
        card_of(world, 0)->steps = (uint32_t)end.seen.messages;
        if (end.seen.lost)
            __atomic_store_n(&card_of(world, 1)->steps, 1 + (uint32_t)end.seen.how,
                             __ATOMIC_SEQ_CST);
    }
}

#endif
