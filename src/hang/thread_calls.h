/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls in which threads of this process are: for the watchdog (check/watchdog.h).
 *
 * Each thread has a record of its own, which it alone writes. The number of a record is odd while
 * the thread is inside a call that may wait. The watchdog looks at the numbers from time to time:
 * one that has stayed the same is that of one call. So a call pays no look at the clock.
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
    PROA_AWAITS_ANY,      /* the completion of requests that are not known */
    PROA_AWAITS_WINDOW    /* the state of the window tells */
};

/* A send or a receive that is not complete. */
enum proa_way { PROA_SENDS = 1, PROA_RECEIVES };
enum { PROA_AWAITED_MOST = 16 }; /* messages that a record has room for */
struct proa_awaited_message {
    int rank; /* the other process, in MPI_COMM_WORLD; -1: any */
    int tag;  /* -1: any */
    enum proa_way way;
};

/* A call that may wait. */
struct proa_thread_call {
    const char *call; /* of a window's it is read from window_call */
    const void *caller;
    enum proa_awaited awaits;
    const struct proa_members *members; /* of the communicator; NULL: not known, or a window's */
    int peer;                           /* a rank in it; -1: none */
    int count;                          /* of messages, PROA_AWAITED_MOST at the most */
    const struct proa_awaited_message *messages;
    enum proa_call window_call;     /* if it awaits a window; else not used, and so is this: */
    const struct proa_rules *rules; /* of the window; NULL: it is being freed */
};

/* The record of a thread. Messages are copied, as the caller may return any time. */
struct proa_thread_calls {
    uint64_t number;
    struct proa_thread_call here;
    struct proa_awaited_message messages[PROA_AWAITED_MOST];
    uint64_t waits; /* proa_wait_mark: a call on a window works unless this is odd */
    /* the watchdog's: the two numbers of its last look */
    uint64_t seen, seen_waits;
    int looks; /* at that number */
    struct proa_thread_calls *next;
};

/* Is there a watchdog? */
extern PROA_HIDDEN int proa_thread_calls_on;

/* The record of this thread, and how many calls it is in. */
struct proa_thread_calls_mine {
    struct proa_thread_calls *record; /* NULL: it has none yet */
    int depth;
};
extern PROA_HIDDEN _Thread_local struct proa_thread_calls_mine proa_thread_calls_mine
    PROA_INITIAL_EXEC;

struct proa_thread_calls *proa_thread_calls_add(void);

/* The record of a call that a thread enters; NULL: there is no memory, or it is within a call. */
static inline struct proa_thread_calls *proa_thread_calls_begin(void)
{
    struct proa_thread_calls_mine *mine = &proa_thread_calls_mine;

    if (mine->depth++)
        return NULL;
    return mine->record ? mine->record : proa_thread_calls_add();
}

/* A thread enters a call, and leaves it. The rest of `here` is zero. Calls within calls count as
 * the outer one. */
void proa_thread_calls_enter(const struct proa_thread_call *here);

static inline void proa_thread_calls_leave(void)
{
    struct proa_thread_calls_mine *mine = &proa_thread_calls_mine;

    if (mine->depth > 0 && --mine->depth == 0 && mine->record)
        proa_atomic_store(&mine->record->number, mine->record->number + 1, PROA_RELAXED);
}

/* The same of a call on a window; rank: of the target, or -1. Most calls are such, and do not wait,
 * so only that is written which the reader cannot find. */
static inline void proa_thread_calls_enter_window(enum proa_call call, int rank, const void *caller,
                                                  const struct proa_rules *rules)
{
    struct proa_thread_calls *record = proa_thread_calls_begin();

    if (!record)
        return;
    proa_atomic_fence(PROA_RELEASE); /* the rest changes after the number that is even */
    proa_atomic_store(&record->here.awaits, PROA_AWAITS_WINDOW, PROA_RELAXED);
    proa_atomic_store(&record->here.window_call, call, PROA_RELAXED);
    proa_atomic_store(&record->here.peer, rank, PROA_RELAXED);
    proa_atomic_store(&record->here.caller, caller, PROA_RELAXED);
    proa_atomic_store(&record->here.rules, rules, PROA_RELAXED);
    proa_atomic_store(&record->number, record->number + 1, PROA_RELEASE); /* partner: watchdog.c */
}

/* This thread works for check mode within its call, which does not wait meanwhile; or goes on. */
void proa_thread_calls_pause(int begins);

/* Members or rules are about to be freed: no record names them from then on, and no look at the
 * records that is under way does. */
void proa_thread_calls_forget(const void *named);

/* Reads a record of another thread, but for its number and what is the watchdog's. It is of one
 * call if the number is odd and the same before and after. */
void proa_thread_calls_read(const struct proa_thread_calls *here, struct proa_thread_calls *read);

/* Calls `look` for the record of each thread, while no record comes or goes, and nothing that a
 * record names. */
void proa_thread_calls_each(void (*look)(struct proa_thread_calls *here, void *arg), void *arg);

#endif
