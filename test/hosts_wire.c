/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bad network for test/hosts: a switch between pretended hosts that delays every frame, and loses
 * some. Not every kernel has netem, which does the same.
 *
 *   hosts_wire PORTS DELAY_MS LOSS_PERCENT [ORDERS]
 *
 * Makes the interfaces link0, link1, ..., says "ready", and forwards between them until it is
 * killed; they may be moved into other namespaces meanwhile. ORDERS is a fifo: a line "DELAY_MS
 * LOSS_PERCENT" changes both. Built by test/hosts.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PORTS_MOST = 16, FRAME = 2048, QUEUE = 1 << 14, ADDRESS = 6 };

struct frame {
    long due_ns;
    int from;
    ssize_t bytes;
    unsigned char data[FRAME];
};

static int ports[PORTS_MOST], count, orders = -1;
static long delay_ns;
static double loss;
static unsigned char at[PORTS_MOST][ADDRESS]; /* whose address was seen there last */

/* The delay is the same for all, so they leave as they came. */
static struct frame queue[QUEUE];
static unsigned long came, left;

static long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int die(const char *what)
{
    fprintf(stderr, "hosts_wire: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int open_port(int number)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        die("/dev/net/tun");
    snprintf(request.ifr_name, sizeof request.ifr_name, "link%d", number);
    if (ioctl(fd, TUNSETIFF, &request) < 0)
        die(request.ifr_name);
    return fd;
}

/* Sebastiano Vigna's splitmix64, from 0 up to 1. */
static double chance(void)
{
    static uint64_t seed = 1;
    uint64_t z = seed += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void set_trouble(const char *delay_ms, const char *loss_percent)
{
    delay_ns = (long)(1e6 * atof(delay_ms));
    loss = atof(loss_percent) / 100;
}

static void take_order(void)
{
    char line[64], delay_ms[32], loss_percent[32];
    ssize_t bytes = read(orders, line, sizeof line - 1);

    if (bytes <= 0)
        return;
    line[bytes] = '\0';
    if (sscanf(line, "%31s %31s", delay_ms, loss_percent) == 2)
        set_trouble(delay_ms, loss_percent);
}

static void take(int port)
{
    while (came - left < QUEUE) {
        struct frame *frame = &queue[came % QUEUE];

        frame->bytes = read(ports[port], frame->data, sizeof frame->data);
        if (frame->bytes < 0)
            return;
        if (frame->bytes < 2 * ADDRESS || chance() < loss)
            continue;
        memcpy(at[port], frame->data + ADDRESS, ADDRESS);
        frame->from = port;
        frame->due_ns = now_ns() + delay_ns;
        came++;
    }
}

/* A port that has no room loses it, as switches do. */
static void pass_on(const struct frame *frame)
{
    int known = -1;

    for (int port = 0; port < count; port++)
        if (memcmp(at[port], frame->data, ADDRESS) == 0)
            known = port;
    for (int port = 0; port < count; port++)
        if (port != frame->from && (known < 0 || port == known) &&
            write(ports[port], frame->data, (size_t)frame->bytes) < 0 && errno != EAGAIN &&
            errno != EIO) /* EIO: the interface is not up yet */
            die("write");
}

static void forward(void)
{
    struct pollfd ready[PORTS_MOST + 1];

    for (;;) {
        long now = now_ns(), wait = came == left ? 1000000000L : queue[left % QUEUE].due_ns - now;
        struct timespec time = {wait > 0 ? wait / 1000000000L : 0,
                                wait > 0 ? wait % 1000000000L : 0};

        for (int port = 0; port < count; port++)
            ready[port] = (struct pollfd){.fd = ports[port], .events = POLLIN};
        ready[count] = (struct pollfd){.fd = orders, .events = POLLIN};
        if (ppoll(ready, (nfds_t)count + 1, &time, NULL) < 0 && errno != EINTR)
            die("ppoll");
        for (int port = 0; port < count; port++)
            if (ready[port].revents)
                take(port);
        if (ready[count].revents)
            take_order();
        for (now = now_ns(); came != left && queue[left % QUEUE].due_ns <= now; left++)
            pass_on(&queue[left % QUEUE]);
    }
}

int main(int argc, char **argv)
{
    count = argc == 4 || argc == 5 ? atoi(argv[1]) : 0;
    if (count < 1 || count > PORTS_MOST) {
        fprintf(stderr, "usage: hosts_wire PORTS DELAY_MS LOSS_PERCENT [ORDERS]\n");
        return 2;
    }
    if (argc == 5 && (orders = open(argv[4], O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0)
        die(argv[4]);
    set_trouble(argv[2], argv[3]);
    for (int port = 0; port < count; port++)
        ports[port] = open_port(port);
    puts("ready");
    fflush(stdout);
    forward();
}
