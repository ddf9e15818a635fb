/* SPDX-License-Identifier: BSD-3-Clause */
/* Worlds whose processes are on two nodes, in turn, with the pretended network between them. */
#ifndef PROA_TEST_NODES_H
#define PROA_TEST_NODES_H

#include "move.h"
#include "net_fake.h"

#include "progress/progress.h"
#include "remote/work.h"

#include <stdio.h>
#include <stdlib.h>

enum { NODES = 2, WORDS = 1 << 16 };

static inline int node_of(int rank)
{
    return rank % NODES;
}

static inline void on_nodes(struct world *world)
{
    char node[16];

    snprintf(node, sizeof node, "%d", node_of(world->rank));
    setenv("PROA_NODE_ID", node, 1);
    setenv("PROA_FLUSH_TIMER_NS", "0",
           1); /* messages are counted, however long a process is held up */
}

/* A network at its worst. */
static const struct net_fake_rules hard = {
    .seed = 17, .delay_most = 5, .overtaking = 1, .again_of_100 = 20};

/* The window of a test, over the network that the plan's argument asks for (struct net_fake_rules;
 * NULL: at its best). args NULL: of WORDS words. */
static inline struct proa_win *begin(struct world *world, const struct proa_create_args *args)
{
    net_fake_join(world);
    if (world->arg) {
        struct net_fake_rules rules = *(const struct net_fake_rules *)world->arg;
        rules.seed += (uint64_t)world->rank;
        net_fake_set_rules(&rules);
    }
    world_barrier(world);
    proa_remote_start(&proa_net_fake);
    return args ? window_create(world, args) : window_of_words(world, WORDS);
}

static inline void end(struct world *world, struct proa_win *win)
{
    window_free(win);
    world_barrier(world);
    proa_progress_stop();
}

/* Each test on a network at its best, and at its worst. */
#define ON_NODES(name, n)                                                                        \
    static void name(void **state)                                                               \
    {                                                                                            \
        (void)state;                                                                             \
        world_run(&(struct world_plan){                                                          \
            .size = (n), .body = name##_body, .before = on_nodes, .limit_s = 60});               \
        world_run(&(struct world_plan){                                                          \
            .size = (n), .body = name##_body, .before = on_nodes, .arg = &hard, .limit_s = 60}); \
    }

#endif
