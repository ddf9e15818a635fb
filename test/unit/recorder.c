/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a trace (trace/recorder.c): each of its times, against the clock of the test. */
#include "trace/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct proa_trace_head read_head(const char *folder)
{
    struct proa_trace_head head = {0};
    char command[300], path[200] = "";
    FILE *found, *file;

    snprintf(command, sizeof command, "find %s -type f", folder);
    found = popen(command, "r");
    assert_true(found && fscanf(found, "%199s", path) == 1);
    pclose(found);
    file = fopen(path, "rb");
    assert_true(file && fread(&head, sizeof head, 1, file) == 1);
    fclose(file);
    unlink(path);
    return head;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The rate of the ticks is taken from both pairs. */
static void times_of_the_header(void **state)
{
    const struct proa_trace_process process = {3, 5, 77, 99, "1.2"};
    char folder[] = "/tmp/proa-recorder.XXXXXX";
    struct proa_trace_head head;
    int64_t begun, opened, closing, closed;
    uint64_t ticks;

    (void)state;
    assert_non_null(mkdtemp(folder));
    begun = now_ns();
    assert_int_equal(proa_trace_open(folder, &process), 0);
    opened = now_ns();
    proa_trace_put(&(struct proa_trace_record){.kind = PROA_TRACE_CALL});
    usleep(20000);
    closing = now_ns();
    ticks = proa_trace_ticks();
    proa_trace_close();
    closed = now_ns();
    head = read_head(folder);
    rmdir(folder);
    assert_int_equal(head.rank, 3);
    assert_int_equal(head.size, 5);
    assert_int_equal(head.pid, getpid());
    assert_int_equal(head.process, 77);
    assert_int_equal(head.node, 99);
    assert_string_equal(head.proa, "1.2");
    assert_int_equal(head.is_ended, 1);
    assert_int_equal(head.chunks, 1);
    assert_in_range(head.first.ns, begun, opened);
    assert_in_range(head.last.ns, closing, closed);
    assert_in_range(head.last.ticks, ticks, proa_trace_ticks());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(times_of_the_header)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
