/* SPDX-License-Identifier: BSD-3-Clause */
/* See thread_calls.h. */
#include "base/hidden.h"
#include "hang/thread_calls.h"
#include "base/atomic.h"
#include "base/wait.h"

#include <pthread.h>
#include <stdlib.h>

int proa_thread_calls_on;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_thread_calls *all;
static pthread_key_t key; /* its destructor removes the record when its thread ends */
static pthread_once_t once = PTHREAD_ONCE_INIT;

_Thread_local struct proa_thread_calls_mine proa_thread_calls_mine PROA_INITIAL_EXEC;

static void take_away(void *record)
{
    pthread_mutex_lock(&mutex);
    for (struct proa_thread_calls **at = &all; *at; at = &(*at)->next)
        if (*at == record) {
            *at = (*at)->next;
            break;
        }
    pthread_mutex_unlock(&mutex);
    proa_thread_calls_mine.record = NULL;
    proa_wait_mark = NULL;
    free(record);
}

static void make_key(void)
{
    pthread_key_create(&key, take_away);
}

struct proa_thread_calls *proa_thread_calls_add(void)
{
    struct proa_thread_calls *record = calloc(1, sizeof *record);

    if (!record)
        return NULL;
    pthread_once(&once, make_key);
    pthread_setspecific(key, record);
    pthread_mutex_lock(&mutex);
    record->next = all;
    all = record;
    pthread_mutex_unlock(&mutex);
    proa_thread_calls_mine.record = record;
    proa_wait_mark = &record->waits;
    return record;
}

/* Copies word by word, as another thread may read or write the record. */
#define COPY_OF(to, from, word) \
    proa_atomic_store(&(to)->word, proa_atomic_load(&(from)->word, PROA_RELAXED), PROA_RELAXED)

static void copy_messages(struct proa_awaited_message *to, const struct proa_awaited_message *from,
                          int count)
{
    for (int i = 0; i < count; i++) {
        COPY_OF(&to[i], &from[i], rank);
        COPY_OF(&to[i], &from[i], tag);
        COPY_OF(&to[i], &from[i], way);
    }
}

static void copy(struct proa_thread_call *to, const struct proa_thread_call *from)
{
    COPY_OF(to, from, call);
    COPY_OF(to, from, caller);
    COPY_OF(to, from, awaits);
    COPY_OF(to, from, members);
    COPY_OF(to, from, peer);
    COPY_OF(to, from, count);
    COPY_OF(to, from, window_call);
    COPY_OF(to, from, rules);
}

void proa_thread_calls_enter(const struct proa_thread_call *here)
{
    struct proa_thread_calls *record = proa_thread_calls_begin();

    if (!record)
        return;
    proa_atomic_fence(PROA_RELEASE); /* the other fields change after the number is even */
    copy(&record->here, here);
    copy_messages(record->messages, here->messages, here->count);
    proa_atomic_store(&record->number, record->number + 1, PROA_RELEASE); /* partner: watchdog.c */
}

void proa_thread_calls_pause(int begins)
{
    struct proa_thread_calls_mine *mine = &proa_thread_calls_mine;

    if (mine->depth > 0 && mine->record && (mine->record->number & 1) == (uint64_t)begins)
        proa_atomic_store(&mine->record->number, mine->record->number + 1, PROA_RELEASE);
}

void proa_thread_calls_read(const struct proa_thread_calls *here, struct proa_thread_calls *read)
{
    copy(&read->here, &here->here);
    copy_messages(read->messages, here->messages, PROA_AWAITED_MOST);
    read->here.messages = read->messages;
    if (read->here.awaits == PROA_AWAITS_WINDOW) {
        read->here.call = proa_call_name(read->here.window_call);
        read->here.members = NULL;
    }
    proa_atomic_fence(PROA_ACQUIRE); /* partner: the fence of proa_thread_calls_enter */
}

/* The thread of the record may be entering another call, so only this pointer is cleared. */
static void forget_in(struct proa_thread_calls *here, const void *named)
{
    const struct proa_members *members = named;
    const struct proa_rules *rules = named;

    proa_atomic_compare_exchange(&here->here.members, &members, NULL, PROA_RELAXED, PROA_RELAXED);
    proa_atomic_compare_exchange(&here->here.rules, &rules, NULL, PROA_RELAXED, PROA_RELAXED);
}

void proa_thread_calls_forget(const void *named)
{
    pthread_mutex_lock(&mutex);
    for (struct proa_thread_calls *here = all; here && named; here = here->next)
        forget_in(here, named);
    pthread_mutex_unlock(&mutex);
}

void proa_thread_calls_each(void (*look)(struct proa_thread_calls *here, void *arg), void *arg)
{
    pthread_mutex_lock(&mutex);
    for (struct proa_thread_calls *here = all; here; here = here->next)
        look(here, arg);
    pthread_mutex_unlock(&mutex);
}
