/* SPDX-License-Identifier: BSD-3-Clause */
/* See doorbell.h. */
#include "base/doorbell.h"
#include "base/system.h"

#include <unistd.h>

/* The announcement of a sleeper. Upper 32 bits: its thread, so that it withdraws only its own
 * announcement. Lower 32 bits: the offset in its page of the word that it sleeps for, which is the
 * same in every process that maps the word. */
enum { ANYTHING = 1, WORDS = 4095 & ~7 };
static const uint64_t several = ANYTHING;

static uint32_t what(const uint64_t *word)
{
    return word ? (uint32_t)(uintptr_t)word & WORDS : ANYTHING;
}

static uint64_t announcement(const uint64_t *word)
{
    static _Thread_local uint64_t thread;

    if (!thread)
        thread = (uint64_t)gettid();
    return thread << 32 | what(word);
}

int proa_doorbell_announce(struct proa_doorbell *bell, const uint64_t *word, uint32_t *rings)
{
    uint64_t mine = announcement(word), before = 0;

    *rings = __atomic_load_n(&bell->rings, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&bell->sleeper, &before,
                                        before == 0 || before == mine ? mine : several, 0,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        continue;
    return before != mine && before != several;
}

/* If several threads are announced, the next ringer withdraws the announcement. */
void proa_doorbell_leave(struct proa_doorbell *bell, const uint64_t *word)
{
    uint64_t mine = announcement(word);

    __atomic_compare_exchange_n(&bell->sleeper, &mine, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Withdraws the announcement first, so that a sleeper is woken once, however many threads ring
 * before it runs. A sleeper that announces itself before the exchange has read the count of rings
 * before it changes here, and so does not sleep. A sleeper that announces itself after the exchange
 * stays announced. */
void proa_doorbell_wake(struct proa_doorbell *bell, const uint64_t *word)
{
    uint32_t awaited = (uint32_t)__atomic_load_n(&bell->sleeper, __ATOMIC_RELAXED);

    if (word && awaited != ANYTHING && awaited != what(word))
        return;
    if (__atomic_exchange_n(&bell->sleeper, 0, __ATOMIC_SEQ_CST) == 0)
        return;
    __atomic_fetch_add(&bell->rings, 1, __ATOMIC_RELEASE);
    proa_system->wake(&bell->rings);
}
