/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time of TCP alone between two hosts: the limit of everything that goes over it.
 *
 * Started by a launcher as two processes; the second answers at $BENCH_FAR, which the first calls.
 * The cases:
 *   tcp.polled      64 bytes there and back, both ends poll
 *   tcp.blocking    the same, the far end sleeps in recv: what a target takes that computes
 *   tcp.stream_64k  64 KiB one way; as many as fill the loop are answered together
 *   tcp.stream_1m   1 MiB
 *   tcp.stream_4m   4 MiB
 */
#include "line.h"
#include "loop.h"
#include "options.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SMALL = 64, MIDDLE = 1 << 20, LARGE = 4 << 20 };

/* The order to the far end: n times, 0: to end. */
struct request {
    long n, bytes, sleeps, answers;
};

static const struct shape {
    const char *name;
    struct request request;
} shapes[] = {
    {"tcp.polled", {.bytes = SMALL, .answers = 1}},
    {"tcp.blocking", {.bytes = SMALL, .answers = 1, .sleeps = 1}},
    {"tcp.stream_64k", {.bytes = 1 << 16}},
    {"tcp.stream_1m", {.bytes = MIDDLE}},
    {"tcp.stream_4m", {.bytes = LARGE}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static char buffer[LARGE];

/* ---- the far end ---- */

static void be_far(void)
{
    int line = line_await_call();
    struct request request;

    while (line_get(line, &request, sizeof request, 0) && request.n > 0) {
        int flags = request.sleeps ? 0 : MSG_DONTWAIT;

        for (long i = 0; i < request.n; i++) {
            if (!line_get(line, buffer, (size_t)request.bytes, flags))
                return;
            if (request.answers || i == request.n - 1)
                line_put(line, buffer, SMALL);
        }
    }
    close(line);
}

/* ---- the near end ---- */

struct near {
    int line;
    struct request request;
};

static double run(void *arg, long n)
{
    const struct near *near = arg;
    struct request request = near->request;
    double began;

    request.n = n;
    line_put(near->line, &request, sizeof request);
    began = loop_now_ns();
    for (long i = 0; i < n; i++) {
        line_put(near->line, buffer, (size_t)request.bytes);
        if ((request.answers || i == n - 1) && !line_get(near->line, buffer, SMALL, MSG_DONTWAIT))
            line_die("the far end has gone");
    }
    return loop_now_ns() - began;
}

static void be_near(const struct shape *shape, const struct loop_plan *plan)
{
    struct near near = {.line = line_call_far(), .request = shape->request};
    struct request end = {0};

    loop_print(shape->name, loop_measure(plan, run, &near));
    line_put(near.line, &end, sizeof end);
    close(near.line);
}

int main(int argc, char **argv)
{
    struct options options = options_parse(argc, argv, "Times TCP between two hosts.");

    for (int i = 0; i < SHAPES; i++) {
        if (options.list)
            printf("%s 2\n", shapes[i].name);
        else if (strcmp(options.name, shapes[i].name) == 0) {
            if (line_own_rank() == 0)
                be_near(&shapes[i], &options.plan);
            else
                be_far();
            return 0;
        }
    }
    if (!options.list)
        fprintf(stderr, "tcp: no such case: %s\n", options.name);
    return options.list ? 0 : 2;
}
