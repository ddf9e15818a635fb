/* SPDX-License-Identifier: BSD-3-Clause */
/* The accesses that check mode keeps (order/accesses.h), against a plain list of them. */
#include "order/accesses.h"
#include "base/fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TARGETS = 3, STEPS = 400, BYTES = 200, BASICS = 2 };

static struct {
    struct proa_access access;
    int target;
} list[STEPS];
static int listed;

static const char places[4];

static struct proa_access random_access(void)
{
    uint64_t low = (uint64_t)(rand() % BYTES),
             bytes = 1 + (uint64_t)(rand() % (rand() % 8 == 0 ? BYTES : 8));
    struct proa_access access = {.low = low, .high = low + bytes, .caller = &places[rand() % 4]};

    access.kind = (uint8_t)(rand() % 4);
    access.basic = (uint8_t)(rand() % BASICS);
    access.fetches = access.kind == PROA_ACCESS_READ || access.kind == PROA_ACCESS_ATOMIC_READ;
    access.call = access.kind;
    return access;
}

static int list_conflicts(int target, const struct proa_access *access)
{
    for (int i = 0; i < listed; i++)
        if (list[i].target == target && list[i].access.low < access->high &&
            access->low < list[i].access.high && proa_access_conflicts(&list[i].access, access))
            return 1;
    return 0;
}

static int goes(const struct proa_access *access, void *arg)
{
    (void)access, (void)arg;
    return 1;
}

static void list_complete(int target, int local)
{
    int left = 0;

    for (int i = 0; i < listed; i++)
        if ((target >= 0 && list[i].target != target) || (local && !list[i].access.fetches))
            list[left++] = list[i];
    listed = left;
}

static void one_access(struct proa_accesses *accesses)
{
    struct proa_access access = random_access();
    int target = rand() % TARGETS;
    const struct proa_access *found = proa_accesses_conflict(accesses, target, &access);

    assert_int_equal(found != NULL, list_conflicts(target, &access));
    if (found) {
        assert_true(found->low < access.high && access.low < found->high);
        assert_true(proa_access_conflicts(found, &access));
    }
    proa_accesses_keep(accesses, target, &access);
    list[listed].access = access;
    list[listed++].target = target;
}

static void like_a_list(void **state)
{
    struct proa_accesses accesses;

    (void)state;
    for (unsigned seed = 1; seed <= 200; seed++) {
        srand(seed);
        listed = 0;
        assert_int_equal(proa_accesses_begin(&accesses, TARGETS), PROA_OK);
        for (int step = 0; step < STEPS; step++) {
            if (rand() % 30 == 0) {
                int target = rand() % (TARGETS + 1) - 1, local = rand() % 2;

                proa_accesses_drop(&accesses, target, local, goes, NULL);
                list_complete(target, local);
            } else {
                one_access(&accesses);
            }
        }
        assert_int_equal(accesses.dropped, 0);
        proa_accesses_end(&accesses);
    }
}

/* ---- accesses that are complete ---- */

/* As a target asks (order/crossing.c): was the kept one complete later than that? */
static int is_later(const struct proa_access *kept, const struct proa_access *access)
{
    return kept->low < access->high && access->low < kept->high && kept->stamp > access->stamp &&
           proa_access_conflicts(kept, access);
}

static int list_is_later(const struct proa_access *access)
{
    for (int i = 0; i < listed; i++)
        if (is_later(&list[i].access, access))
            return 1;
    return 0;
}

/* Later accesses take the place of earlier ones like them: all questions have the answers of a list
 * of all, and there are at most as many as bytes of each kind. */
static void renewed(void **state)
{
    struct proa_accesses accesses;

    (void)state;
    for (unsigned seed = 1; seed <= 200; seed++) {
        srand(seed);
        listed = 0;
        assert_int_equal(proa_accesses_begin(&accesses, 1), PROA_OK);
        for (int step = 0; step < STEPS; step++) {
            struct proa_access access = random_access(), asked = random_access();

            access.stamp = 1 + (uint64_t)step / 4;
            asked.stamp = (uint64_t)rand() % (access.stamp + 1);
            assert_int_equal(proa_accesses_find(&accesses, 0, &asked, is_later) != NULL,
                             list_is_later(&asked));
            proa_accesses_renew(&accesses, 0, &access);
            list[listed++].access = access;
        }
        proa_accesses_end(&accesses);
    }
}

/* A word that is used a million times is one access, whether its users have learned meanwhile or
 * not. */
static void hot(void **state)
{
    struct proa_access access = {.high = 8, .kind = PROA_ACCESS_ATOMIC, .caller = &places[0]};
    struct proa_accesses accesses;

    (void)state;
    assert_int_equal(proa_accesses_begin(&accesses, 1), PROA_OK);
    for (uint64_t i = 1; i <= 1000000; i++) {
        access.stamp = i;
        proa_accesses_renew(&accesses, 0, &access);
    }
    assert_int_equal(accesses.alive, 1);
    access.stamp = 999999;
    assert_non_null(proa_accesses_find(
        &accesses, 0, &(struct proa_access){.high = 1, .stamp = 999999}, is_later));
    assert_null(proa_accesses_find(&accesses, 0, &(struct proa_access){.high = 1, .stamp = 1000000},
                                   is_later));
    proa_accesses_end(&accesses);
}

static void told(const struct proa_access *kept, const struct proa_access *access)
{
    (void)kept, (void)access;
    fail();
}

