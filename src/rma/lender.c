/* SPDX-License-Identifier: BSD-3-Clause */
/* See lender.h. */
#include "rma/lender.h"
#include "base/fail.h"
#include "window/win.h"

#include <stdlib.h>
#include <utlist.h>

struct proa_lenders {
    struct proa_lenders *next;
    struct proa_peer *peer;
};

static struct proa_lenders *lender_add(struct proa_win *win, const struct proa_hello *hello)
{
    struct proa_lenders *lender = calloc(1, sizeof *lender);

    if (!lender) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the state of process %d", hello->first.pid);
        return NULL;
    }
    lender->peer = proa_peer_attach(hello);
    if (!lender->peer) {
        free(lender);
        return NULL;
    }
    LL_PREPEND(win->lenders, lender);
    return lender;
}

/* There is hardly ever more than one. */
struct proa_peer *proa_lender(struct proa_win *win, const struct proa_hello *hello)
{
    struct proa_lenders *lender;

    proa_win_enter(win);
    for (lender = win->lenders; lender && lender->peer->id != hello->first.id;
         lender = lender->next)
        continue;
    if (!lender)
        lender = lender_add(win, hello);
    proa_win_leave(win);
    return lender ? lender->peer : NULL;
}

void proa_lenders_release(struct proa_win *win)
{
    struct proa_lenders *lender, *next;

    LL_FOREACH_SAFE(win->lenders, lender, next) {
        proa_peer_release(lender->peer);
        free(lender);
    }
    win->lenders = NULL;
}
