/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks without Proa (job/presence.c): whether a window has any, and its answer without memory. The
 * host and the process manager are the test's: with the header of the standard ABI, no MPI is
 * needed. */
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

enum { RANKS = 6, ABSENT = 4 };

/* ---- memory, refused where the test says so (linked with --wrap) ---- */

static int refuses;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return refuses ? NULL : __real_calloc(count, bytes);
}

/* ---- the host, before its MPI_COMM_WORLD exists: all ranks of the job count ---- */

static int initialized(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

static int comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = RANKS;
    return MPI_SUCCESS;
}

static const struct proa_pmpi host = {.Initialized = initialized, .Comm_size = comm_size};
const struct proa_pmpi *proa_pmpi_filled = &host;

const struct proa_pmpi *proa_pmpi_fill(void)
{
    return &host;
}

/* ---- the process manager ---- */

static void put(void)
{
}

static int is_here(void)
{
    return 1;
}

static int has(int rank)
{
    return rank != ABSENT;
}

const struct proa_manager proa_manager_pmix = {put, is_here, has},
                          proa_manager_pmi = {put, is_here, has};

/* ---- tests ---- */

static void check_left(const char *why)
{
    assert_int_equal(proa_presence_check(MPI_COMM_WORLD), PROA_ELSEWHERE);
    assert_non_null(strstr(proa_failure(), why));
}

static void a_window_with_one(void **state)
{
    (void)state;
    check_left("without Proa: 4");
}

static void no_memory(void **state)
{
    (void)state;
    refuses = 1;
    check_left("out of memory");
    refuses = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_with_one),
        cmocka_unit_test(no_memory),
    };

    proa_presence_look(0, RANKS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
