/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sleeping until something comes: in the kernel, at the descriptor that libfabric gives for its
 * queue and at one of ours that `wake` writes to. libfabric says by fi_trywait whether what has
 * come already will be told there.
 *
 * A network whose queue has no descriptor is looked at every now and then instead.
 */
#include "net/ofi.h"
#include "base/fail.h"
#include "base/system.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { NAP_NS = 1000000 };

int proa_ofi_doze_open(struct proa_net *net)
{
    net->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (net->bell < 0)
        return proa_fail(PROA_ERR_OTHER, "no eventfd: %s", strerror(errno));
    net->queue_fd = -1;
    if (net->traits.wait_fd && fi_control(&net->cq->fid, FI_GETWAIT, &net->queue_fd) != 0)
        net->queue_fd = -1;
    return PROA_OK;
}

void proa_ofi_doze_close(struct proa_net *net)
{
    if (net->bell >= 0)
        close(net->bell);
}

static void sleep_ns(struct proa_net *net, long ns)
{
    struct pollfd at[2] = {{.fd = net->bell, .events = POLLIN},
                           {.fd = net->queue_fd, .events = POLLIN}}; /* -1 is ignored */
    struct timespec time = {ns / 1000000000L, ns % 1000000000L};

    ppoll(at, 2, &time, NULL);
}

static int may_sleep(struct proa_net *net)
{
    struct fid *queue = &net->cq->fid;

    return net->queue_fd < 0 || fi_trywait(net->fabric, &queue, 1) == 0;
}

/* Until when, at the most, by the clock. */
static long until(struct proa_net *net, long now, long timeout_ns)
{
    long tick = __atomic_load_n(&net->next_tick, __ATOMIC_RELAXED) - now,
         least = timeout_ns < tick ? timeout_ns : tick;

    if (net->queue_fd < 0 && least > NAP_NS)
        least = NAP_NS;
    return least < 0 ? 0 : least;
}

void proa_ofi_doze(struct proa_net *net, long timeout_ns)
{
    uint64_t rung;

    if (!__atomic_load_n(&net->woken, __ATOMIC_ACQUIRE) && may_sleep(net))
        sleep_ns(net, until(net, proa_system->now_ns(), timeout_ns));
    __atomic_store_n(&net->slept, 1, __ATOMIC_RELAXED);
    if (__atomic_exchange_n(&net->woken, 0, __ATOMIC_ACQ_REL))
        while (read(net->bell, &rung, sizeof rung) < 0 && errno == EINTR)
            ;
}

void proa_ofi_wake(struct proa_net *net)
{
    uint64_t one = 1;

    if (!__atomic_exchange_n(&net->woken, 1, __ATOMIC_ACQ_REL))
        while (write(net->bell, &one, sizeof one) < 0 && errno == EINTR)
            ;
}
