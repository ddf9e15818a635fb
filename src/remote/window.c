/* SPDX-License-Identifier: BSD-3-Clause */
/* See window.h. */
#include "remote/window.h"
#include "base/fail.h"
#include "base/table.h"

#include <stdlib.h>
#include <utlist.h>

struct proa_remote_window *proa_remote_windows;
struct proa_remote *proa_remotes[PROA_REMOTE_USED];
static struct proa_table numbers = PROA_TABLE_INIT; /* windows by their numbers */

struct proa_win *proa_remote_window_find(uint64_t number)
{
    return number > 1 ? proa_table_find(&numbers, number) : NULL;
}

struct proa_remote *proa_remote_make(struct proa_remote_process *process)
{
    struct proa_remote *r = process->remote;

    if (r)
        return r;
    r = calloc(1, sizeof *r);
    if (!r) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the state of a process of another node");
        return NULL;
    }
    r->process = process;
    /* partner: proa_remote_of */
    __atomic_store_n(&process->remote, r, __ATOMIC_RELEASE);
    return r;
}

static struct proa_remote **list_of(const struct proa_remote *r, enum proa_remote_list kind)
{
    return kind == PROA_REMOTE_USED ? &r->process->win->remotes : &proa_remotes[kind];
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

int proa_remote_window_add(struct proa_remote_window *remote_window)
{
    if (proa_table_set(&numbers, remote_window->number, remote_window->win) != 0)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the table of windows");
    DL_APPEND(proa_remote_windows, remote_window);
    return PROA_OK;
}

void proa_remote_window_remove(struct proa_remote_window *remote_window)
{
    if (proa_table_remove_pair(&numbers, remote_window->number, remote_window->win))
        DL_DELETE(proa_remote_windows, remote_window);
}
