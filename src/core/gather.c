/* SPDX-License-Identifier: BSD-3-Clause */
/* See gather.h. */
#include "core/gather.h"
#include "base/settings.h"
#include "base/system.h"
#include "core/agent.h"
#include "core/batch.h"

#include <utlist.h>

static int gathered; /* since the look that found nothing */
static long looked_ns;

void proa_gather_begun(void)
{
    gathered = 1;
    proa_agent_disturb();
}

/* With a lock that is still to be asked for it waits for the unlock: lock and unlock are one
 * message then, and others get the lock meanwhile. */
static int may_go(const struct proa_remote *r)
{
    return r->used && r->works && r->lock != PROA_REMOTE_WANTED && !r->lost;
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

int proa_gather_look(void)
{
    long now_ns, wait_ns = proa_settings()->gather_ns;
    const struct proa_spread *s;
    struct proa_remote *r, *next;

    if (!gathered || wait_ns == 0)
        return 0;
    now_ns = proa_system->now_ns();
    if (now_ns - looked_ns < wait_ns)
        return 1;
    looked_ns = now_ns;
    gathered = 0;
    DL_FOREACH(proa_spreads, s)
        DL_FOREACH_SAFE(s->win->remotes, r, next)
    gathered |= look_at(r);
    return gathered;
}
