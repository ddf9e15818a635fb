/* SPDX-License-Identifier: BSD-3-Clause */
/* See line.h. */
#include "line.h"

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

enum { TRIES = 200, TRY_MS = 50 };

_Noreturn void line_die(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
            errno ? strerror(errno) : "no");
    exit(1);
}

void line_put(int line, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t now = send(line, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
        if (now < 0 && errno != EINTR)
            line_die("send");
        done += now > 0 ? (size_t)now : 0;
    }
}

int line_get(int line, void *bytes, size_t count, int flags)
{
    for (size_t done = 0; done < count;) {
        ssize_t now = recv(line, (char *)bytes + done, count - done, flags);
        if (now == 0)
            return 0;
        if (now < 0 && errno != EINTR && errno != EAGAIN)
            line_die("recv");
        done += now > 0 ? (size_t)now : 0;
    }
    return 1;
}

static void make_quick(int line)
{
    int yes = 1;

    if (setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0)
        line_die("TCP_NODELAY");
}

static struct addrinfo *look_up(const char *name, int flags)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = flags},
                    *found;
    int outcome = getaddrinfo(name, PORT, &hints, &found);

    if (outcome) {
        fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, name ? name : "here",
                gai_strerror(outcome));
        exit(1);
    }
    return found;
}

int line_await_call(void)
{
    struct addrinfo *at = look_up(NULL, AI_PASSIVE);
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1, line;

    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(door, at->ai_addr, at->ai_addrlen) != 0 || listen(door, 1) != 0)
        line_die("listen");
    freeaddrinfo(at);
    line = accept(door, NULL, NULL);
    if (line < 0)
        line_die("accept");
    close(door);
    make_quick(line);
    return line;
}

int line_call_far(void)
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
        line_die("connect");
    make_quick(line);
    return line;
}

int line_own_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv(names[i]);

        if (rank)
            return atoi(rank);
    }
    fprintf(stderr, "which of the two is this? Start it by a launcher of MPI\n");
    exit(2);
}
