/* SPDX-License-Identifier: BSD-3-Clause */
/* Adoption (adopt/adopt.h) and fork: the child has the memory of windows for itself, as it was at
 * the time of the fork. */
#include "world.h"
#include "adopt_pages.h"

#include "adopt/adopt.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- memory of its own ---- */

static void in_child(char *memory, uint64_t bytes, char *shared)
{
    check_filled(memory, bytes, 6);
    fill(memory, bytes, 7);
    __atomic_store_n((uint32_t *)(void *)shared, 1, __ATOMIC_RELEASE);
    world_await((uint32_t *)(void *)shared, 2); /* the parent has stored what it likes */
    check_filled(memory, bytes, 7);
    CHECK_EQUAL(world_mappings("memfd:proa (deleted)") > 0, 1); /* the arena's are still shared */
    _exit(0);
}

static void forked_body(struct world *world)
{
    const uint64_t bytes = 3 * MIB + world_pages(1);
    char *memory = map_pages(bytes), *side;
    struct proa_hold h;
    int status = -1;
    pid_t child;

    fill(memory, bytes, 6);
    hold(&h, memory + 10, bytes - 20);
    side = other_side(memory, bytes);
    child = fork();
    CHECK(child >= 0);
    if (child == 0)
        in_child(memory, bytes, world->shared);
    world_await((uint32_t *)(void *)world->shared, 1);
    check_filled(memory, bytes, 6); /* not what the child has stored */
    fill(side, bytes, 8);           /* as a neighbour would */
    check_filled(memory, bytes, 8);
    __atomic_store_n((uint32_t *)(void *)world->shared, 2, __ATOMIC_RELEASE);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    proa_adopt_drop(&h);
    check_filled(memory, bytes, 8);
    CHECK_EQUAL(file_blocks(), 0);
    munmap(side, bytes);
    munmap(memory, bytes);
}
WORLD_TEST(forked, 1, .kernel = 1)

/* system() makes no copy and needs none. */
static void shell_body(struct world *world)
{
    enum { BYTES = 4 * MIB };
    char *memory = map_pages(BYTES);
    struct proa_hold h;

    (void)world;
    fill(memory, BYTES, 1);
    hold(&h, memory, BYTES);
    CHECK_EQUAL(system("exit 3"), 3 << 8);
    check_filled(memory, BYTES, 1);
    CHECK_EQUAL(h.count, 1);
    proa_adopt_drop(&h);
    munmap(memory, BYTES);
}
WORLD_TEST(shell, 1)

/* ---- the time of the fork ---- */

static uint32_t *has_stored; /* in memory that parent and child share */

static void await_parent(void)
{
    world_await(has_stored, 1);
}

/* The first handler in the child: it runs before those of adoption. */
static void late_before(struct world *world)
{
    has_stored = (uint32_t *)(void *)world->shared;
    CHECK(pthread_atfork(NULL, NULL, await_parent) == 0);
}

/* Memory of which only the pages at multiples of `stride` have content, in bytes. */
struct marked {
    char *memory;
    uint64_t bytes, stride;
};

static void mark(const struct marked *m, char *memory, int value)
{
    for (uint64_t at = 0; at < m->bytes; at += m->stride) {
        memory[at] = (char)(value + (int)(at / m->stride));
        memory[at + world_pages(1) - 1] = (char)value;
    }
}

/* The first page that is not as `mark` has left it, as a multiple of the stride; or -1. */
static int first_unlike(const struct marked *m, int value)
{
    for (uint64_t at = 0; at < m->bytes; at += m->stride)
        if (m->memory[at] != (char)(value + (int)(at / m->stride)) ||
            m->memory[at + world_pages(1) - 1] != (char)value)
            return (int)(at / m->stride);
    return -1;
}

/* The parent, and a neighbour in the last page, store before the child's first instruction after
 * fork. */
static void store_late(uint64_t bytes, uint64_t stride)
{
    struct marked m = {map_pages(bytes), bytes, stride};
    const uint64_t last = bytes - world_pages(1);
    struct proa_hold h;
    int status = -1;
    pid_t child;
    char *side;

    CHECK(last % stride == 0);
    madvise(m.memory, bytes, MADV_NOHUGEPAGE); /* for holes between the pages */
    mark(&m, m.memory, 3);
    hold(&h, m.memory, bytes);
    CHECK_EQUAL(proa_adopt_bytes(&h), bytes);
    side = other_side(m.memory, bytes);
    child = fork();
    CHECK(child >= 0);
    if (child == 0)
        _exit(first_unlike(&m, 3) < 0 ? 0 : 1);
    mark(&m, m.memory, 4);
    side[last + 1] = 5;
    __atomic_store_n(has_stored, 1, __ATOMIC_RELEASE);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
    proa_adopt_drop(&h);
    CHECK_EQUAL(first_unlike(&m, 4), -1);
    CHECK_EQUAL(m.memory[last + 1], 5);
    munmap(side, bytes);
    munmap(m.memory, bytes);
}

static void late_body(struct world *world)
{
    (void)world;
    store_late(8 * MIB + world_pages(1), world_pages(1));
}
WORLD_TEST(late, 1, .kernel = 1, .before = late_before)

static void late_large_body(struct world *world)
{
    (void)world;
    store_late(256 * MIB + world_pages(1), world_pages(256));
}
WORLD_TEST(late_large, 1, .kernel = 1, .before = late_before)

/* ---- a heap of malloc's ---- */

static void *allocate(void *arg)
{
    return malloc(*(const size_t *)arg);
}

/* A block from the heap of a thread that has ended: the kernel may still count it. */
static void hold_alone(struct proa_hold *h, const void *memory, uint64_t bytes)
{
    hold(h, memory, bytes);
    for (int i = 0; i < 1000 && !proa_adopt_bytes(h); i++) {
        proa_adopt_drop(h);
        world_sleep_us(1000);
        hold(h, memory, bytes);
    }
}

/* A thread's heap has its arena in the first page, and malloc's own handler of fork stores there
 * before any other handler in the child. */
static void heap_body(struct world *world)
{
    const uint64_t heap_bytes = 64 * MIB;
    size_t bytes = 100 << 10; /* more than a page, and not so much that malloc calls mmap */
    pthread_t thread;
    struct proa_hold h;
    void *block = NULL;
    int status = -1;
    uint64_t head;
    pid_t child;

    (void)world;
    if (WORLD_SANITIZED) /* whose malloc is another */
        return;
    CHECK(pthread_create(&thread, NULL, allocate, &bytes) == 0);
    pthread_join(thread, &block);
    head = (uint64_t)(uintptr_t)block / heap_bytes * heap_bytes;
    CHECK((uint64_t)(uintptr_t)block < head + world_pages(1)); /* it begins behind the arena */
    fill(block, bytes, 1);
    hold_alone(&h, block, bytes);
    CHECK_EQUAL(h.count, 2);
    CHECK_EQUAL(h.piece[0].end, head + world_pages(1));
    CHECK(!h.piece[0].adopted && h.piece[1].adopted);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        check_filled(block, bytes, 1);
        free(block);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
    proa_adopt_drop(&h);
    check_filled(block, bytes, 1);
    free(block);
}
WORLD_TEST(heap, 1, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forked),     cmocka_unit_test(shell), cmocka_unit_test(late),
        cmocka_unit_test(late_large), cmocka_unit_test(heap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
