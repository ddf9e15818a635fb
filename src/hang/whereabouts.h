/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls in which threads of this process are: for the watchdog (check/watchdog.h).
 *
 * Each thread has a record of its own, which it alone writes. The number of a record is odd while
 * the thread is inside a call that may wait. The watchdog looks at the numbers from time to time:
 * one that has stayed the same is that of one call. So a call pays no look at the clock.
 */
#ifndef PROA_HANG_WHEREABOUTS_H
#define PROA_HANG_WHEREABOUTS_H

#include "base/calls.h"
#include "base/hidden.h"

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
struct proa_whereabout {
    const char *call;
    const void *caller;
    enum proa_awaited awaits;
    const struct proa_members *members; /* of the communicator or window; NULL: not known */
    int peer;                           /* a rank in it; -1: none */
    int count;                          /* of messages, PROA_AWAITED_MOST at the most */
    const struct proa_awaited_message *messages;
    enum proa_call window_call;     /* of a window; else not used */
    const struct proa_rules *rules; /* of the window; NULL: it is no call on one */
};

/* The record of a thread. Messages are copied, as the caller may return any time. */
struct proa_whereabouts {
    uint64_t number;
    struct proa_whereabout here;
    struct proa_awaited_message messages[PROA_AWAITED_MOST];
    /* the watchdog's */
    uint64_t seen;
    int looks; /* at that number */
    struct proa_whereabouts *next;
};

/* Is there a watchdog? */
extern PROA_HIDDEN int proa_whereabouts_on;

/* A thread enters a call, and leaves it. The rest of `here` is zero. Calls within calls count as
 * the outer one. */
void proa_whereabouts_enter(const struct proa_whereabout *here);
void proa_whereabouts_leave(void);

/* Members or rules are about to be freed: no record names them from then on, and no look at the
 * records that is under way does. */
void proa_whereabouts_forget(const void *named);

/* Reads a record of another thread, but for its number and what is the watchdog's. It is of one
 * call if the number is odd and the same before and after. */
void proa_whereabouts_read(const struct proa_whereabouts *here, struct proa_whereabouts *read);

/* Calls `look` for the record of each thread, while no record comes or goes, and nothing that a
 * record names. */
void proa_whereabouts_each(void (*look)(struct proa_whereabouts *here, void *arg), void *arg);

#endif
