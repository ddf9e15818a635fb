/* SPDX-License-Identifier: BSD-3-Clause */
/* See spread.h. */
#include "remote/spread.h"
#include "base/fail.h"
#include "base/table.h"
#include "remote/progress.h"

#include <stdlib.h>
#include <utlist.h>

struct proa_spread *proa_spreads;
struct proa_remote *proa_remotes[PROA_REMOTE_USED];
static struct proa_table numbers = PROA_TABLE_INIT; /* windows by their numbers */

struct proa_win *proa_spread_find(uint64_t number)
{
    return number > 1 ? proa_table_find(&numbers, number) : NULL;
}

struct proa_remote *proa_remote_find(const struct proa_wire_head *head, uint32_t peer)
{
    struct proa_win *win = proa_spread_find(head->window);
    struct proa_away *away = NULL;
    struct proa_remote *r = NULL;

    if (!win)
        return NULL;
    if (head->rank < (uint32_t)win->size)
        away = proa_away_of(win, (int)head->rank);
    if (!away || away->peer != peer)
        proa_progress_drop(peer, "names another rank than its sender's");
    else if (!(r = proa_remote_make(away)))
        proa_progress_drop(peer, "cannot be served: out of memory");
    return r;
}

struct proa_remote *proa_remote_make(struct proa_away *away)
{
    struct proa_remote *r = away->remote;

    if (r)
        return r;
    r = calloc(1, sizeof *r);
    if (!r) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the state of a process of another node");
        return NULL;
    }
    r->away = away;
    /* partner: proa_remote_of */
    __atomic_store_n(&away->remote, r, __ATOMIC_RELEASE);
    return r;
}

static struct proa_remote **list_of(const struct proa_remote *r, enum proa_remote_list kind)
{
    return kind == PROA_REMOTE_USED ? &r->away->win->remotes : &proa_remotes[kind];
}

void proa_remote_enlist(struct proa_remote *r, enum proa_remote_list kind)
{
    if (!proa_remote_is_in(r, kind))
        DL_APPEND2(*list_of(r, kind), r, in[kind].prev, in[kind].next);
}

void proa_remote_delist(struct proa_remote *r, enum proa_remote_list kind)
{
    if (proa_remote_is_in(r, kind))
        DL_DELETE2(*list_of(r, kind), r, in[kind].prev, in[kind].next);
    r->in[kind].prev = NULL;
}

int proa_spread_add(struct proa_spread *spread)
{
    if (proa_table_set(&numbers, spread->number, spread->win) != 0)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the table of windows");
    DL_APPEND(proa_spreads, spread);
    return PROA_OK;
}

void proa_spread_remove(struct proa_spread *spread)
{
    if (proa_table_remove_pair(&numbers, spread->number, spread->win))
        DL_DELETE(proa_spreads, spread);
}
