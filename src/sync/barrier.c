/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two barriers of windows of one node, chosen once for a window; the one of windows over several
 * nodes is in remote/sync.c.
 *
 * On an oversubscribed node, every round of a dissemination could wait for a process that does not
 * run. So there all processes count up one word, and the last one opens the barrier: the central
 * barrier. Each process has to run only once.
 */
#include "sync/barrier.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "sync/shared_words.h"

/* Dissemination (Hensgen, Finkel, Manber 1988): in round k process i notifies i + 2^k and waits for
 * i - 2^k. It needs no atomic read-modify-write. For two processes it is a barrier of two flags. */
__attribute__((noinline)) int proa_barrier_disseminate(struct proa_win *win, uint64_t number)
{
    int error = PROA_OK;

    for (int k = 0, distance = 1; distance < win->size && !error; k++, distance *= 2) {
        int next = win->rank + distance; /* distance < size: at most once around */
        const struct proa_target *partner =
            &win->targets[next < win->size ? next : next - win->size];

        /* releases all stores of this process, and all that it acquired in earlier rounds */
        proa_notify(win, partner, PROA_WORD_ROUND, k, number);
        error = proa_await(win, -1, PROA_WORD_ROUND, k, number);
    }
    return error;
}

/* Not inlined, so that it adds no cost to the call of the other barrier. */
static __attribute__((noinline)) int count_up(struct proa_win *win)
{
    uint64_t number = ++win->central_barriers;

    if (proa_shared_arrive(win) != number * (uint64_t)win->size)
        return proa_shared_reached(win, -1, win->leader, &win->leader->passed, number);
    proa_shared_set(win->leader, &win->leader->passed, number);
    return PROA_OK;
}

int proa_barrier_node(struct proa_win *win)
{
    if (win->barrier == PROA_BARRIER_DISSEMINATION)
        return proa_barrier_disseminate(win, ++win->barriers);
    return count_up(win);
}

/* The second barrier keeps a process from storing its next bits before all have read these. */
int proa_unite_node(struct proa_win *win, uint32_t *bits)
{
    int error;

    win->ctl->united = *bits;
    error = proa_barrier_node(win);
    for (int i = 0; i < win->size && !error; i++)
        *bits |= win->targets[i].ctl->united;
    return error ? error : proa_barrier_node(win);
}

/* In a dissemination the owner of a block has waited for every word written into it. In the other
 * barrier a process may still be reading the leader's block. After the failure of a process this
 * barrier never completes, and others may have freed their blocks. So it is not begun then. */
int proa_barrier_last(struct proa_win *win)
{
    int error;

    if (proa_atomic_load(&win->lost, PROA_ACQUIRE))
        return proa_failed_report(win, -1);
    proa_failed_end(win, 1);
    error = win->sync->disseminate(win, ++win->barriers);
    if (error)
        proa_failed_end(win, 0);
    return error;
}

enum proa_barrier_kind proa_barrier_choose(const struct proa_win *win)
{
    cpu_set_t processors;

    CPU_ZERO(&processors);
    for (int i = 0; i < win->size; i++)
        CPU_OR(&processors, &processors, &win->targets[i].peer->ctl->processors);
    return win->size > CPU_COUNT(&processors) ? PROA_BARRIER_CENTRAL : PROA_BARRIER_DISSEMINATION;
}
