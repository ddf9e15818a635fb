/* SPDX-License-Identifier: BSD-3-Clause */
/* See doorbell.h. */
#include "base/atomic.h"
#include "base/doorbell.h"
#include "base/system.h"

#include <unistd.h>

/* The announcement of a sleeper. The upper 32 bits are its thread, so that a thread withdraws only
 * its own announcement. The lower 32 bits are the offset of the awaited word in its page, which is
 * the same in every process that maps the word. */
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

    *rings = proa_atomic_load(&bell->rings, PROA_ACQUIRE);
    while (!proa_atomic_compare_exchange(&bell->sleeper, &before,
                                         before == 0 || before == mine ? mine : several,
                                         PROA_SEQ_CST, PROA_RELAXED))
        continue;
    return before != mine && before != several;
}

/* If several threads are announced, the next ringer withdraws the announcement. */
void proa_doorbell_leave(struct proa_doorbell *bell, const uint64_t *word)
{
    uint64_t mine = announcement(word);

    proa_atomic_compare_exchange(&bell->sleeper, &mine, 0, PROA_RELAXED, PROA_RELAXED);
}

/* The announcement is withdrawn first, so that a sleeper is woken once even if several threads ring
 * before it runs. A sleeper that announces itself before the exchange has read the count of rings
 * before it changes here, and so does not sleep. A sleeper that announces itself after the exchange
 * stays announced. */
void proa_doorbell_wake(struct proa_doorbell *bell, const uint64_t *word)
{
    uint32_t awaited = (uint32_t)proa_atomic_load(&bell->sleeper, PROA_RELAXED);

    if (word && awaited != ANYTHING && awaited != what(word))
        return;
    if (proa_atomic_exchange(&bell->sleeper, 0, PROA_SEQ_CST) == 0)
        return;
    proa_atomic_fetch_add(&bell->rings, 1, PROA_RELEASE);
    proa_system->wake(&bell->rings);
}
