/* SPDX-License-Identifier: BSD-3-Clause */
/* See gather.h. */
#include "remote/gather.h"
#include "base/settings.h"
#include "base/system.h"
#include "remote/agent.h"
#include "remote/batch.h"

#include <utlist.h>

static int gathered; /* a batch has begun since the look that found none */
static long looked_ns;

int proa_gather_is_on(void)
{
    return proa_settings()->gather_ns != 0;
}

void proa_gather_begun(void)
{
    gathered = 1;
    proa_agent_disturb();
}

/* May the batch be sent by a look? If its lock is still to be requested, the batch waits for the
 * unlock: lock and unlock are one message then, and others get the lock meanwhile. Before the
 * target has posted, it could not execute the batch; and the complete would be another message, and
 * have to wait. But a process may wait for a post of ours in the batch. */
static int may_go(const struct proa_remote *r)
{
    return r->batch.used && !proa_remote_is_lost(r) &&
           (r->batch.has & PROA_GATHERED_POSTS ||
            (r->batch.has & PROA_GATHERED_WORK && !proa_remote_wants_lock(r) &&
             !proa_batch_lacks_post(r)));
}

/* Sends the batch if it was there at the last look. Returns whether there is one for the next look.
 * The call that settles reports an error. */
static int look_at(struct proa_remote *r)
{
    int outcome;

    if (!may_go(r))
        return 0;
    if (!(r->batch.has & PROA_GATHERED_SEEN)) {
        proa_batch_mark(r, PROA_GATHERED_SEEN);
        return 1;
    }
    outcome = proa_batch_try_send(r, 0);
    if (outcome < 0)
        proa_failure_keep(&r->flight.failed, outcome, proa_failure());
    return outcome == PROA_NET_AGAIN;
}

void proa_gather_look(void)
{
    long now_ns;
    const struct proa_spread *s;
    struct proa_remote *r, *next;

    if (!gathered || !proa_gather_is_on())
        return;
    now_ns = proa_system->now_ns();
    if (now_ns - looked_ns < proa_settings()->gather_ns)
        return;
    looked_ns = now_ns;
    gathered = 0;
    DL_FOREACH(proa_spreads, s)
        DL_FOREACH_SAFE2(s->win->remotes, r, next, in[PROA_REMOTE_USED].next)
            gathered |= look_at(r);
}

int proa_gather_has_any(void)
{
    return gathered && proa_gather_is_on();
}
