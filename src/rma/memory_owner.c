/* SPDX-License-Identifier: BSD-3-Clause */
/* See memory_owner.h. */
#include "rma/memory_owner.h"
#include "base/fail.h"
#include "window/win.h"

#include <stdlib.h>
#include <utlist.h>

struct proa_memory_owners {
    struct proa_memory_owners *next;
    struct proa_peer *peer;
};

static struct proa_memory_owners *owner_add(struct proa_win *win, const struct proa_hello *hello)
{
    struct proa_memory_owners *lender = calloc(1, sizeof *lender);

    if (!lender) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the state of process %d", hello->first.pid);
        return NULL;
    }
    lender->peer = proa_peer_attach(hello);
    if (!lender->peer) {
        free(lender);
        return NULL;
    }
    LL_PREPEND(win->owners, lender);
    return lender;
}

/* There is hardly ever more than one. */
struct proa_peer *proa_memory_owner(struct proa_win *win, const struct proa_hello *hello)
{
    struct proa_memory_owners *lender;

    proa_win_enter(win);
    for (lender = win->owners; lender && lender->peer->id != hello->first.id; lender = lender->next)
        continue;
    if (!lender)
        lender = owner_add(win, hello);
    proa_win_leave(win);
    return lender ? lender->peer : NULL;
}

void proa_memory_owners_release(struct proa_win *win)
{
    struct proa_memory_owners *lender, *next;

    LL_FOREACH_SAFE(win->owners, lender, next) {
        proa_peer_release(lender->peer);
        free(lender);
    }
    win->owners = NULL;
}
