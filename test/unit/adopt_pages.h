/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for tests of adoption, and what it has to contain. */
#ifndef PROA_TEST_ADOPT_PAGES_H
#define PROA_TEST_ADOPT_PAGES_H

#include "world.h"

#include "adopt/adopt.h"

#include <sys/mman.h>
#include <sys/stat.h>

enum { MIB = 1 << 20 };

/* Behind memory without access: a thread's stack that came right there would be one mapping with
 * it, and of that a part stays (adopt/survey.h). */
static inline char *map_pages(uint64_t bytes)
{
    enum { APART = 128 << 10 };
    char *memory =
        mmap(NULL, APART + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    CHECK(mprotect(memory, APART, PROT_NONE) == 0);
    return memory + APART;
}

static inline void fill(char *memory, uint64_t bytes, uint64_t seed)
{
    for (uint64_t i = 0; i < bytes; i++)
        memory[i] = (char)(seed + i * 7 + i / 4093);
}

static inline void check_filled(const char *memory, uint64_t bytes, uint64_t seed)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (memory[i] != (char)(seed + i * 7 + i / 4093))
            world_failed(__FILE__, __LINE__, "byte %llu has changed", (unsigned long long)i);
}

/* Memory that is adopted now, seen from the side: the file, mapped once more. */
static inline char *other_side(const char *memory, uint64_t bytes)
{
    struct proa_segment_name name = proa_segment_name(proa_self->ctl, &proa_self->ctl->adopted);
    char *side = proa_segment_map(&name, (uint64_t)(uintptr_t)memory, bytes);

    CHECK(side);
    return side;
}

static inline long file_blocks(void)
{
    struct stat file;

    CHECK(fstat(proa_self->ctl->adopted.fd, &file) == 0);
    return (long)file.st_blocks;
}

static inline void hold(struct proa_hold *h, const void *memory, uint64_t bytes)
{
    CHECK_OK(proa_adopt_hold(h, memory, bytes, PROA_ADOPT_ALWAYS));
}

#endif
