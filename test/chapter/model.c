/* SPDX-License-Identifier: BSD-3-Clause */
/* See model.h. Sections are those of MPI-4.1. */
#include "model.h"

const char *const call_names[ncalls] = {
    "fence",        "fence+put", "start",       "complete",     "post",
    "wait",         "test",      "lock(other)", "lock(self)",   "unlock(other)",
    "unlock(self)", "lock_all",  "unlock_all",  "flush(other)", "flush(self)",
    "put(other)",   "put(self)", "rput(other)", "free"};

struct model model_new(int other_in_group, int self_in_group, int exclusive, int strict)
{
    return (struct model){
        .in_group = {other_in_group, self_in_group}, .exclusive = exclusive, .strict = strict};
}

static int holds_locks(const struct model *m)
{
    return m->locked[other] || m->locked[self] || m->lock_all;
}

/* 13.5: access epochs of a process on one window are disjoint, and so are its exposure epochs.
 * 13.5.1: a fence starts an epoch only if operations follow it, and only the next fence ends that;
 * so a fence without operations excludes nothing. */
static int is_in_fence_epoch(const struct model *m)
{
    return m->fence_opens && m->operations;
}

int model_is_completed(const struct model *m)
{
    return (!m->in_group[other] && !m->in_group[self]) || m->completes >= m->posts;
}

/* 13.5.2: the k-th start of a process matches the k-th post of a target to it, as sends match
 * receives. */
static int is_posted(const struct model *m)
{
    return m->posts >= m->starts;
}

/* Starts without their posts, or posts without their starts (13.5.2: "each process in the group
 * must issue a matching call"). */
static int is_unmatched(const struct model *m)
{
    return (m->in_group[other] || m->in_group[self]) && m->starts != m->posts;
}

/* 13.5.1: a fence completes and starts access and exposure epochs; so it must not come inside one
 * of another kind. Of a fence between post and wait the standard does not speak; it would start an
 * exposure epoch inside another one. */
static enum verdict judge_fence(const struct model *m)
{
    return m->started || m->exposed || holds_locks(m) ? wrong : legal;
}

/* 13.5.2, and 13.5: access epochs are disjoint. An exposure epoch may be open: "at the same time
 * part of an access epoch". */
static enum verdict judge_start(const struct model *m)
{
    return m->started || holds_locks(m) || is_in_fence_epoch(m) ? wrong : legal;
}

/* 13.5.2: ends what a start has begun. It may wait for the post if there were operations; without
 * one Proa's does not, so a complete is tried ahead of the post, as figure 11.2 of MPI-2.2 has it.
 * (With operations the put was left out before.) */
static enum verdict judge_complete(const struct model *m)
{
    return m->started ? legal : wrong;
}

/* 13.5: exposure epochs are disjoint. 13.5.3: "it is erroneous to call MPI_WIN_POST while the local
 * window is locked": by this process; hosts let it pass. Left out: that the other process has
 * locked it, which this one need not see. */
static enum verdict judge_post(const struct model *m)
{
    if (m->exposed || (m->strict && (m->locked[self] || m->lock_all)) || is_in_fence_epoch(m))
        return wrong;
    return m->locked[other] ? left_out : legal;
}

/* 13.5.2: ends what a post has begun; returns only after the matching completes. */
static enum verdict judge_wait(const struct model *m)
{
    return !m->exposed ? wrong : model_is_completed(m) ? legal : left_out;
}

/* 13.5.2: the same, without waiting. */
static enum verdict judge_test(const struct model *m)
{
    return m->exposed ? legal : wrong;
}

/* 13.5.3: one lock of a window at a time and target, none beside a lock_all; 13.5: not inside
 * another access epoch; 13.5.3: "it is erroneous to have a window locked and exposed": the own
 * window is seen to be; hosts let it pass. Left out: that the target's is, which this process need
 * not see, and exclusive locks that would wait for one that is not going to be released. */
static enum verdict judge_lock(const struct model *m, int target)
{
    if (m->lock_all || m->locked[target] || m->started || is_in_fence_epoch(m) ||
        (m->strict && m->exposed && target == self))
        return wrong;
    if (m->exposed && target == other)
        return left_out;
    /* the other process holds what we want, and wants what we hold */
    return m->exclusive && m->locked[!target] ? left_out : legal;
}

