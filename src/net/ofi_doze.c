/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread sleeps in the kernel until something arrives: at the descriptor of libfabric's queue,
 * and at a doorbell (an eventfd) that `wake` writes to. fi_trywait says whether the descriptor will
 * report events that have already arrived.
 *
 * Some networks (`net` of libfabric 1.17) never reset their descriptor: once ready, it stays ready.
 * After several dozes in a row that it ended for nothing, only an edge of the descriptor counts as
 * news. The kernel reports an edge when something has arrived since, whether the descriptor was
 * ready or not. Bytes that the network has left unread cause no edge, so such a sleep is short.
 *
 * A network whose queue has no descriptor is polled at intervals (NAP_NS) instead.
 */
#include "net/ofi.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/system.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    NAP_NS = 1000000,            /* without a descriptor */
    FRUITLESS_MOST = 4,          /* dozes in a row that a descriptor has ended for nothing */
    EDGE_SLEEP_NS = 50 * 1000000 /* the longest sleep that only edges end */
};

int proa_ofi_doze_open(struct proa_net *net)
{
    struct epoll_event news = {.events = EPOLLIN | EPOLLET};

    net->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (net->bell < 0)
        return proa_fail(PROA_ERR_OTHER, "no eventfd: %s", strerror(errno));
    if (net->queue_fd < 0)
        return PROA_OK;
    net->edge = epoll_create1(EPOLL_CLOEXEC);
    if (net->edge < 0 || epoll_ctl(net->edge, EPOLL_CTL_ADD, net->queue_fd, &news) != 0)
        return proa_fail(PROA_ERR_OTHER, "no epoll: %s", strerror(errno));
    return PROA_OK;
}

void proa_ofi_doze_close(struct proa_net *net)
{
    if (net->edge >= 0)
        close(net->edge);
    if (net->bell >= 0)
        close(net->bell);
}

static int may_sleep(struct proa_net *net)
{
    struct fid *queue = &net->cq->fid;

    return net->queue_fd < 0 || fi_trywait(net->fabric, &queue, 1) == 0;
}

/* Returns the longest time to sleep, nanoseconds. */
static long for_ns(const struct proa_net *net, long timeout_ns)
{
    long tick = proa_atomic_load(&net->next_tick, PROA_RELAXED) - proa_system->now_ns(),
         least = timeout_ns < tick ? timeout_ns : tick;

    if (net->queue_fd < 0 && least > NAP_NS)
        least = NAP_NS;
    return least < 0 ? 0 : least;
}

/* Returns the descriptor to sleep at: the queue's, or the one for its edges while the queue's is
 * often ready without a new event. */
static int watched(const struct proa_net *net)
{
    struct pollfd queue = {.fd = net->queue_fd, .events = POLLIN};

    return net->queue_fd >= 0 &&
                   proa_atomic_load(&net->fruitless, PROA_RELAXED) >= FRUITLESS_MOST &&
                   poll(&queue, 1, 0) > 0
               ? net->edge
               : net->queue_fd;
}

/* Called when the descriptor is ready. Returns whether something has arrived: the queue's
 * descriptor may be ready without a new event. */
static int is_news(struct proa_net *net, int fd)
{
    unsigned fruitless = proa_atomic_load(&net->fruitless, PROA_RELAXED);
    struct epoll_event event;

    if (fd != net->queue_fd)
        return epoll_wait(net->edge, &event, 1, 0) > 0;
    proa_atomic_store(&net->fruitless, fruitless + 1, PROA_RELAXED);
    return fruitless == 0;
}

/* Sleeps until a descriptor is ready, or the time is over. rung: result, whether each network's
 * doorbell was rung. */
static int sleep_ns(struct proa_net *const nets[], int count, long ns, int rung[])
{
    struct pollfd at[PROA_NETS_MOST][2]; /* queue and doorbell; -1 is ignored */
    struct timespec time;
    int news = 0;

    for (int i = 0; i < count; i++) {
        at[i][0] = (struct pollfd){.fd = watched(nets[i]), .events = POLLIN};
        at[i][1] = (struct pollfd){.fd = nets[i]->bell, .events = POLLIN};
        if (at[i][0].fd >= 0 && at[i][0].fd == nets[i]->edge && ns > EDGE_SLEEP_NS)
            ns = EDGE_SLEEP_NS;
    }
    time = (struct timespec){ns / 1000000000L, ns % 1000000000L};
    if (ppoll(at[0], 2 * (nfds_t)count, &time, NULL) <= 0)
        return 0;
    for (int i = 0; i < count; i++) {
        if (at[i][0].revents)
            news |= is_news(nets[i], at[i][0].fd);
        rung[i] = at[i][1].revents != 0;
    }
    return news;
}

/* A thread that has marked the bell may ring it only after this call. Such a ring ends a later
 * sleep without a mark. If it were left unread, it would end all sleeps from then on. */
static void take_bell(struct proa_net *net, int is_rung)
{
    uint64_t rings;

    proa_atomic_store(&net->slept, 1, PROA_RELAXED);
    if (proa_atomic_exchange(&net->woken, 0, PROA_ACQUIRE) || is_rung)
        while (read(net->bell, &rings, sizeof rings) < 0 && errno == EINTR)
            ;
}

int proa_ofi_doze(struct proa_net *const nets[], int count, long timeout_ns)
{
    int asleep = 1, news = 0, rung[PROA_NETS_MOST] = {0};

    for (int i = 0; i < count; i++) {
        asleep &= !proa_atomic_load(&nets[i]->woken, PROA_RELAXED) && may_sleep(nets[i]);
        timeout_ns = for_ns(nets[i], timeout_ns);
    }
    if (asleep)
        news = sleep_ns(nets, count, timeout_ns, rung);
    for (int i = 0; i < count; i++)
        take_bell(nets[i], rung[i]);
    return news;
}

void proa_ofi_wake(struct proa_net *net)
{
    uint64_t one = 1;

    if (!proa_atomic_exchange(&net->woken, 1, PROA_RELEASE)) /* partner: take_bell */
        while (write(net->bell, &one, sizeof one) < 0 && errno == EINTR)
            ;
}
