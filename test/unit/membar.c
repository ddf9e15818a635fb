/* SPDX-License-Identifier: BSD-3-Clause */
/* The cheap fences between processes (base/membar.h): that they are fences at all, with
 * membarrier(2) and where the kernel refuses it. */
#include "litmus.h"
#include "move.h"

#include "base/membar.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include <cmocka.h>

enum { ROUNDS = 30000 };

/* ---- the system call, which the test sees and may refuse (linked with --wrap=syscall) ---- */

static int refused; /* all calls: ALL; or those that make fences, though it takes others: FENCES */
enum { ALL = 1, FENCES };
static long registered, made; /* calls of each kind that the kernel has got */

/* As many arguments as any call of the kernel has; those of a variadic function lie where these
 * do. */
long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long result;

    if (number == SYS_membarrier &&
        (refused == ALL || (refused == FENCES && (int)a == MEMBARRIER_CMD_GLOBAL_EXPEDITED))) {
        errno = ENOSYS;
        return -1;
    }
    result = __real_syscall(number, a, b, c, d, e, f);
    if (number == SYS_membarrier && result == 0) {
        registered += (int)a == MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;
        made += (int)a == MEMBARRIER_CMD_GLOBAL_EXPEDITED;
    }
    return result;
}

static int kernel_has_it(void)
{
    long commands = __real_syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0, 0, 0, 0);

    return commands > 0 && commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED;
}

static void calls_body(struct world *world)
{
    (void)world;
    CHECK_EQUAL(registered, kernel_has_it()); /* by proa_core_start */
    CHECK_EQUAL(proa_membar_light_is_full, !kernel_has_it());
    CHECK_EQUAL(made, kernel_has_it()); /* the trial */
    proa_membar_light();
    CHECK_EQUAL(made, kernel_has_it());
    proa_membar_heavy();
    CHECK_EQUAL(made, 2 * kernel_has_it());
}

WORLD_TEST(calls, 1)

static void refuse(struct world *world)
{
    refused = world->rank == 0;
}

static void refused_calls_body(struct world *world)
{
    (void)world;
    CHECK_EQUAL(registered, 0);
    CHECK_EQUAL(proa_membar_light_is_full, 1);
    proa_membar_heavy();
    CHECK_EQUAL(made, 0);
}

WORLD_TEST(refused_calls, 1, .before = refuse)

static void refuse_heavy(struct world *world)
{
    (void)world;
    refused = FENCES;
}

/* A kernel that registers the process, and makes no fence. */
static void refused_heavy_body(struct world *world)
{
    (void)world;
    CHECK_EQUAL(proa_membar_light_is_full, 1);
}

WORLD_TEST(refused_heavy, 1, .before = refuse_heavy)

/* ---- light against heavy ---- */

struct words {
    int64_t *own, *other;
};

static int64_t light_side(void *arg, int64_t round)
{
    const struct words *words = arg;

    __atomic_store_n(words->other, round, __ATOMIC_RELAXED);
    proa_membar_light();
    return __atomic_load_n(words->own, __ATOMIC_RELAXED);
}

static int64_t heavy_side(void *arg, int64_t round)
{
    const struct words *words = arg;

    __atomic_store_n(words->other, round, __ATOMIC_RELAXED);
    proa_membar_heavy();
    return __atomic_load_n(words->own, __ATOMIC_RELAXED);
}

static void light_and_heavy(struct world *world, int heavy)
{
    char *start = world->shared + LITMUS_BYTES + 256 * heavy;
    struct words words = {(int64_t *)(void *)(start + 128 * world->rank),
                          (int64_t *)(void *)(start + 128 * (1 - world->rank))};

    litmus(world, world_rounds(ROUNDS), world->rank == heavy ? heavy_side : light_side, &words,
           words.own);
}

static void fences_body(struct world *world)
{
    light_and_heavy(world, 0);
    light_and_heavy(world, 1);
}

WORLD_TEST(fences, 2, .limit_s = 120)

/* The kernel refuses rank 0 only: once the two have met, both have full fences on both sides. */
static void refused_fences_body(struct world *world)
{
    window_free(window_of_words(world, 1));
    CHECK_EQUAL(proa_membar_light_is_full, 1);
    fences_body(world);
}

WORLD_TEST(refused_fences, 2, .before = refuse, .limit_s = 120)

/* ---- the compiler ---- */

/* A load that is not atomic, in a loop that holds nothing else once the light side is known to be
 * no full fence: that alone keeps the compiler from loading once and looping for ever. */
__attribute__((noinline, no_sanitize("thread"))) static void wait_plainly(const int *word)
{
    while (*word == 0) {
        if (proa_membar_light_is_full)
            return;
        proa_membar_light();
    }
}

struct plain {
    int word;
    uint32_t waiting;
};

__attribute__((no_sanitize("thread"))) static void wait_or_tell(void *arg, int number)
{
    struct plain *plain = arg;

    if (number == 0) {
        __atomic_store_n(&plain->waiting, 1, __ATOMIC_SEQ_CST);
        wait_plainly(&plain->word);
    } else {
        world_await(&plain->waiting, 1);
        world_sleep_us(10000); /* into its loop; sooner, and the test sees less */
        __atomic_store_n(&plain->word, 1, __ATOMIC_RELAXED);
    }
}

static void compiler_body(struct world *world)
{
    struct plain plain = {0, 0};

    (void)world;
    world_threads(2, wait_or_tell, &plain);
}

WORLD_TEST(compiler, 1, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),          cmocka_unit_test(refused_calls),
        cmocka_unit_test(fences),         cmocka_unit_test(refused_heavy),
        cmocka_unit_test(refused_fences), cmocka_unit_test(compiler),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
