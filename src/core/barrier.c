/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three barriers, chosen once for a window.
 *
 * Dissemination (Hensgen, Finkel, Manber 1988): in round k process i tells i + 2^k and hears from i
 * - 2^k. No atomics, and for two processes the two-flag barrier that one would write by hand.
 * Crowded, with more processes than processors: every round of a dissemination could wait for a
 * process that does not run, so all count up one word instead and the last one opens; each process
 * has to run once.
 * Over several nodes: all of a node count up a word of its leader, the leaders disseminate, and
 * open their nodes.
 */
#include "core/barrier.h"
#include "base/fail.h"
#include "core/ask.h"
#include "core/spread.h"
#include "core/tell.h"

PROA_FORMS int disseminate(struct proa_win *win, uint64_t number, int general)
{
    int error = PROA_OK;

    for (int k = 0, distance = 1; distance < win->size && !error; k++, distance *= 2) {
        int next = win->rank + distance; /* distance < size: at most once around */
        const struct proa_target *partner =
            &win->targets[next < win->size ? next : next - win->size];

        /* of all that we stored, and all that we heard of in earlier rounds */
        proa_tell_form(win, partner, PROA_WORD_ROUND, k, number, general);
        error = proa_hear_form(win, -1, PROA_WORD_ROUND, k, number, general);
    }
    return error;
}

static __attribute__((noinline)) PROA_HOT int disseminate_near(struct proa_win *win,
                                                               uint64_t number)
{
    return disseminate(win, number, 0);
}

static __attribute__((noinline)) int disseminate_generally(struct proa_win *win, uint64_t number)
{
    return disseminate(win, number, 1);
}

static int count_up(struct proa_win *win, uint64_t number)
{
    if (proa_ask_arrive(win) != number * (uint64_t)win->size)
        return proa_ask_passed(win, number);
    proa_ask_pass(win, number);
    return PROA_OK;
}

/* ---- over several nodes ---- */

static int arrive_and_wait(struct proa_win *win, uint64_t number)
{
    proa_ask_arrive(win);
    proa_bell_ring(&win->leader->barrier_bell);
    return proa_ask_passed(win, number);
}

static int lead(struct proa_win *win, uint64_t number)
{
    const struct proa_spread *spread = win->spread;
    int error = PROA_OK;

    if (spread->neighbours)
        error = proa_ask_arrived(win, number * (uint64_t)spread->neighbours);
    for (int k = 0; k < spread->rounds && !error; k++) {
        /* of all that our node stored, and all that we heard of in earlier rounds */
        proa_tell(win, &win->targets[spread->partners[k]], PROA_WORD_NODE_ROUND, k, number);
        error = proa_hear_form(win, -1, PROA_WORD_NODE_ROUND, k, number, 1);
    }
    if (!error && spread->neighbours)
        proa_ask_pass(win, number);
    return error;
}

/* Apart from the near one, whose call is to cost nothing else. */
static __attribute__((noinline)) int pass_otherwise(struct proa_win *win)
{
    uint64_t number = ++win->crowded_barriers;

    if (win->barrier == PROA_BARRIER_FAR)
        return win->ctl == win->leader ? lead(win, number) : arrive_and_wait(win, number);
    return count_up(win, number);
}

int proa_barrier(struct proa_win *win)
{
    if (win->barrier == PROA_BARRIER_NEAR)
        return disseminate_near(win, ++win->barriers);
    return pass_otherwise(win);
}

/* In a dissemination every word written into a block has been awaited by its owner; whoever counts
 * up may still be reading the leader's. Once a process is gone this barrier is never passed, and
 * others may have freed their blocks: it is not begun. */
int proa_barrier_last(struct proa_win *win)
{
    int error;

    if (__atomic_load_n(&win->lost, __ATOMIC_ACQUIRE))
        return proa_gone_report(win, -1);
    proa_gone_end(win, 1);
    error = disseminate_generally(win, ++win->barriers);
    if (error)
        proa_gone_end(win, 0);
    return error;
}

enum proa_barrier_kind proa_barrier_choose(const struct proa_win *win)
{
    cpu_set_t processors;

    if (win->spread)
        return PROA_BARRIER_FAR;
    CPU_ZERO(&processors);
    for (int i = 0; i < win->size; i++)
        CPU_OR(&processors, &processors, &win->targets[i].peer->ctl->processors);
    return win->size > CPU_COUNT(&processors) ? PROA_BARRIER_CROWDED : PROA_BARRIER_NEAR;
}
