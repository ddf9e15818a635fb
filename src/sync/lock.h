/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking for a lock, step by step.
 *
 * Whoever waits in a call loops over the steps (proa_lock_wait). Whoever asks for others, and must
 * not block, keeps what they ask for in a struct proa_asking each, and takes up the one or the
 * other again when it has been told that something has changed:
 *     ask       proa_lock_ask     nothing is waited for
 *     look      proa_lock_look    has come what it waits for now? May be asked at any time, as
 *               often as one likes
 *     be told   proa_lock_bell    rung when the look may have another answer
 *     go on     proa_lock_go_on   after a look that said yes, however long ago: one step, after
 *               which the lock is ours or the next wait begins
 * Whoever has asked goes on until the lock is his (PROA_LOCK_GRANTED), and gives it back then:
 * others wait behind him.
 */
#ifndef PROA_SYNC_LOCK_H
#define PROA_SYNC_LOCK_H

#include "base/hidden.h"
#include "sync/ask.h"
#include "sync/claims.h"
#include "sync/rwlock.h"
#include "window/win.h"

enum proa_lock_kind { PROA_LOCK_SHARED, PROA_LOCK_EXCLUSIVE, PROA_LOCK_ALL };

/* What is waited for now. The argument why these waits come to an end is in sync/lock.c. */
enum proa_lock_stage {
    PROA_LOCK_GRANTED,      /* nothing: the lock is ours */
    PROA_LOCK_GIVES_WAY,    /* exclusive: those who wait outside have their turn first */
    PROA_LOCK_WRITE_QUEUED, /* exclusive: our turn in the queue */
    PROA_LOCK_WRITE_HEAD,   /* exclusive, announced: no lock_all any more */
    PROA_LOCK_WRITE_ENTERS, /* exclusive, announced: nobody inside */
    PROA_LOCK_READ_QUEUED,  /* shared: our turn in the queue */
    PROA_LOCK_READ_HEAD,    /* shared, counted: the writer inside leaves */
    PROA_LOCK_READ_OUTSIDE, /* shared, outside: no writer in the way */
    /* shared, counted, ahead of writers that only wait: the writer inside leaves */
    PROA_LOCK_READ_AHEAD,
    PROA_LOCK_ALL_TRIES,   /* lock_all: nothing; it tries */
    PROA_LOCK_ALL_OUTSIDE, /* lock_all, outside: the writer that was found is not in the way */
    PROA_LOCK_BROKEN,      /* after a death: the claims of the living allow it (sync/claims.h) */
    PROA_LOCK_STAGES
};

struct proa_asking;

/* What has to be known of the process that asks. Called when the lock is not free. */
struct proa_asker {
    int (*holds_any)(const struct proa_asking *asking); /* does it hold any lock, of any window? */
    /* does somebody wait for a lock that it holds? Called by looks */
    int (*is_pressed)(struct proa_asking *asking);
    /* the lock is claimed, or no more (sync/claims.h) */
    void (*claim)(struct proa_asking *asking, enum proa_claim claim);
};

/* The process itself, for the calling thread (sync/held.h). */
extern PROA_HIDDEN const struct proa_asker proa_asker_self;

struct proa_asking {
    const struct proa_asker *asker;
    struct proa_win *win;
    int target;               /* a rank; < 0: PROA_LOCK_ALL */
    struct proa_all_ctl *all; /* of the leader */
    struct proa_rwlock *lock; /* of the target; of the one in the way of a lock_all */
    struct proa_bell *lock_bell;
    void *who;       /* for the asker */
    long begin_ns;   /* for the asker: when it first had to answer; 0: not yet */
    uint32_t number; /* of the ticket; of those who have to have their turn first */
    uint8_t kind;    /* enum proa_lock_kind */
    uint8_t stage;   /* enum proa_lock_stage */
    uint8_t ahead;   /* may go ahead of writers that only wait: found while it waited outside */
    uint8_t outside; /* has asked outside, and has not been granted yet */
};

/* Asks. asking->win, target, all and asker are set; for a target's lock also lock and lock_bell. A
 * lock that is granted is claimed. */
void proa_lock_ask(struct proa_asking *asking, enum proa_lock_kind kind);
int proa_lock_look(struct proa_asking *asking);
struct proa_bell *proa_lock_bell(const struct proa_asking *asking);
void proa_lock_go_on(struct proa_asking *asking);

/* Before a look where it has been waited for: the queue of a broken lock is left. Has it been, just
 * now? */
int proa_lock_leave_broken(struct proa_asking *asking);

/* Asks, and returns once the lock is ours: PROA_OK; or PROA_ERR_OTHER, the target is gone. target <
 * 0: for PROA_LOCK_ALL. The first try has failed, and its claim stands. */
int proa_lock_wait(struct proa_win *win, int target, enum proa_lock_kind kind);

/* ---- the first try, where the lock is free and nobody is to be given way: 1, and it is ours; or 0
 * ---- */

static inline int proa_lock_try_exclusive(struct proa_all_ctl *all, struct proa_rwlock *lock,
                                          struct proa_bell *bell)
{
    if (__builtin_expect(!proa_ask_are_granted(all, proa_ask_asked(all)), 0) ||
        !proa_rwlock_write_try(lock))
        return 0;
    if (proa_ask_all_none(all))
        return 1;
    proa_rwlock_write_unlock(lock, bell);
    return 0;
}

/* The same for either kind of lock on a target. all: of the target's node. */
static inline int proa_lock_try(struct proa_all_ctl *all, struct proa_win_ctl *ctl, int exclusive)
{
    return exclusive ? proa_lock_try_exclusive(all, &ctl->lock, &ctl->lock_bell)
                     : proa_rwlock_read_try(&ctl->lock, &ctl->lock_bell);
}

/* ---- giving back ---- */

static inline void proa_lock_give_back(struct proa_win_ctl *ctl, int exclusive)
{
    if (exclusive)
        proa_rwlock_write_unlock(&ctl->lock, &ctl->lock_bell);
    else
        proa_rwlock_read_unlock(&ctl->lock, &ctl->lock_bell);
}

/* ---- lock_all ---- */

/* A target's block with a writer inside, or at the head of the queue unless we may go ahead of
 * such; NULL: there is none. */
static inline struct proa_win_ctl *proa_lock_find_writer(const struct proa_win *win, int ahead)
{
    for (int i = 0; i < win->size; i++)
        if (win->targets[i].ctl && proa_rwlock_has_writer(&win->targets[i].ctl->lock, !ahead))
            return win->targets[i].ctl;
    return NULL;
}

static inline int proa_lock_try_all(const struct proa_win *win, struct proa_all_ctl *all)
{
    proa_ask_all_enter(all);
    if (!proa_lock_find_writer(win, 0))
        return 1;
    proa_ask_all_leave(all);
    return 0;
}

#endif
