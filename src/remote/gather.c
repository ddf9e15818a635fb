/* SPDX-License-Identifier: BSD-3-Clause */
/* See gather.h. */
#include "remote/gather.h"
#include "base/settings.h"
#include "base/system.h"
#include "remote/agent.h"
#include "remote/batch.h"

#include <utlist.h>

static int gathered; /* since the look that found nothing */
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

/* With a lock that is still to be asked for it waits for the unlock: lock and unlock are one
 * message then, and others get the lock meanwhile. Before the target has posted it could do nothing
 * there, and the complete, another message then, would have to wait. But somebody may wait for what
 * is told by a post of ours. */
static int may_go(const struct proa_remote *r)
{
    return r->used && !r->lost &&
           (r->has_posts ||
            (r->works && r->lock != PROA_REMOTE_WANTED && !proa_batch_lacks_post(r)));
}

/* Sent if it was there at the last look. Is there something for the next? An error is told by the
 * call that settles. */
static int look_at(struct proa_remote *r)
{
    int outcome;

    if (!may_go(r))
        return 0;
    if (r->seen != r->sent + 1) {
        r->seen = r->sent + 1;
        return 1;
    }
    outcome = proa_batch_try_send(r, 0);
    if (outcome < 0)
        proa_failure_keep(&r->failed, outcome, proa_failure());
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
        DL_FOREACH_SAFE(s->win->remotes, r, next)
            gathered |= look_at(r);
}

int proa_gather_has_any(void)
{
    return gathered && proa_gather_is_on();
}
