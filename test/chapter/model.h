/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which order of calls on a window is right: a small model, written from the standard and not from
 * Proa, of one process that does the same calls as another one, in step with it (states.c). Where
 * it is not strict it allows what the standard forbids and both hosts do.
 */
#ifndef PROA_TEST_MODEL_H
#define PROA_TEST_MODEL_H

/* The calls. Start and post are given the group of the run; `other` and `self` are targets. */
enum call {
    call_fence,
    /* a fence and a put to the other process: the beginning of an epoch, beyond doubt */
    call_fence_put,
    call_start,
    call_complete,
    call_post,
    call_wait,
    call_test,
    call_lock_other,
    call_lock_self,
    call_unlock_other,
    call_unlock_self,
    call_lock_all,
    call_unlock_all,
    call_flush_other,
    call_flush_self,
    call_put_other,
    call_put_self,
    call_rput_other, /* and a wait for its request */
    call_free,
    ncalls
};

extern const char *const call_names[ncalls];

enum { other, self };

enum verdict {
    legal,
    wrong, /* MPI_ERR_RMA_SYNC, without effect */
    /* would wait for ever, or is wrong in a way that this process need not see: not tried */
    left_out
};

/* The constants of a run, and the state that the calls have led to. Both processes are in the same
 * state. */
struct model {
    int in_group[2]; /* other, self: members of the group of start and post */
    int exclusive;   /* locks are exclusive */
    int strict;      /* the standard alone counts */
    /* a fence has come last of all synchronization, and asked for an epoch after it */
    int fence_opens;
    int operations;        /* since that fence */
    int started, exposed;  /* an access epoch, an exposure epoch of this kind is open */
    int starts, completes; /* so far */
    int posts, waits;
    int locked[2], lock_all;
    int freed;
};

struct model model_new(int other_in_group, int self_in_group, int exclusive, int strict);

enum verdict model_judge(const struct model *m, enum call call);

/* After a legal call. */
void model_apply(struct model *m, enum call call);

/* Have all origins that were posted to completed, so that a wait returns and a test gives true? */
int model_is_completed(const struct model *m);

#endif
