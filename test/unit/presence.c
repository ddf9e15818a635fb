/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks without Proa (job/presence.c): which of a window's have none, and the same answer without
 * memory. The host and the process manager are the test's: with the header of the standard ABI, no
 * MPI is needed. */
#include "base/fail.h"
#include "host/pmpi.h"
#include "job/manager.h"
#include "job/presence.h"
#include "window/win.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The ranks of the job; the absent ones are 4, and 60 to 70, and one checks other things. */
enum { RANKS = 200, ABSENT = 4, FROM = 60, TO = 70, UNLIKE = 100 };

/* ---- memory, refused where the test says so (linked with --wrap) ---- */

static int refuses;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return refuses ? NULL : __real_calloc(count, bytes);
}

/* ---- the host ---- */

static int is_up;      /* MPI_COMM_WORLD exists; before that, all ranks of the job count */
static int last = -1;  /* the window's ranks are those from 5 to this one */
static int groups = 0; /* that are not freed */

static int initialized(int *flag)
{
    *flag = is_up;
    return MPI_SUCCESS;
}

static int comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = RANKS;
    return MPI_SUCCESS;
}

static int comm_group(MPI_Comm comm, MPI_Group *group)
{
    (void)comm;
    groups++;
    *group = (MPI_Group)(void *)&groups; /* any but MPI_GROUP_NULL */
    return MPI_SUCCESS;
}

static int group_free(MPI_Group *group)
{
    groups--;
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

static int translate(MPI_Group world, int count, const int ranks[], MPI_Group group, int places[])
{
    (void)world, (void)group;
    if (last < 0)
        return MPI_ERR_OTHER;
    for (int i = 0; i < count; i++)
        places[i] = ranks[i] > ABSENT && ranks[i] <= last ? ranks[i] - ABSENT : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static const struct proa_pmpi host = {.Initialized = initialized,
                                      .Comm_size = comm_size,
                                      .Comm_group = comm_group,
                                      .Group_free = group_free,
                                      .Group_translate_ranks = translate};
const struct proa_pmpi *proa_pmpi_filled = &host;

const struct proa_pmpi *proa_pmpi_fill(void)
{
    return &host;
}

/* ---- the process manager ---- */

static enum proa_key is_put;

static void put(enum proa_key key)
{
    is_put = key;
}

static int is_here(void)
{
    return 1;
}

static enum proa_key look(int rank)
{
    if (rank == ABSENT || (rank >= FROM && rank <= TO))
        return PROA_KEY_NONE;
    return (enum proa_key)(PROA_KEY_TELLS + (rank == UNLIKE ? 2 : 1) * PROA_KEY_CHECKS);
}

const struct proa_manager proa_manager_pmix = {put, is_here, look},
                          proa_manager_pmi = {put, is_here, look};

/* ---- messages: there are none where a session comes first (job/roll.h) ---- */

void *proa_pmpi_symbol(const char *name)
{
    fail_msg("%s is called", name);
    return NULL;
}

/* ---- tests ---- */

static void check_left(const char *why)
{
    assert_int_equal(proa_presence_check(MPI_COMM_WORLD), PROA_ELSEWHERE);
    assert_non_null(strstr(proa_failure(), why));
}

static void all_count(void **state)
{
    (void)state;
    is_up = 0;
    check_left("without Proa: 4, 60-70");
}

static void some_are_in(void **state)
{
    (void)state;
    is_up = 1;
    last = RANKS - 1;
    check_left("without Proa: 60-70");
    last = FROM + 5; /* beyond the first few that are looked up */
    check_left("without Proa: 60-65");
    last = FROM - 1;
    assert_int_equal(proa_presence_check(MPI_COMM_WORLD), PROA_OK);
    assert_int_equal(groups, 0);
}

/* A process with a session may have no MPI_COMM_WORLD: it tells others nothing, in MPI_Init
 * neither.
 */
static void a_session_comes_first(void **state)
{
    (void)state;
    assert_int_equal(is_put, PROA_KEY_ALONE + PROA_KEY_CHECKS);
    proa_presence_put(1, 0);
    assert_int_equal(is_put, PROA_KEY_ALONE + PROA_KEY_CHECKS);
    proa_presence_look(0, RANKS, 1);
}

static void one_checks_other_things(void **state)
{
    (void)state;
    assert_false(proa_presence_checks_alike());
}

/* Others have memory, and leave the window to the host: this one must not do otherwise. */
static void no_memory(void **state)
{
    (void)state;
    is_up = 1;
    refuses = 1;
    last = RANKS - 1;
    check_left("without Proa: 60-70");
    last = FROM - 1;
    assert_int_equal(proa_presence_check(MPI_COMM_WORLD), PROA_OK);
    refuses = 0;
}

static void a_host_that_fails(void **state)
{
    (void)state;
    is_up = 1;
    last = -1;
    check_left("does not tell");
    assert_int_equal(groups, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_comes_first), cmocka_unit_test(all_count),
        cmocka_unit_test(some_are_in),           cmocka_unit_test(no_memory),
        cmocka_unit_test(a_host_that_fails),     cmocka_unit_test(one_checks_other_things),
    };

    proa_presence_put(0, 1);
    proa_presence_look(0, RANKS, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
