/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls that threads of this process are in, for the watchdog (check/watchdog.h).
 *
 * Each thread has a record of its own, and no other thread writes it. The number of a record is odd
 * while the thread is inside a call that may wait. The watchdog reads the numbers periodically: an
 * unchanged number means the same call. So a call need not read the clock.
 */
#ifndef PROA_HANG_THREAD_CALLS_H
#define PROA_HANG_THREAD_CALLS_H

#include "base/atomic.h"
#include "base/calls.h"
#include "base/hidden.h"

#include <stddef.h>
#include <stdint.h>

struct proa_members; /* hang/members.h */
struct proa_rules;

/* What a call waits for. */
enum proa_awaited {
    PROA_AWAITS_NOTHING,
    PROA_AWAITS_ALL,      /* the same call of all members */
    PROA_AWAITS_MESSAGES, /* the counterparts of sends and receives */
    PROA_AWAITS_ANY,      /* the completion of unknown requests */
    PROA_AWAITS_WINDOW    /* the state of the window describes the wait */
};

/* A pending send or receive. */
enum proa_way { PROA_SENDS = 1, PROA_RECEIVES };
enum { PROA_AWAITED_MOST = 16 }; /* messages that fit in a record */
struct proa_awaited_message {
    int rank; /* peer, in MPI_COMM_WORLD; -1 for any */
    int tag;  /* -1 for any */
    enum proa_way way;
};

/* A call that may wait. */
struct proa_thread_call {
    const char *call; /* for a call on a window, read window_call */
    const void *caller;
    enum proa_awaited awaits;
    const struct proa_members *members; /* of the communicator; NULL if unknown, or for a window */
    int peer;                           /* peer rank in the communicator; -1 for none */
    int count;                          /* number of messages, at most PROA_AWAITED_MOST */
    const struct proa_awaited_message *messages;
    enum proa_call window_call;     /* valid for calls on a window, as is the next field: */
    const struct proa_rules *rules; /* rules of the window; NULL if it is being freed */
};

/* The record of a thread. Messages are copied, as the caller may return at any time. */
struct proa_thread_calls {
    uint64_t number;
    struct proa_thread_call here;
    struct proa_awaited_message messages[PROA_AWAITED_MOST];
    uint64_t waits; /* proa_wait_mark: a call on a window works while this is even */
    /* the watchdog's: the two numbers at its last pass */
    uint64_t seen, seen_waits;
    int looks; /* passes with that number */
    struct proa_thread_calls *next;
};

/* True if there is a watchdog. */
extern PROA_HIDDEN int proa_thread_calls_on;

/* The record of this thread, and its depth of nested calls. */
struct proa_thread_calls_mine {
    struct proa_thread_calls *record; /* NULL before the first call */
    int depth;
};
extern PROA_HIDDEN _Thread_local struct proa_thread_calls_mine proa_thread_calls_mine
    PROA_INITIAL_EXEC;

struct proa_thread_calls *proa_thread_calls_add(void);

/* Returns the record for a call that a thread enters. Returns NULL without memory, or for a nested
 * call. */
static inline struct proa_thread_calls *proa_thread_calls_begin(void)
{
    struct proa_thread_calls_mine *mine = &proa_thread_calls_mine;

    if (mine->depth++)
        return NULL;
    return mine->record ? mine->record : proa_thread_calls_add();
}

/* A thread enters a call, and leaves it. The rest of `here` is zero. Nested calls count as the
 * outermost one. */
void proa_thread_calls_enter(const struct proa_thread_call *here);

static inline void proa_thread_calls_leave(void)
{
    struct proa_thread_calls_mine *mine = &proa_thread_calls_mine;

    if (mine->depth > 0 && --mine->depth == 0 && mine->record)
        proa_atomic_store(&mine->record->number, mine->record->number + 1, PROA_RELAXED);
}

/* The same for a call on a window. rank: target, or -1. Most calls are of this kind and do not
 * wait, so only fields that the reader cannot derive are written. */
static inline void proa_thread_calls_enter_window(enum proa_call call, int rank, const void *caller,
                                                  const struct proa_rules *rules)
{
    struct proa_thread_calls *record = proa_thread_calls_begin();

    if (!record)
        return;
    proa_atomic_fence(PROA_RELEASE); /* the other fields change after the number is even */
    proa_atomic_store(&record->here.awaits, PROA_AWAITS_WINDOW, PROA_RELAXED);
    proa_atomic_store(&record->here.window_call, call, PROA_RELAXED);
    proa_atomic_store(&record->here.peer, rank, PROA_RELAXED);
    proa_atomic_store(&record->here.caller, caller, PROA_RELAXED);
    proa_atomic_store(&record->here.rules, rules, PROA_RELAXED);
    proa_atomic_store(&record->number, record->number + 1, PROA_RELEASE); /* partner: watchdog.c */
}

/* Check mode starts work in this thread within its call, which does not wait meanwhile, or ends it.
 * begins: true at the start. */
void proa_thread_calls_pause(int begins);

/* Members or rules are about to be freed: no record refers to them from then on, and no running
 * pass over the records does. */
void proa_thread_calls_forget(const void *named);

/* Copies a record of another thread, except its number and the watchdog's fields. The copy is of
 * one call if the number is odd, and equal before and after. */
void proa_thread_calls_read(const struct proa_thread_calls *here, struct proa_thread_calls *read);

/* Calls `look` for the record of each thread. No record is added or removed meanwhile, and no
 * object that a record refers to is freed. */
void proa_thread_calls_each(void (*look)(struct proa_thread_calls *here, void *arg), void *arg);

#endif
