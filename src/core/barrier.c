/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two barriers, chosen once for a window.
 *
 * Dissemination (Hensgen, Finkel, Manber 1988): in round k process i tells i + 2^k and hears from i
 * - 2^k. No atomics, and for two processes the two-flag barrier that one would write by hand.
 * Crowded, with more processes than processors: every round of a dissemination could wait for a
 * process that does not run, so all count up one word instead and the last one opens; each process
 * has to run once.
 * Over several nodes it is a dissemination: a word to count up is only on one of them.
 */
#include "core/barrier.h"
#include "base/fail.h"
#include "core/ask.h"
#include "core/tell.h"

PROA_FORMS int disseminate(struct proa_win *win, uint64_t number, int general)
{
    int error = PROA_OK;

    for (int k = 0, distance = 1; distance < win->size && !error; k++, distance *= 2) {
        int next = win->rank + distance; /* distance < size: at most once around */
        const struct proa_target *partner =
            &win->targets[next < win->size ? next : next - win->size];

        /* of all that we stored, and all that we heard of in earlier rounds */
        proa_tell_form(partner, proa_word_round(k), number, general);
        error = proa_hear_form(win, -1, proa_word_round(k), number, general);
    }
    return error;
}

static __attribute__((noinline)) int disseminate_near(struct proa_win *win, uint64_t number)
{
    return disseminate(win, number, 0);
}

static __attribute__((noinline)) int disseminate_generally(struct proa_win *win, uint64_t number)
{
    return disseminate(win, number, 1);
}

static void count_up(struct proa_win *win, uint64_t number)
{
    if (proa_ask_arrive(win) == number * (uint64_t)win->size)
        proa_ask_pass(win, number);
    else
        proa_ask_passed(win, number);
}

int proa_barrier(struct proa_win *win)
{
    if (win->barrier == PROA_BARRIER_NEAR)
        return disseminate_near(win, ++win->barriers);
    if (win->barrier == PROA_BARRIER_FAR)
        return disseminate_generally(win, ++win->barriers);
    count_up(win, ++win->crowded_barriers);
    return PROA_OK;
}

/* In a dissemination every word written into a block has been awaited by its owner; whoever counts
 * up may still be reading the leader's. */
int proa_barrier_last(struct proa_win *win)
{
    return disseminate_generally(win, ++win->barriers);
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
