/* SPDX-License-Identifier: BSD-3-Clause */
/* Used by all tests of windows: the numbers of processes, and the place of the next block. */
#ifndef PROA_TEST_WINDOWS_H
#define PROA_TEST_WINDOWS_H

#include "world.h"

#include "shm/arena.h"

static const int sizes[] = {1, 2, 3, 5};

static inline void on_all_sizes(world_body *body, const void *arg)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        world_run(&(struct world_plan){.size = sizes[i], .body = body, .arg = arg});
}

enum { WORDS = 3000 }; /* 24 KB: several stripes, no multiple of a page */

/* Where the next small block would be: grows if something was not given back. */
static inline void *next_block(void)
{
    void *block = proa_arena_alloc(64, 0);

    CHECK(block);
    CHECK(proa_arena_free(block));
    return block;
}

#endif
