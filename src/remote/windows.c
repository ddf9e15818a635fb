/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows over several nodes, and the processes of them that are known. See window.h. */
#include "remote/window.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/table.h"
#include "progress/endpoints.h"
#include "progress/progress.h"
#include "sync/peer_failure.h"

#include <stdlib.h>
#include <utlist.h>

struct proa_remote_window *proa_remote_windows;
struct proa_remote *proa_remotes[PROA_REMOTE_USED];
static struct proa_table numbers = PROA_TABLE_INIT; /* windows by their numbers */

struct proa_win *proa_remote_window_find(uint64_t number)
{
    return proa_table_is_key(number) ? proa_table_find(&numbers, number) : NULL;
}

int proa_remote_windows_add(struct proa_win *win)
{
    if (proa_table_set(&numbers, win->remote_window->number, win) != 0)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the table of windows");
    DL_APPEND(proa_remote_windows, win->remote_window);
    return PROA_OK;
}

void proa_remote_windows_remove(struct proa_win *win)
{
    if (proa_table_remove_pair(&numbers, win->remote_window->number, win))
        DL_DELETE(proa_remote_windows, win->remote_window);
}

/* ---- processes of other nodes ---- */

static int process_new(struct proa_win *win, int rank, const struct proa_rostered *row)
{
    struct proa_target *target = &win->targets[rank];
    struct proa_remote_process *process = malloc(sizeof *process);
    int error;

    if (!process)
        return proa_fail(PROA_ERR_NO_MEM,
                         "out of memory for the state of a process of another node");
    *process = (struct proa_remote_process){.win = win,
                                            .memory = row->memory,
                                            .key = row->key,
                                            .rank = rank,
                                            .has_key = row->has_key != 0,
                                            .lost = proa_is_failed(win, rank) || win->given_up};
    error = proa_endpoint_reach(win->remote_window->end, &row->address, &process->peer);
    if (error) {
        free(process);
        return error;
    }
    LL_PREPEND(win->remote_window->processes, process);
    if (proa_is_remote(target)) { /* a neighbour too, for messages of the rooms */
        target->bytes = row->bytes;
        target->disp_unit = row->disp_unit;
    }
    /* partner: proa_remote_process_of */
    proa_atomic_store(&target->remote, process, PROA_RELEASE);
    return PROA_OK;
}

struct proa_remote_process *proa_remote_know(struct proa_win *win, int rank)
{
    struct proa_remote_process *process = win->targets[rank].remote;
    struct proa_rostered row;

    if (process)
        return process;
    if (!proa_roster_find(win, rank, &row))
        proa_fail(PROA_ERR_OTHER, "the window is being freed");
    else if (process_new(win, rank, &row) == PROA_OK)
        process = win->targets[rank].remote;
    return process;
}

int proa_remote_is_from(struct proa_win *win, uint32_t peer, int rank)
{
    const struct proa_remote_process *process = proa_remote_know(win, rank);

    if (process && process->peer == peer)
        return 1;
    if (process)
        proa_progress_drop(peer, "names another rank than its sender's");
    else if (proa_roster_is_there(win))
        proa_progress_drop(peer, "cannot be served");
    return 0;
}

struct proa_remote *proa_remote_make(struct proa_win *win, int rank)
{
    struct proa_remote_process *process = proa_remote_know(win, rank);
    struct proa_remote *r = process ? process->remote : NULL;

    if (!process || r)
        return r;
    r = calloc(1, sizeof *r);
    if (!r) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the state of a process of another node");
        return NULL;
    }
    r->process = process;
    /* partner: proa_remote_of */
    proa_atomic_store(&process->remote, r, PROA_RELEASE);
    return r;
}

struct proa_bodies proa_remote_bodies;

char *proa_remote_body_take(void)
{
    struct proa_bodies *kept = &proa_remote_bodies;

    return kept->count ? kept->body[--kept->count] : malloc(PROA_NET_MESSAGE_MOST);
}

void proa_remote_body_give_back(struct proa_remote *r)
{
    struct proa_bodies *kept = &proa_remote_bodies;

    if (kept->count < PROA_BODIES_KEPT)
        kept->body[kept->count++] = r->batch.body;
    else
        free(r->batch.body);
    r->batch.body = NULL;
}

static struct proa_remote **list_of(const struct proa_remote *r, enum proa_remote_list kind)
{
    return kind == PROA_REMOTE_USED ? &r->process->win->remotes : &proa_remotes[kind];
}

/* Threads check whether a list is empty before they enter the progress engine. */
void proa_remote_enlist(struct proa_remote *r, enum proa_remote_list kind)
{
    struct proa_remote *first = *list_of(r, kind);

    if (proa_remote_is_in(r, kind))
        return;
    if (kind == PROA_REMOTE_USED)
        r->entry = ++r->process->win->remote_window->entries;
    DL_APPEND2(first, r, in[kind].prev, in[kind].next);
    proa_atomic_store(list_of(r, kind), first, PROA_RELAXED);
}

/* No walk reaches a target that has left the list. */
static void walks_pass(const struct proa_remote *r)
{
    struct proa_remote_walk *walk;

    LL_FOREACH2(r->process->win->remote_window->walks, walk, outer)
    if (walk->next == r)
        walk->next = r->in[PROA_REMOTE_USED].next;
}

void proa_remote_delist(struct proa_remote *r, enum proa_remote_list kind)
{
    struct proa_remote *first = *list_of(r, kind);

    if (!proa_remote_is_in(r, kind))
        return;
    if (kind == PROA_REMOTE_USED)
        walks_pass(r);
    DL_DELETE2(first, r, in[kind].prev, in[kind].next);
    r->in[kind].prev = NULL;
    proa_atomic_store(list_of(r, kind), first, PROA_RELAXED);
}
