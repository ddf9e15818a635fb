/* SPDX-License-Identifier: BSD-3-Clause */
/* The work that the progress engine serves. See work.h. */
#include "remote/work.h"
#include "progress/progress.h"
#include "remote/batch.h"
#include "remote/operation_queue.h"
#include "remote/group_lock.h"
#include "remote/move.h"
#include "remote/target.h"
#include "remote/window.h"

#include <string.h>

/* Returns the sender. Returns NULL if the window has been freed, or is being freed, so no process
 * waits for the message any more; or if the peer is not of that rank, and has been dropped. */
static struct proa_remote *sender_of(const struct proa_wire_head *head, uint32_t peer)
{
    struct proa_win *win = proa_remote_window_find(head->window);
    struct proa_remote *r = NULL;

    if (!win)
        return NULL;
    if (head->rank >= (uint32_t)win->size || !proa_is_remote(&win->targets[head->rank]))
        proa_progress_drop(peer, "names another rank than its sender's");
    else if (proa_remote_is_from(win, peer, (int)head->rank) &&
             !(r = proa_remote_make(win, (int)head->rank)))
        proa_progress_drop(peer, "cannot be served: out of memory");
    return r;
}

static void on_message(uint32_t peer, const void *message, size_t bytes)
{
    static proa_remote_handler *const handlers[] = {
        [PROA_WIRE_BATCH] = proa_remote_target_batch, [PROA_WIRE_ANSWER] = proa_batch_answered};
    struct proa_wire_head head;
    struct proa_remote *from;

    if (bytes < sizeof head) {
        proa_progress_drop(peer, "is too short");
        return;
    }
    memcpy(&head, message, sizeof head);
    if (head.version != PROA_WIRE_VERSION)
        proa_progress_drop(peer, "is of another version of Proa");
    else if (head.kind == PROA_WIRE_ROOM)
        proa_group_lock_message(peer, &head);
    else if (head.kind == PROA_WIRE_LOST)
        proa_remote_told_lost(peer, &head);
    else if (head.kind >= sizeof handlers / sizeof *handlers || !handlers[head.kind])
        proa_progress_drop(peer, "is of an unknown kind");
    else if ((from = sender_of(&head, peer))) {
        from->flight.heard = from->flight.sent;
        proa_remote_message(PROA_TRACE_RECEIVED, from->process->win, (int)head.rank, &head, bytes);
        handlers[head.kind](from, &head, (const char *)message + sizeof head, bytes - sizeof head);
    }
}

static int go_on(int *is_pending)
{
    int got = proa_remote_target_pending(is_pending);

    *is_pending |= proa_queues_push(0);
    *is_pending |= proa_group_locks_look();
    *is_pending |= proa_aggregation_send_due();
    return got > 0;
}

static int has_windows(void)
{
    return proa_remote_windows != NULL;
}

void proa_remote_start(const struct proa_net_transport *transport)
{
    static const struct proa_progress_work work = {.message = on_message,
                                                   .moved = proa_move_done,
                                                   .lost = proa_remote_lost,
                                                   .go_on = go_on,
                                                   .send_due = proa_aggregation_send_due,
                                                   .has_windows = has_windows};

    proa_progress_work = &work;
    proa_move_start();
    proa_progress_set_transport(transport);
}
