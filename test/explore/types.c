/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of two datatypes, which two threads free (type/type.c). */
#include "explore.h"
#include "type/type.c"

static struct shared {
    struct proa_node *node;
} * s;

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
    s->node = node_use(node_new(1));
    s->node->count = 1;
    s->node->items[0] = (struct proa_item){.count = 1, .bytes = 4};
}

static void release(int thread)
{
    (void)thread;
    explore_check(is_run(&s->node->items[0])); /* a thread walks its type before */
    node_release(s->node);
}

const struct explore_scenario explore_types[] = {
    {.name = "types.release", .threads = 2, .setup = setup, .body = release},
    {0},
};
