/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the memory of a window over nodes is exposed to the network, over the pretended one. */
#include "move.h"
#include "nodes.h"

#include "base/fail.h"
#include "progress/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { EXPOSED_BYTES = 64 << 10, EXPOSED_WORDS = EXPOSED_BYTES / 8 };

static long exposed(void)
{
    long count;

    proa_progress_enter();
    count = net_fake_counts().exposed;
    proa_progress_leave();
    return count;
}

/* Fresh memory of the program; at: where it is to be, or NULL. */
static int64_t *fresh(void *at)
{
    void *memory = mmap(at, EXPOSED_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);

    CHECK(memory != MAP_FAILED);
    return memory;
}

/* All words of the other process's memory are put, and read again. */
static void check_exposed(struct proa_win *win, int64_t seed)
{
    static int64_t values[EXPOSED_WORDS], back[EXPOSED_WORDS];
    int other = !win->rank;

    for (int i = 0; i < EXPOSED_WORDS; i++)
        values[i] = seed * (i + 1) + win->rank;
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_OK(put_many(win, other, 0, values, EXPOSED_WORDS, PROA_I64));
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_OK(get_many(win, other, 0, back, EXPOSED_WORDS, PROA_I64));
    CHECK_OK(proa_win_fence(win, 0));
    for (int i = 0; i < EXPOSED_WORDS; i++) {
        CHECK_EQUAL(window_words(win)[i], seed * (i + 1) + other);
        CHECK_EQUAL(back[i], values[i]);
    }
}

static int refuse(struct proa_win *win, void *user)
{
    (void)win, (void)user;
    return proa_fail(PROA_ERR_OTHER, "as the test says");
}

/* A window exposes its memory until it is freed, or until its creation has failed. New memory at
 * the same address is exposed anew. */
static void exposures_body(struct world *world)
{
    struct proa_win *first = begin(world, NULL), *win, *second;
    long before = exposed();
    int64_t *memory = fresh(NULL);
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_CREATE, .bytes = EXPOSED_BYTES, .disp_unit = 8, .base = memory};

    CHECK_EQUAL(before, 1);
    for (int i = 1; i <= 4; i++) {
        win = window_create(world, &args);
        second = window_create(world, &args);
        CHECK_EQUAL(exposed(), before + 2);
        check_exposed(win, i);
        window_free(win);
        CHECK_EQUAL(exposed(), before + 1);
        check_exposed(second, 7 * i);
        window_free(second);
        CHECK_EQUAL(exposed(), before);
        CHECK_EQUAL(munmap(memory, EXPOSED_BYTES), 0);
        fresh(memory);
    }
    args.finish = refuse;
    CHECK_FAILS(proa_win_create(&args, &world->group, &win), PROA_ERR_OTHER);
    CHECK_EQUAL(exposed(), before);
    CHECK_EQUAL(munmap(memory, EXPOSED_BYTES), 0);
    end(world, first);
}
ON_NODES(exposures, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exposures)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
