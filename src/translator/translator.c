/* SPDX-License-Identifier: BSD-3-Clause */
/* See translator.h. */
#include "translator/translator.h"
#include "base/atomic.h"

#include <pthread.h>

static uint32_t pending; /* written by the tool while no thread runs */
static int is_there;

static void ask_once(void)
{
    is_there =
        proa_ask(PROA_ASK_BEGIN, (uintptr_t)&pending, 0, 0) == (uintptr_t)PROA_TRANSLATOR_VERSION;
}

int proa_translator_is_there(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, ask_once);
    return is_there;
}

void proa_translator_watch(const void *memory, uint64_t bytes, int what)
{
    if (proa_translator_is_there())
        proa_ask(PROA_ASK_WATCH, (uintptr_t)memory, bytes, (uintptr_t)what);
}

void proa_translator_unwatch(const void *memory, uint64_t bytes, int what)
{
    if (proa_translator_is_there())
        proa_ask(PROA_ASK_UNWATCH, (uintptr_t)memory, bytes, (uintptr_t)what);
}

size_t proa_translator_take(struct proa_touched *into, size_t count)
{
    if (!proa_atomic_load(&pending, PROA_RELAXED))
        return 0;
    return proa_ask(PROA_ASK_DRAIN, (uintptr_t)into, count, 0);
}

uint64_t proa_translator_lost(void)
{
    struct proa_touched_counts counts = {{0}};

    if (proa_translator_is_there())
        proa_ask(PROA_ASK_COUNTS, (uintptr_t)&counts, 0, 0);
    return counts.of[0];
}
