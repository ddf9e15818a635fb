/* SPDX-License-Identifier: BSD-3-Clause */
/* See network.h. And what else of src/ the progress engine calls, and does nothing here. */
#include "network.h"
#include "core.h"
#include "base/atomic.h"
#include "base/host_progress.h"
#include "adopt/adopt.h"
#include "remote/target.h"
#include "remote/work.h"
#include "rma/combine.h"
#include "shm/threads.h"

static const struct network *network;

static struct shared {
    int library;
    uint32_t is_woken;
} * s;

void network_make(const struct network *given)
{
    static const struct network nothing;

    network = given ? given : &nothing;
    proa_remote_start(NULL);
    s = explore_new(sizeof *s, 64);
}

void network_library(void)
{
    s->library++;
}

/* ---- dozes: at an eventfd, which has a lock in the kernel, and so orders like one ---- */

enum { SHORT_DOZE_NS = 1000000 };

int proa_endpoints_doze(long timeout_ns)
{
    explore_sleep(&s->is_woken, 0, timeout_ns <= SHORT_DOZE_NS);
    return (int)proa_atomic_exchange(&s->is_woken, 0, PROA_ACQ_REL);
}

void proa_endpoints_wake(void)
{
    proa_atomic_exchange(&s->is_woken, 1, PROA_ACQ_REL);
    explore_wake(&s->is_woken);
}

void network_arrives(void)
{
    proa_endpoints_wake();
}

/* ---- inside ---- */

void proa_progress_set_transport(const struct proa_net_transport *transport)
{
    (void)transport;
}

int proa_endpoints_any(void)
{
    return 1;
}

int proa_endpoints_progress(void)
{
    network_library();
    return network->progress ? network->progress() : 0;
}

void proa_endpoints_part(int in_order)
{
    (void)in_order;
    network_library();
}

void proa_endpoints_close(int in_order)
{
    (void)in_order;
    network_library();
}

int proa_progress_send(uint32_t peer, const void *body, size_t bytes)
{
    (void)peer;
    network_library();
    return network->send ? network->send(body, bytes) : PROA_OK;
}

int proa_progress_move(int put, const struct proa_net_place *there, void *here, size_t bytes,
                       uint64_t token)
{
    (void)put, (void)there;
    network_library();
    return network->move(here, bytes, token);
}

void proa_progress_drop(uint32_t peer, const char *why)
{
    explore_fail("peer %u: %s", peer, why);
}

void proa_progress_attend(void)
{
}

int proa_endpoint_reach(int end, const struct proa_net_address *address, uint32_t *peer)
{
    (void)end, (void)address;
    *peer = 1;
    return PROA_OK;
}

/* ---- other rooms ---- */

void proa_threads_begin(void)
{
}

void proa_threads_end(void)
{
}

void proa_host_progress_forbid(void)
{
}

void proa_adopt_set_pause(void (*enter)(void), void (*leave)(void))
{
    (void)enter, (void)leave;
}

/* No process of another node is an origin here. */
void proa_remote_target_posted(struct proa_remote *origin, uint64_t times)
{
    (void)origin, (void)times;
}

void proa_remote_target_batch(struct proa_remote *from, const struct proa_wire_head *head,
                              const char *body, size_t bytes)
{
    (void)from, (void)head, (void)body, (void)bytes;
}

void proa_remote_target_lost(struct proa_remote *origin)
{
    (void)origin;
}

int proa_remote_target_pending(int *is_pending)
{
    *is_pending = 0;
    return 0;
}

/* Bytes are moved here, and no elements. */
proa_kernel *const (*proa_kernels)[PROA_OP_COUNT];

size_t proa_padding_of(enum proa_basic basic)
{
    (void)basic;
    return 0;
}

int proa_is_padded(enum proa_basic basic)
{
    (void)basic;
    return 0;
}
