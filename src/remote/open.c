/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows over several nodes: their lists, and how they are opened and closed. See window.h. */
#include "remote/network.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/table.h"
#include "remote/progress.h"
#include "remote/batch.h"
#include "remote/ends.h"
#include "remote/operation_queue.h"
#include "remote/origin.h"
#include "remote/request.h"
#include "remote/group_lock.h"
#include "remote/serve.h"
#include "shm/apart.h"
#include "sync/passive.h"
#include "sync/peer_failure.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct proa_remote_window *proa_remote_windows;
struct proa_remote *proa_remotes[PROA_REMOTE_USED];
static struct proa_table numbers = PROA_TABLE_INIT; /* windows by their numbers */

struct proa_win *proa_remote_window_find(uint64_t number)
{
    return proa_table_is_key(number) ? proa_table_find(&numbers, number) : NULL;
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
    error = proa_end_reach(win->remote_window->end, &row->address, &process->peer);
    if (error) {
        free(process);
        return error;
    }
    LL_PREPEND(win->remote_window->processes, process);
    if (proa_is_remote(target)) { /* or a neighbour, for messages of the rooms */
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

/* Threads look whether a list is empty before they enter the progress engine. */
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

/* No walk comes to a target that has left the list. */
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

/* ---- opening ---- */

static uint64_t next_number(void)
{
    static uint64_t count;

    /* the marks of a table lack this bit */
    return (proa_self->id + 4 * proa_atomic_fetch_add(&count, 1, PROA_RELAXED)) | 2;
}

/* Says the 1st, 2nd, 4th time and so on that memory of a window is reached by messages only. */
static void tell_unexposed(uint64_t bytes)
{
    static uint64_t count;
    uint64_t now = proa_atomic_fetch_add(&count, 1, PROA_RELAXED) + 1;

    if ((now & (now - 1)) == 0)
        proa_log(PROA_LOG_WARN,
                 "%s: the %llu bytes of a window are reached by messages only, which is slower "
                 "(%llu windows so far)",
                 proa_failure(), (unsigned long long)bytes, (unsigned long long)now);
}

/* Is memory of this process's part the program's own, and protected, where the program has it? */
static int is_apart(const struct proa_target *self)
{
    int adopted = 0;

    for (uint32_t i = 0; i < self->span_count; i++)
        adopted |= self->spans[i].adopted;
    return adopted && proa_pages_apart;
}

/* A transport that cannot expose this memory leaves it to messages. */
static void expose(struct proa_win *win, uint64_t bytes, struct proa_remote_card *card)
{
    struct proa_remote_window *remote_window = win->remote_window;

    proa_progress_enter();
    remote_window->has_key =
        proa_end_expose(remote_window->end, win->base, bytes, &remote_window->key) == PROA_OK;
    proa_progress_leave();
    if (!remote_window->has_key)
        tell_unexposed(bytes);
    card->key = remote_window->key;
    card->has_key = remote_window->has_key;
}

void proa_remote_card_fill(struct proa_win *win, struct proa_networks *networks,
                           struct proa_remote_card *card)
{
    const struct proa_target *self = &win->targets[win->rank];

    memset(card, 0, sizeof *card);
    win->remote_window = calloc(1, sizeof *win->remote_window);
    if (!win->remote_window) {
        card->error = proa_fail(PROA_ERR_NO_MEM, "out of memory for a window over several nodes");
        return;
    }
    win->remote_window->win = win;
    win->sync = &proa_sync_remote;
    win->remote_window->end = proa_networks_join(networks, card);
    if (win->remote_window->end < 0)
        return;                             /* another network is tried, with another card */
    while (!win->targets[card->leader].ctl) /* ours is there */
        card->leader++;
    card->window = next_number();
    card->memory = (uint64_t)(uintptr_t)win->base;
    card->bytes = self->bytes;
    card->disp_unit = self->disp_unit;
    if (proa_roster_prepare(win, card) != PROA_OK)
        card->error = PROA_ERR_NO_MEM;
    if (win->flavor != PROA_FLAVOR_DYNAMIC && self->bytes && !is_apart(self))
        expose(win, self->bytes, card);
}

/* Sets the partners in the barrier among nodes, by the same leaders on all processes. */
static void set_barrier(struct proa_win *win, const struct proa_remote_card *cards,
                        const int *leaders, int count, int mine)
{
    struct proa_remote_window *remote_window = win->remote_window;

    for (int i = 0; i < win->size; i++)
        remote_window->neighbours += i != win->rank && cards[i].leader == cards[win->rank].leader;
    for (int distance = 1; distance < count && mine >= 0; distance *= 2) {
        remote_window->partners[remote_window->rounds] = leaders[(mine + distance) % count];
        remote_window->notifiers[remote_window->rounds++] =
            leaders[(mine + count - distance) % count];
    }
}

/* Reaches the leaders of the other nodes, through the peers that are known from then on. */
static int reach_leaders(struct proa_win *win, struct proa_networks *networks,
                         const struct proa_remote_card *cards)
{
    int *leaders = malloc((size_t)win->size * sizeof *leaders), count = 0, mine = -1, error;

    if (!leaders)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a window over several nodes");
    for (int i = 0; i < win->size; i++)
        if (cards[i].leader == i) {
            mine = i == win->rank ? count : mine;
            leaders[count++] = i;
        }
    set_barrier(win, cards, leaders, count, mine);
    error = proa_roster_open(win, cards);
    if (!error)
        error = proa_networks_try(networks, win, leaders, count, mine);
    free(leaders);
    return error;
}

int proa_remote_open(struct proa_win *win, struct proa_networks *networks,
                     const struct proa_remote_card *cards)
{
    int error = reach_leaders(win, networks, cards);

    if (error)
        return error;
    win->remote_window->number = cards[0].window;
    proa_progress_enter();
    proa_lock_set_before(proa_remote_take_deferred);
    error = proa_group_lock_open(win);
    if (!error)
        error = proa_served_open(win);
    if (!error && proa_table_set(&numbers, win->remote_window->number, win) != 0)
        error = proa_fail(PROA_ERR_NO_MEM, "out of memory for the table of windows");
    if (!error)
        DL_APPEND(proa_remote_windows, win->remote_window);
    proa_progress_leave();
    return error;
}

/* ---- closing ---- */

static void remote_free(struct proa_remote *r)
{
    if (!r)
        return;
    proa_queue_lose(r);
    proa_batch_lose_wanted(r);
    proa_remote_delist(r, PROA_REMOTE_DEFERRED);
    proa_serve_forget(r);
    free(r->batch.body);
    free(r);
}

static void processes_free(struct proa_win *win)
{
    struct proa_remote_process *process, *next;

    LL_FOREACH_SAFE(win->remote_window->processes, process, next) {
        win->targets[process->rank].remote = NULL;
        remote_free(process->remote);
        free(process);
    }
}

void proa_remote_close(struct proa_win *win)
{
    struct proa_remote_window *remote_window = win->remote_window;

    if (!remote_window)
        return;
    proa_progress_enter();
    if (proa_table_remove_pair(&numbers, remote_window->number, win))
        DL_DELETE(proa_remote_windows, remote_window);
    proa_served_close(win);
    proa_group_lock_close(win);
    processes_free(win);
    proa_roster_close(win);
    proa_request_forget(win);
    if (remote_window->has_key)
        proa_end_hide(remote_window->end, &remote_window->key);
    proa_progress_leave();
    if (remote_window->end >= 0)
        proa_end_release(remote_window->end);
    free(remote_window);
    win->remote_window = NULL;
    win->sync = proa_sync_of_node(win);
}
