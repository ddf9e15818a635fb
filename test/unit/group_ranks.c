/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of groups, as ranks in a window (host/group_ranks.c): a group that is refused leaves
 * nothing for the next call. */
#include "host/group_ranks.h"
#include "host/pmpi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* ---- the host: member I of the group of N is rank I + N in the window ---- */

enum { WINDOW = 8, LARGEST = 20 };

static int asked;

static MPI_Group group_of(int count)
{
    return (MPI_Group)(uintptr_t)(1000 + count);
}

static int size_of(MPI_Group group, int *count)
{
    asked++;
    *count = (int)((uintptr_t)group - 1000);
    return *count <= LARGEST ? MPI_SUCCESS : MPI_ERR_GROUP;
}

static int translate_ranks(MPI_Group group, int count, const int ranks[], MPI_Group within,
                           int places[])
{
    (void)group, (void)within;
    for (int i = 0; i < count; i++)
        places[i] = i < WINDOW - 2 ? (ranks[i] + count) % WINDOW : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static const struct proa_pmpi host = {.Group_size = size_of,
                                      .Group_translate_ranks = translate_ranks};
const struct proa_pmpi *proa_pmpi_filled = &host;

const struct proa_pmpi *proa_pmpi_fill(void)
{
    return &host;
}

/* ---- tests ---- */

static struct proa_group_ranks_kept kept;

static int find(int count, const struct proa_group_ranks **members)
{
    return proa_group_ranks_find(&kept, MPI_GROUP_NULL, WINDOW, group_of(count), members);
}

static void check(int count)
{
    const struct proa_group_ranks *members;

    assert_int_equal(find(count, &members), PROA_OK);
    assert_int_equal(members->count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(members->ranks[i], (i + count) % WINDOW);
}

static void known_ones(void **state)
{
    (void)state;
    check(3);
    asked = 0;
    check(3);
    assert_int_equal(asked, 0);
    proa_group_ranks_freeing();
    check(3);
    assert_int_equal(asked, 1);
}

/* Too large; with a member outside; not valid. Each takes the place of an older group, and that
 * group has its own members afterwards. */
static void refused_ones(void **state)
{
    static const int refused[] = {WINDOW + 1, WINDOW - 1, LARGEST + 1};
    const struct proa_group_ranks *members;

    (void)state;
    for (int round = 0; round < 3 * PROA_GROUP_RANKS_KEPT; round++) {
        for (int count = 1; count <= PROA_GROUP_RANKS_KEPT; count++)
            check(count);
        assert_int_equal(find(refused[round % 3], &members), PROA_ERR_GROUP);
        assert_int_equal(find(refused[round % 3], &members), PROA_ERR_GROUP);
        for (int count = 1; count <= PROA_GROUP_RANKS_KEPT; count++)
            check(count);
    }
    proa_group_ranks_drop(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_ones),
                                       cmocka_unit_test(refused_ones)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
