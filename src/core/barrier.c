/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two barriers, chosen once for a window.
 *
 * Dissemination (Hensgen, Finkel, Manber 1988): in round k process i tells i + 2^k and hears from i
 * - 2^k. No atomics, and for two processes the two-flag barrier that one would write by hand.
 * Crowded, with more processes than processors: every round of a dissemination could wait for a
 * process that does not run, so all count up one word instead and the last one opens; each process
 * has to run once.
 */
#include "core/barrier.h"
#include "core/ask.h"
#include "core/tell.h"

static void disseminate(struct proa_win *win, uint64_t number)
{
    for (int k = 0, distance = 1; distance < win->size; k++, distance *= 2) {
        int next = win->rank + distance; /* distance < size: at most once around */
        const struct proa_target *partner =
            &win->targets[next < win->size ? next : next - win->size];

        /* of all that we stored, and all that we heard of in earlier rounds */
        proa_tell(partner, proa_word_round(k), number);
        proa_hear(win, proa_word_round(k), number);
    }
}

static void count_up(struct proa_win *win, uint64_t number)
{
    if (proa_ask_arrive(win) == number * (uint64_t)win->size)
        proa_ask_pass(win, number);
    else
        proa_ask_passed(win, number);
}

void proa_barrier(struct proa_win *win)
{
    if (win->crowded)
        count_up(win, ++win->crowded_barriers);
    else
        disseminate(win, ++win->barriers);
}

/* In a dissemination every word written into a block has been awaited by its owner; whoever counts
 * up may still be reading the leader's. */
void proa_barrier_last(struct proa_win *win)
{
    disseminate(win, ++win->barriers);
}

int proa_barrier_is_crowded(const struct proa_win *win)
{
    cpu_set_t processors;

    CPU_ZERO(&processors);
    for (int i = 0; i < win->size; i++)
        CPU_OR(&processors, &processors, &win->targets[i].peer->ctl->processors);
    return win->size > CPU_COUNT(&processors);
}
