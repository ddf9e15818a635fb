/* SPDX-License-Identifier: BSD-3-Clause */
/* See whereabouts.h. */
#include "base/hidden.h"
#include "hang/whereabouts.h"
#include "base/atomic.h"

#include <pthread.h>
#include <stdlib.h>

int proa_whereabouts_on;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_whereabouts *all;
static pthread_key_t key; /* takes the record away when its thread ends */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Thread_local struct {
    struct proa_whereabouts *record;
    int depth;
} mine PROA_INITIAL_EXEC;

static void take_away(void *record)
{
    pthread_mutex_lock(&mutex);
    for (struct proa_whereabouts **at = &all; *at; at = &(*at)->next)
        if (*at == record) {
            *at = (*at)->next;
            break;
        }
    pthread_mutex_unlock(&mutex);
    mine.record = NULL;
    free(record);
}

static void make_key(void)
{
    pthread_key_create(&key, take_away);
}

static struct proa_whereabouts *add(void)
{
    struct proa_whereabouts *record = calloc(1, sizeof *record);

    if (!record)
        return NULL;
    pthread_once(&once, make_key);
    pthread_setspecific(key, record);
    pthread_mutex_lock(&mutex);
    record->next = all;
    all = record;
    pthread_mutex_unlock(&mutex);
    return record;
}

static void copy(struct proa_whereabouts *to, const struct proa_whereabouts *from)
{
#define COPY(word) \
    proa_atomic_store(&to->word, proa_atomic_load(&from->word, PROA_RELAXED), PROA_RELAXED)
    COPY(call);
    COPY(caller);
    COPY(awaits);
    COPY(members);
    COPY(peer);
    COPY(count);
    COPY(messages);
    COPY(window_call);
    COPY(rules);
#undef COPY
}

void proa_whereabouts_enter(const struct proa_whereabouts *here)
{
    struct proa_whereabouts *record;

    if (mine.depth++)
        return;
    record = mine.record ? mine.record : (mine.record = add());
    if (!record)
        return;
    proa_atomic_fence(PROA_RELEASE); /* the rest changes after the number that is even */
    copy(record, here);
    proa_atomic_store(&record->number, record->number + 1, PROA_RELEASE); /* partner: watchdog.c */
}

void proa_whereabouts_leave(void)
{
    struct proa_whereabouts *record = mine.record;

    if (mine.depth > 0 && --mine.depth == 0 && record)
        proa_atomic_store(&record->number, record->number + 1, PROA_RELAXED);
}

void proa_whereabouts_read(const struct proa_whereabouts *here, struct proa_whereabouts *read)
{
    copy(read, here);
    proa_atomic_fence(PROA_ACQUIRE); /* partner: the fence of proa_whereabouts_enter */
}

void proa_whereabouts_each(void (*look)(struct proa_whereabouts *here, void *arg), void *arg)
{
    pthread_mutex_lock(&mutex);
    for (struct proa_whereabouts *here = all; here; here = here->next)
        look(here, arg);
    pthread_mutex_unlock(&mutex);
}
