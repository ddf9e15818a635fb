/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a batch and of its answer (remote/wire.h): their lengths, and what is between them.
 */
#include "nodes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* Puts and gets of odd lengths, in one batch: each begins at a multiple of PROA_WIRE_UNIT. */
static void odd_lengths_body(struct world *world)
{
    enum { MOST = 21 };
    struct proa_win *win = begin(world, NULL);
    char sent[MOST], got[MOST][MOST];
    int target = (world->rank + 1) % world->size;

    for (int i = 0; i < MOST; i++)
        sent[i] = (char)(100 + i);
    CHECK_OK(proa_win_lock(win, target, 1, 0));
    for (uint64_t n = 1; n < MOST; n++)
        CHECK_OK(put_many(win, target, 4 * (int64_t)n, sent + MOST - n, n, PROA_I8));
    for (uint64_t n = 1; n < MOST; n++)
        CHECK_OK(get_many(win, target, 4 * (int64_t)n, got[n], n, PROA_I8));
    CHECK_OK(proa_win_unlock(win, target));
    for (uint64_t n = 1; n < MOST; n++)
        CHECK(memcmp(got[n], sent + MOST - n, n) == 0);
    end(world, win);
}
ON_NODES(odd_lengths, 2)

/* More gets than an answer has room for: they go in several batches. */
static void many_gets_body(struct world *world)
{
    enum { COUNT = 300, EACH = 9 };
    static int64_t got[COUNT * EACH];
    struct proa_win *win = begin(world, NULL);
    int target = (world->rank + 1) % world->size;

    for (int i = 0; i < COUNT * EACH; i++)
        window_words(win)[i] = 100000 * world->rank + i;
    CHECK_OK(proa_barrier(win));
    CHECK_OK(proa_win_lock(win, target, 0, 0));
    for (int i = 0; i < COUNT; i++)
        CHECK_OK(get_many(win, target, i * EACH, &got[i * EACH], EACH, PROA_I64));
    CHECK_OK(proa_win_unlock(win, target));
    for (int i = 0; i < COUNT * EACH; i++)
        CHECK_EQUAL(got[i], 100000 * target + i);
    CHECK_OK(proa_barrier(win));
    end(world, win);
}
ON_NODES(many_gets, 2)

/* The bytes that fill a message up show nothing of an earlier one. */
static void padding_is_zero_body(struct world *world)
{
    static const char ones[] = {-1, -1, -1, -1, -1, -1, -1, -1};
    struct proa_win *win = begin(world, NULL);

    if (world->rank == 0) {
        const unsigned char *last;
        size_t bytes;

        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        CHECK_OK(put_many(win, 1, 0, ones, 8, PROA_I8));
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        CHECK_OK(put_many(win, 1, 0, ones, 3, PROA_I8));
        CHECK_OK(proa_win_unlock(win, 1));
        last = net_fake_last(1, &bytes);
        CHECK(bytes >= 8 && memcmp(last + bytes - 8, "\377\377\377\0\0\0\0", 8) == 0);
    }
    end(world, win);
}
WORLD_TEST(padding_is_zero, 2, .before = on_nodes)

enum { PAIRS = 3, IN_TARGET = 0x5a, IN_RESULT = 0x3c };

/* Room for so many bytes, behind which nothing may be read or written. */
static char *before_a_wall(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    return pages + page - bytes;
}

/* The padding of pairs is not sent, not fetched and not changed (see mpi.op_padding); behind the
 * last pair, at the origin, it need not be the program's memory. */
static void check_pairs(struct world *world, struct proa_win *win, enum proa_basic basic,
                        size_t value, size_t index)
{
    const size_t each = proa_basic_bytes(basic), all = PAIRS * each - (each - index - sizeof(int));
    char *values = before_a_wall(all), *results = before_a_wall(all);
    char *mine = (char *)window_words(win);
    int target = !world->rank;

    memset(mine, IN_TARGET, PAIRS * each);
    memset(values, 1, all);
    memset(results, IN_RESULT, all);
    CHECK_OK(proa_barrier(win));
    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK_OK(get_accumulate_many(win, target, 0, values, results, PAIRS, basic, PROA_OP_REPLACE));
    CHECK_OK(proa_win_unlock_all(win));
    CHECK_OK(proa_barrier(win));
    for (size_t i = 0; i < all; i++) {
        int is_padding = i % each >= value && (i % each < index || i % each >= index + sizeof(int));

        CHECK_EQUAL(mine[i], is_padding ? IN_TARGET : 1);
        CHECK_EQUAL(results[i], is_padding ? IN_RESULT : IN_TARGET);
    }
    CHECK_OK(proa_barrier(win));
}

static void pairs_body(struct world *world)
{
    struct short_int {
        short value;
        int index;
    };
    struct double_int {
        double value;
        int index;
    };
    struct proa_win *win = begin(world, NULL);

    check_pairs(world, win, PROA_SHORT_INT, sizeof(short), offsetof(struct short_int, index));
    check_pairs(world, win, PROA_DOUBLE_INT, sizeof(double), offsetof(struct double_int, index));
    end(world, win);
}
ON_NODES(pairs, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_lengths),
        cmocka_unit_test(padding_is_zero),
        cmocka_unit_test(many_gets),
        cmocka_unit_test(pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
