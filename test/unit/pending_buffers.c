/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of pending operations (check/buffers.h): which of them a completion ends. Findings are
 * counted. */
#include "check/buffers.h"
#include "check/own.h"
#include "findings/finding.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { OLD = 1, NEW = 2 };

static struct proa_win win;
static const struct proa_buffer_user user = {.win = &win, .call = PROA_CALL_Get};
static long memory; /* an origin or a result buffer */
static int finding_count;

/* ---- in place of findings ---- */

void proa_finding_add(const struct proa_finding *finding)
{
    (void)finding;
    finding_count++;
}

int proa_finding_again(const char *id, const void *first, const void *second)
{
    (void)id, (void)first, (void)second;
    return 0;
}

int proa_finding_thread(void)
{
    return 0;
}

/* ---- in place of windows: the buffers are memory of none ---- */

const struct proa_own_range *proa_own_range(uint64_t *low, uint64_t *high)
{
    (void)low, (void)high;
    return NULL;
}

/* ---- operations ---- */

static long *begin_get(void)
{
    memory = OLD;
    proa_buffers_begin();
    return proa_buffers_result(&user, &memory, sizeof memory);
}

static void begin_put(void)
{
    memory = OLD;
    proa_buffers_begin();
    proa_buffers_origin(&user, &memory, sizeof memory);
}

static void flush(void)
{
    proa_buffers_begin();
    proa_buffers_complete(&win, -1, 0);
}

static void *flush_in_thread(void *unused)
{
    flush();
    return unused;
}

static void flush_beside(void)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, flush_in_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ---- tests ---- */

static void kept_back(void **unused)
{
    (void)unused;
    *begin_get() = NEW;
    proa_buffers_done(1);
    assert_int_equal(memory, OLD);
    flush();
    assert_int_equal(memory, NEW);
}

/* Another thread completes its own operations while this one's engine has yet to write. */
static void flushed_within(void **unused)
{
    long *place = begin_get();

    (void)unused;
    flush_beside();
    *place = NEW;
    proa_buffers_done(1);
    assert_int_equal(memory, OLD);
    flush_beside();
    assert_int_equal(memory, NEW);
}

/* A flush that has begun before an operation does not complete it. */
static void *get_in_thread(void *unused)
{
    *begin_get() = NEW;
    proa_buffers_done(1);
    return unused;
}

static void flushed_before(void **unused)
{
    pthread_t thread;

    (void)unused;
    proa_buffers_begin();
    assert_int_equal(pthread_create(&thread, NULL, get_in_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    proa_buffers_complete(&win, -1, 0);
    assert_int_equal(memory, OLD);
    flush();
    assert_int_equal(memory, NEW);
}

static void changed(void **unused)
{
    (void)unused;
    finding_count = 0;
    begin_put();
    proa_buffers_done(1);
    memory = NEW;
    flush();
    assert_int_equal(finding_count, 1);
}

static void refused_origin(void **unused)
{
    (void)unused;
    finding_count = 0;
    begin_put();
    proa_buffers_done(0);
    memory = NEW;
    flush();
    assert_int_equal(finding_count, 0);
}

static void refused_result(void **unused)
{
    (void)unused;
    begin_get();
    proa_buffers_done(0);
    memory = NEW;
    flush();
    assert_int_equal(memory, NEW);
}

/* The error handler has left the call by longjmp. */
static void left(void **unused)
{
    (void)unused;
    begin_get();
    proa_buffers_begin();
    proa_buffers_done(1);
    memory = NEW;
    flush();
    assert_int_equal(memory, NEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_back),      cmocka_unit_test(flushed_within),
        cmocka_unit_test(flushed_before), cmocka_unit_test(changed),
        cmocka_unit_test(refused_origin), cmocka_unit_test(refused_result),
        cmocka_unit_test(left),
    };

    proa_buffers_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