/* 13.5.3, the same for all targets, this process among them. */
static enum verdict judge_lock_all(const struct model *m)
{
    return holds_locks(m) || m->started || is_in_fence_epoch(m) || (m->strict && m->exposed)
               ? wrong
               : legal;
}

/* 13.5.3: an unlock ends the lock of that target, an unlock_all a lock_all. */
static enum verdict judge_unlock(const struct model *m, int target)
{
    return m->locked[target] ? legal : wrong;
}
static enum verdict judge_unlock_all(const struct model *m)
{
    return m->lock_all ? legal : wrong;
}

/* 13.5.4: inside a passive target epoch. */
static enum verdict judge_flush(const struct model *m, int target)
{
    return m->locked[target] || m->lock_all ? legal : wrong;
}

/* 13.5: only inside an access epoch for the target. Left out: a put that would wait for a post
 * which never comes. */
static enum verdict judge_put(const struct model *m, int target)
{
    if (m->started)
        return !m->in_group[target] ? wrong : is_posted(m) ? legal : left_out;
    return m->fence_opens || m->locked[target] || m->lock_all ? legal : wrong;
}

/* 13.3.5: "request-based RMA operations can only be used within a passive target epoch". Hosts
 * serve them in all. */
static enum verdict judge_request(const struct model *m, int target)
{
    return m->strict && !m->locked[target] && !m->lock_all ? wrong : judge_put(m, target);
}

/* 13.2.5: after the process "has completed its involvement in RMA communications": by fence,
 * complete, wait or unlock. Left out: with starts or posts that have no partner, which one process
 * alone need not see. */
static enum verdict judge_free(const struct model *m)
{
    if (m->started || m->exposed || holds_locks(m) || is_in_fence_epoch(m))
        return wrong;
    return is_unmatched(m) ? left_out : legal;
}

enum verdict model_judge(const struct model *m, enum call call)
{
    switch (call) {
    case call_fence:
    case call_fence_put:
        return judge_fence(m);
    case call_start:
        return judge_start(m);
    case call_complete:
        return judge_complete(m);
    case call_post:
        return judge_post(m);
    case call_wait:
        return judge_wait(m);
    case call_test:
        return judge_test(m);
    case call_lock_other:
    case call_lock_self:
        return judge_lock(m, call - call_lock_other);
    case call_unlock_other:
    case call_unlock_self:
        return judge_unlock(m, call - call_unlock_other);
    case call_lock_all:
        return judge_lock_all(m);
    case call_unlock_all:
        return judge_unlock_all(m);
    case call_flush_other:
    case call_flush_self:
        return judge_flush(m, call - call_flush_other);
    case call_put_other:
    case call_put_self:
        return judge_put(m, call - call_put_other);
    case call_rput_other:
        return judge_request(m, other);
    case call_free:
        return judge_free(m);
    default:
        return left_out;
    }
}

/* A fence without operations that is followed by another kind of epoch was the start of none. */
static void leave_fence(struct model *m)
{
    m->fence_opens = m->operations = 0;
}

static void apply_test(struct model *m)
{
    if (!model_is_completed(m))
        return;
    m->exposed = 0;
    m->waits++;
}

void model_apply(struct model *m, enum call call)
{
    switch (call) {
    case call_fence:
    case call_fence_put:
        m->fence_opens = 1;
        m->operations = call == call_fence_put;
        break;
    case call_start:
        leave_fence(m);
        m->started = 1;
        m->starts++;
        break;
    case call_complete:
        m->started = 0;
        m->completes++;
        break;
    case call_post:
        leave_fence(m);
        m->exposed = 1;
        m->posts++;
        break;
    case call_wait:
    case call_test:
        apply_test(m);
        break;
    case call_lock_other:
    case call_lock_self:
        leave_fence(m);
        m->locked[call - call_lock_other] = 1;
        break;
    case call_unlock_other:
    case call_unlock_self:
        m->locked[call - call_unlock_other] = 0;
        break;
    case call_lock_all:
        leave_fence(m);
        m->lock_all = 1;
        break;
    case call_unlock_all:
        m->lock_all = 0;
        break;
    case call_put_other:
    case call_put_self:
    case call_rput_other:
        m->operations = m->operations || m->fence_opens;
        break;
    case call_free:
        m->freed = 1;
        break;
    default:
        break;
    }
}
