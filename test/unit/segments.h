/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of the arena know of its segments. */
#ifndef PROA_TEST_SEGMENTS_H
#define PROA_TEST_SEGMENTS_H

#include "world.h"

#include "shm/arena.h"

#include <sys/stat.h>

static const uint64_t kib = 1 << 10, mib = 1 << 20;

static inline int segment_count(void)
{
    int count = 0;

    while (count < PROA_SEGMENTS &&
           __atomic_load_n(&proa_self->ctl->segments[count].bytes, __ATOMIC_SEQ_CST))
        count++;
    return count;
}

static inline uint64_t segment_bytes(int segment)
{
    return __atomic_load_n(&proa_self->ctl->segments[segment].bytes, __ATOMIC_SEQ_CST);
}

/* What the files of all segments take. */
static inline uint64_t bytes_in_use(void)
{
    uint64_t total = 0;
    struct stat file;

    for (int i = 0; i < segment_count(); i++) {
        CHECK_EQUAL(fstat(proa_self->ctl->segments[i].fd, &file), 0);
        total += (uint64_t)file.st_blocks * 512;
    }
    return total;
}

static inline int segment_of(const void *address)
{
    int segment = -1;
    uint64_t offset;

    CHECK(proa_arena_find(address, 1, &segment, &offset));
    return segment;
}

/* The first segment holds the process's control block from its start; all behind must be one free
 * block again. */
static inline void check_all_merged(void)
{
    uint64_t rest = segment_bytes(0) - (sizeof(struct proa_proc_ctl) + PROA_CACHE_LINE - 1) /
                                           PROA_CACHE_LINE * PROA_CACHE_LINE;
    int before = segment_count();
    char *whole = proa_arena_alloc(rest, 0);

    CHECK(whole);
    CHECK_EQUAL(segment_of(whole), 0);
    for (int i = 1; i < before; i++) {
        char *other = proa_arena_alloc(segment_bytes(i), 0);
        CHECK(other);
        CHECK_EQUAL(segment_of(other), i);
        CHECK(proa_arena_free(other));
    }
    CHECK_EQUAL(segment_count(), before);
    CHECK(proa_arena_free(whole));
}

#endif
