/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What TCP alone takes between two hosts: the limit of whatever goes over it.
 *
 * Started by a launcher as two processes; the second answers at $BENCH_FAR, which the first calls.
 * The cases:
 *   tcp.polled      64 bytes there and back, both ends poll
 *   tcp.blocking    the same, the far end sleeps in recv: what a target takes that computes
 *   tcp.stream_64k  64 KiB one way; as many as fill the loop are answered together
 *   tcp.stream_1m   1 MiB
 *   tcp.stream_4m   4 MiB
 */
#include "loop.h"
#include "options.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT "7471"

enum { SMALL = 64, MIDDLE = 1 << 20, LARGE = 4 << 20, TRIES = 200, TRY_MS = 50 };

/* What the far end is asked to do: n times, 0: to end. */
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

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "tcp: %s: %s\n", what, errno ? strerror(errno) : "no");
    exit(1);
}

/* ---- bytes ---- */

static void put(int line, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t now = send(line, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
        if (now < 0 && errno != EINTR)
            die("send");
        done += now > 0 ? (size_t)now : 0;
    }
}

/* flags: MSG_DONTWAIT polls. 0: the other end has ended. */
static int get(int line, void *bytes, size_t count, int flags)
{
    for (size_t done = 0; done < count;) {
        ssize_t now = recv(line, (char *)bytes + done, count - done, flags);
        if (now == 0)
            return 0;
        if (now < 0 && errno != EINTR && errno != EAGAIN)
            die("recv");
        done += now > 0 ? (size_t)now : 0;
    }
    return 1;
}

/* ---- the far end ---- */

static void serve(int line)
{
    struct request request;

    while (get(line, &request, sizeof request, 0) && request.n > 0) {
        int flags = request.sleeps ? 0 : MSG_DONTWAIT;

        for (long i = 0; i < request.n; i++) {
            if (!get(line, buffer, (size_t)request.bytes, flags))
                return;
            if (request.answers || i == request.n - 1)
                put(line, buffer, SMALL);
        }
    }
}

static void make_quick(int line)
{
    int yes = 1;

    if (setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0)
        die("TCP_NODELAY");
}

static struct addrinfo *look_up(const char *name, int flags)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = flags},
                    *found;
    int outcome = getaddrinfo(name, PORT, &hints, &found);

    if (outcome) {
        fprintf(stderr, "tcp: %s: %s\n", name ? name : "here", gai_strerror(outcome));
        exit(1);
    }
    return found;
}

static void be_far(void)
{
    struct addrinfo *at = look_up(NULL, AI_PASSIVE);
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1, line;

    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(door, at->ai_addr, at->ai_addrlen) != 0 || listen(door, 1) != 0)
        die("listen");
    freeaddrinfo(at);
    line = accept(door, NULL, NULL);
    if (line < 0)
        die("accept");
    make_quick(line);
    serve(line);
    close(line);
    close(door);
}

/* ---- the near end ---- */

static int call_far(void)
{
    const char *name = getenv("BENCH_FAR");
    struct addrinfo *at = look_up(name ? name : "localhost", 0);
    int line = -1;

    for (int i = 0; i < TRIES; i++) {
        line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(line, at->ai_addr, at->ai_addrlen) == 0)
            break;
        close(line); /* it may not listen yet */
        line = -1;
        nanosleep(&(struct timespec){0, TRY_MS * 1000000L}, NULL);
    }
    freeaddrinfo(at);
    if (line < 0)
        die("connect");
    make_quick(line);
    return line;
}

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
    put(near->line, &request, sizeof request);
    began = loop_now_ns();
    for (long i = 0; i < n; i++) {
        put(near->line, buffer, (size_t)request.bytes);
        if ((request.answers || i == n - 1) && !get(near->line, buffer, SMALL, MSG_DONTWAIT))
            die("the far end has gone");
    }
    return loop_now_ns() - began;
}

static void be_near(const struct shape *shape, const struct loop_plan *plan)
{
    struct near near = {.line = call_far(), .request = shape->request};
    struct request end = {0};

    loop_print(shape->name, loop_measure(plan, run, &near));
    put(near.line, &end, sizeof end);
    close(near.line);
}

/* As the launchers of the hosts tell it. */
static int own_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv(names[i]);

        if (rank)
            return atoi(rank);
    }
    fprintf(stderr, "tcp: which of the two is this? Start it by a launcher of MPI\n");
    exit(2);
}

int main(int argc, char **argv)
{
    struct options options = options_parse(argc, argv, "Times TCP between two hosts.");

    for (int i = 0; i < SHAPES; i++) {
        if (options.list)
            printf("%s 2\n", shapes[i].name);
        else if (strcmp(options.name, shapes[i].name) == 0) {
            if (own_rank() == 0)
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
