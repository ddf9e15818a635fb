/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of operations that check mode follows (usage/requests.c): those at a time are limited,
 * and not those of a program's life. */
#include "host/handle.h"
#include "usage/misuse.h"
#include "usage/requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct proa_handle handle;
static const struct proa_win win = {.user = &handle};
static int leaks, misuses;

/* ---- in place of findings ---- */

void proa_misuse_request(enum proa_misuse misuse, const char *window, const char *call,
                         const void *caller, const struct proa_finding_call *other,
                         const char *sentence, ...)
{
    (void)window, (void)call, (void)caller, (void)other, (void)sentence;
    leaks += misuse == PROA_MISUSE_REQUEST_LEAK;
    misuses += misuse == PROA_MISUSE_REQUEST;
}

const void *proa_source_program(const void *caller)
{
    return caller;
}

/* ---- tests ---- */

static MPI_Request request_of(uintptr_t number)
{
    return (MPI_Request)(1000 + number);
}

static void give(uintptr_t number)
{
    proa_rma_request_given(&win, PROA_CALL_Rput, &win, request_of(number));
}

static void complete(uintptr_t number)
{
    MPI_Request request = request_of(number);
    struct proa_rma_requests these;

    proa_rma_requests_before(&these, &request, 1);
    request = MPI_REQUEST_NULL;
    proa_rma_requests_after(&these, &request);
}

static int left(void)
{
    leaks = 0;
    proa_rma_requests_tell_leaks();
    return leaks;
}

static void one_by_one(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < PROA_RMA_REQUESTS_MOST + 10; i++) {
        give(i);
        complete(i);
    }
    give(1);
    assert_int_equal(left(), 1);
    assert_int_equal(left(), 0);
}

/* Freed ones make room, too. */
static void full(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < PROA_RMA_REQUESTS_MOST + 10; i++)
        give(i);
    misuses = 0;
    for (uintptr_t i = 0; i < 3; i++)
        proa_rma_request_misused(request_of(i), "MPI_Request_free", 1, &win);
    assert_int_equal(misuses, 3);
    for (uintptr_t i = 0; i < 10; i++)
        give(2 * PROA_RMA_REQUESTS_MOST + i);
    assert_int_equal(left(), PROA_RMA_REQUESTS_MOST);
    give(1);
    assert_int_equal(left(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_by_one), cmocka_unit_test(full)};

    proa_rma_requests_on = 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