/* Pieces of one operation that touch each other are kept as one, and those of a later one apart. */
static void pieces(void **state)
{
    struct proa_accesses accesses;

    (void)state;
    assert_int_equal(proa_accesses_begin(&accesses, 1), PROA_OK);
    for (uint64_t i = 0; i < 200; i++) {
        struct proa_meeting meeting = {.access = {.low = 8 * i,
                                                  .high = 8 * (i + 1),
                                                  .kind = PROA_ACCESS_WRITE,
                                                  .caller = &places[0],
                                                  .stamp = 1 + i / 100},
                                       .has = is_later};

        proa_accesses_meet(&accesses, 0, &meeting, told);
        assert_int_equal(accesses.alive, 1 + i / 100);
    }
    proa_accesses_end(&accesses);
}

static int is_far(const struct proa_access *access, void *arg)
{
    (void)arg;
    return access->caller == &places[2];
}

/* How many are kept, once the last one is among the others: it is, when another one has come. */
static uint32_t settled(struct proa_accesses *accesses)
{
    const struct proa_access far = {.low = 1 << 20, .high = 1 << 21, .caller = &places[2]};

    proa_accesses_keep(accesses, 0, &far);
    proa_accesses_drop(accesses, 0, 0, is_far, NULL);
    return accesses->alive;
}

/* Adjacent accesses of one place are one, and those of another place are not. */
static void merged(void **state)
{
    struct proa_access access = {.kind = PROA_ACCESS_WRITE, .caller = &places[0]};
    struct proa_accesses accesses;

    (void)state;
    assert_int_equal(proa_accesses_begin(&accesses, 1), PROA_OK);
    for (uint64_t i = 0; i < 1000; i++) {
        access.low = 8 * i;
        access.high = 8 * i + 8;
        proa_accesses_keep(&accesses, 0, &access);
    }
    assert_int_equal(accesses.alive, 1);
    access.caller = &places[1];
    access.low = access.high;
    access.high += 8;
    proa_accesses_keep(&accesses, 0, &access);
    assert_int_equal(accesses.alive, 2);
    access.low = 4000;
    access.high = 4001;
    assert_non_null(proa_accesses_conflict(&accesses, 0, &access));
    proa_accesses_end(&accesses);
}

/* Words that fill memory in any order are one access in the end. */
static void filled(void **state)
{
    enum { WORDS = 1024, STRIDE = 363 };
    struct proa_access access = {.kind = PROA_ACCESS_ATOMIC, .caller = &places[0]};
    struct proa_accesses accesses;

    (void)state;
    assert_int_equal(proa_accesses_begin(&accesses, 1), PROA_OK);
    for (uint64_t i = 0; i < WORDS; i++) {
        access.low = 8 * (i * STRIDE % WORDS);
        access.high = access.low + 8;
        proa_accesses_keep(&accesses, 0, &access);
    }
    assert_int_equal(settled(&accesses), 1);
    access.low = 0;
    access.high = 8 * WORDS;
    proa_accesses_keep(&accesses, 0, &access);
    assert_int_equal(settled(&accesses), 1);
    proa_accesses_end(&accesses);
}

/* Eight origins do a million operations each in one epoch, on as many words: memory stays bounded,
 * and all that is given up is counted. */
static void long_epoch(void **state)
{
    enum { ORIGINS = 8, OPERATIONS = 1000000 };
    struct proa_access access = {.kind = PROA_ACCESS_ATOMIC, .caller = &places[0], .stamp = 1};
    struct proa_accesses accesses;

    (void)state;
    assert_int_equal(proa_accesses_begin(&accesses, 1), PROA_OK);
    for (uint64_t i = 0; i < OPERATIONS; i++)
        for (access.origin = 0; access.origin < ORIGINS; access.origin++) {
            access.low = 16 * i;
            access.high = access.low + 8;
            proa_accesses_renew(&accesses, 0, &access);
        }
    assert_int_equal(accesses.room, PROA_ACCESSES_MOST);
    assert_int_equal(accesses.alive, PROA_ACCESSES_MOST - 1);
    assert_int_equal(accesses.dropped, (uint64_t)ORIGINS * OPERATIONS - accesses.alive);
    proa_accesses_end(&accesses);
}

/* The oldest are dropped, and counted; the others are found. */
static void too_many(void **state)
{
    const uint64_t more = PROA_ACCESSES_MOST + 1000;
    struct proa_access access = {.kind = PROA_ACCESS_WRITE, .caller = &places[0]};
    struct proa_accesses accesses;

    (void)state;
    assert_int_equal(proa_accesses_begin(&accesses, 1), PROA_OK);
    for (uint64_t i = 0; i < more; i++) {
        access.low = 2 * i;
        access.high = 2 * i + 1;
        proa_accesses_keep(&accesses, 0, &access);
    }
    assert_int_equal(accesses.dropped, more - accesses.alive);
    assert_true(accesses.alive <= PROA_ACCESSES_MOST);
    for (uint64_t i = 0; i < more; i++) {
        access.low = 2 * i;
        access.high = 2 * i + 1;
        assert_int_equal(proa_accesses_conflict(&accesses, 0, &access) != NULL,
                         i >= accesses.dropped);
    }
    proa_accesses_drop(&accesses, 0, 0, goes, NULL);
    assert_int_equal(accesses.alive, 0);
    assert_null(proa_accesses_conflict(&accesses, 0, &access));
    proa_accesses_end(&accesses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_list), cmocka_unit_test(merged),     cmocka_unit_test(too_many),
        cmocka_unit_test(renewed),     cmocka_unit_test(hot),        cmocka_unit_test(pieces),
        cmocka_unit_test(filled),      cmocka_unit_test(long_epoch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
