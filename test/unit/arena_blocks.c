/* SPDX-License-Identifier: BSD-3-Clause */
/* The arena (shm/arena.h): blocks against a model, also of several threads. */
#include "world.h"
#include "segments.h"

#include "base/fail.h"
#include "shm/arena.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* ---- blocks against a model ---- */

struct piece {
    unsigned char *start;
    uint64_t bytes;
    unsigned char mark;
};

enum { MARK_STEP = 509 }; /* a prime: every place in a cache line gets its turn */

static void piece_fill(const struct piece *piece)
{
    for (uint64_t i = 0; i < piece->bytes; i += MARK_STEP)
        piece->start[i] = piece->mark;
    piece->start[piece->bytes - 1] = piece->mark;
}

static void piece_check(const struct piece *piece)
{
    for (uint64_t i = 0; i < piece->bytes; i += MARK_STEP)
        CHECK_EQUAL(piece->start[i], piece->mark);
    CHECK_EQUAL(piece->start[piece->bytes - 1], piece->mark);
}

static uint64_t random_bytes(uint64_t *seed, int log2_most)
{
    return 1 + world_below(seed, 1ull << world_below(seed, (uint64_t)log2_most + 1));
}

static void piece_take(struct piece *piece, uint64_t *seed, int log2_most)
{
    size_t align = world_below(seed, 4) ? 0 : (size_t)1 << world_below(seed, 22);

    piece->bytes = random_bytes(seed, log2_most);
    piece->mark = (unsigned char)world_random(seed);
    piece->start = proa_arena_alloc(piece->bytes, align);
    CHECK(piece->start);
    CHECK_EQUAL((uintptr_t)piece->start % (align > PROA_CACHE_LINE ? align : PROA_CACHE_LINE), 0);
    piece_fill(piece);
}

static void piece_give_back(struct piece *piece)
{
    piece_check(piece);
    CHECK_EQUAL(proa_arena_free(piece->start), 1);
    piece->start = NULL;
}

/* The memory behind it goes to the next request. */
static void piece_shrink(struct piece *piece, uint64_t *seed)
{
    piece_check(piece);
    piece->bytes = 1 + world_below(seed, piece->bytes);
    proa_arena_shrink(piece->start, piece->bytes);
    piece_fill(piece);
}

static void check_apart(const struct piece *pieces, int count, const struct piece *piece)
{
    for (int i = 0; i < count; i++)
        if (&pieces[i] != piece && pieces[i].start)
            CHECK(pieces[i].start + pieces[i].bytes <= piece->start ||
                  piece->start + piece->bytes <= pieces[i].start);
}

static void random_steps(struct piece *pieces, int count, long steps, int log2_most, uint64_t *seed)
{
    for (long step = 0; step < steps; step++) {
        struct piece *piece = &pieces[world_below(seed, (uint64_t)count)];
        if (piece->start && world_below(seed, 3) == 0) {
            piece_shrink(piece, seed);
        } else if (piece->start) {
            piece_give_back(piece);
        } else {
            piece_take(piece, seed, log2_most);
            check_apart(pieces, count, piece);
        }
    }
}

static void random_blocks_body(struct world *world)
{
    static struct piece pieces[300];
    uint64_t seed = 1;
    (void)world;

    /* up to 64 bytes, 4 KiB, 256 KiB, 16 MiB */
    for (int log2_most = 6; log2_most <= 24; log2_most += 6) {
        random_steps(pieces, log2_most == 24 ? 60 : 300, world_rounds(6000), log2_most, &seed);
        for (int i = 0; i < 300; i++)
            if (pieces[i].start)
                piece_give_back(&pieces[i]);
        check_all_merged();
    }
}

WORLD_TEST(random_blocks, 1)

static void alignments_body(struct world *world)
{
    (void)world;
    for (size_t align = 1; align <= 32 * mib; align *= 2) {
        char *one = proa_arena_alloc(1, align), *two = proa_arena_alloc(100, align);
        CHECK(one && two && one != two);
        CHECK_EQUAL((uintptr_t)one % align, 0);
        CHECK_EQUAL((uintptr_t)two % align, 0);
        CHECK_EQUAL((uintptr_t)one % PROA_CACHE_LINE, 0);
        CHECK(proa_arena_free(one));
        CHECK(proa_arena_free(two));
    }
    check_all_merged();
}

WORLD_TEST(alignments, 1)

static void empty_blocks_body(struct world *world)
{
    char *one = proa_arena_alloc(0, 0), *two = proa_arena_alloc(0, 0);
    (void)world;

    CHECK(one && two && one != two);
    one[0] = two[0] = 1; /* at least one byte each */
    CHECK(proa_arena_free(one));
    CHECK(proa_arena_free(two));
}

WORLD_TEST(empty_blocks, 1)

static void not_a_block_body(struct world *world)
{
    char *block = proa_arena_alloc(4096, 0);
    (void)world;

    CHECK(block);
    CHECK_EQUAL(proa_arena_free(NULL), 0);
    CHECK_EQUAL(proa_arena_free(&block), 0);
    CHECK_EQUAL(proa_arena_free(block + 64), 0);
    CHECK_EQUAL(proa_arena_free(block - 64), 0);
    CHECK_EQUAL(proa_arena_free(block), 1);
    CHECK_EQUAL(proa_arena_free(block), 0);
    check_all_merged();
}

WORLD_TEST(not_a_block, 1)

/* ---- threads ---- */

static void thread_steps(void *arg, int number)
{
    struct piece pieces[40] = {{0}};
    uint64_t seed = 100 + (uint64_t)number;
    (void)arg;

    random_steps(pieces, 40, world_rounds(5000), 18, &seed);
    for (int i = 0; i < 40; i++)
        if (pieces[i].start)
            piece_give_back(&pieces[i]);
}

static void several_threads_body(struct world *world)
{
    (void)world;
    world_threads(4, thread_steps, NULL);
    check_all_merged();
}

WORLD_TEST(several_threads, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_blocks),   cmocka_unit_test(alignments),
        cmocka_unit_test(empty_blocks),    cmocka_unit_test(not_a_block),
        cmocka_unit_test(several_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
