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
    struct proa_memory_owners *owner = calloc(1, sizeof *owner);

    if (!owner) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the state of process %d", hello->first.pid);
        return NULL;
    }
    owner->peer = proa_peer_attach(hello);
    if (!owner->peer) {
        free(owner);
        return NULL;
    }
    LL_PREPEND(win->owners, owner);
    return owner;
}

/* There is hardly ever more than one. */
struct proa_peer *proa_memory_owner(struct proa_win *win, const struct proa_hello *hello)
{
    struct proa_memory_owners *owner;

    proa_win_enter(win);
    for (owner = win->owners; owner && owner->peer->id != hello->first.id; owner = owner->next)
        continue;
    if (!owner)
        owner = owner_add(win, hello);
    proa_win_leave(win);
    return owner ? owner->peer : NULL;
}

void proa_memory_owners_release(struct proa_win *win)
{
    struct proa_memory_owners *owner, *next;

    LL_FOREACH_SAFE(win->owners, owner, next) {
        proa_peer_release(owner->peer);
        free(owner);
    }
    win->owners = NULL;
}
