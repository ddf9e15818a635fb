/* SPDX-License-Identifier: BSD-3-Clause */
/* How windows over several nodes are opened and closed. See window.h. */
#include "remote/network.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "progress/progress.h"
#include "progress/endpoints.h"
#include "remote/batch.h"
#include "remote/operation_queue.h"
#include "remote/origin.h"
#include "remote/request.h"
#include "remote/group_lock.h"
#include "remote/target.h"
#include "sync/passive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

/* ---- opening ---- */

static uint64_t next_number(void)
{
    static uint64_t count;

    /* the marks of a table never have this bit */
    return (proa_self->id + 4 * proa_atomic_fetch_add(&count, 1, PROA_RELAXED)) | 2;
}

/* Logs the 1st, 2nd, 4th time and so on that memory of a window is reached by messages only. */
static void tell_unexposed(uint64_t bytes)
{
    static uint64_t count;
    uint64_t now = proa_atomic_fetch_add(&count, 1, PROA_RELAXED) + 1;

    if ((now & (now - 1)) == 0)
        proa_log(PROA_LOG_WARN,
                 "%s: the %llu bytes of a window are reached by messages only, which is slower "
                 "(%llu window%s so far)",
                 proa_failure(), (unsigned long long)bytes, (unsigned long long)now,
                 proa_log_plural(now));
}

/* Memory that a transport cannot expose is reached by messages. */
static void expose(struct proa_win *win, uint64_t bytes, struct proa_remote_card *card)
{
    struct proa_remote_window *remote_window = win->remote_window;

    proa_progress_enter();
    remote_window->has_key =
        proa_endpoint_expose(remote_window->end, win->base, bytes, &remote_window->key) == PROA_OK;
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
    gethostname(card->host, sizeof card->host - 1);
    win->remote_window = calloc(1, sizeof *win->remote_window);
    if (!win->remote_window) {
        card->error = proa_fail(PROA_ERR_NO_MEM, "out of memory for a window over several nodes");
        return;
    }
    win->remote_window->win = win;
    win->sync = &proa_sync_remote;
    win->remote_window->end = proa_networks_join(networks, card);
    if (win->remote_window->end < 0)
        return;                             /* another network will be tried, with another card */
    while (!win->targets[card->leader].ctl) /* ours is there */
        card->leader++;
    card->window = next_number();
    card->memory = (uint64_t)(uintptr_t)win->base;
    card->bytes = self->bytes;
    card->disp_unit = self->disp_unit;
    if (proa_roster_prepare(win, card) != PROA_OK)
        card->error = PROA_ERR_NO_MEM;
    if (win->flavor != PROA_FLAVOR_DYNAMIC && self->bytes)
        expose(win, self->bytes, card);
}

/* Sets the partners in the barrier among nodes; all processes derive them from the same leaders. */
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
    if (!error)
        error = proa_remote_windows_add(win);
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
    proa_remote_target_forget(r);
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
    proa_remote_windows_remove(win);
    proa_served_close(win);
    proa_group_lock_close(win);
    processes_free(win);
    proa_roster_close(win);
    proa_request_forget(win);
    if (remote_window->has_key)
        proa_endpoint_hide(remote_window->end, &remote_window->key);
    proa_progress_leave();
    if (remote_window->end >= 0)
        proa_endpoint_release(remote_window->end);
    free(remote_window);
    win->remote_window = NULL;
    win->sync = proa_sync_of_node(win);
}
