/* SPDX-License-Identifier: BSD-3-Clause */
/* See group_lock.h. */
#include "remote/group_lock.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/system.h"
#include "base/wait.h"
#include "progress/progress.h"
#include "progress/endpoints.h"
#include "sync/peer_failure.h"
#include "sync/bypass.h"

#include <stdlib.h>
#include <utlist.h>

enum { KEEPER = 0, HOLDERS_WAIT_NS = 10000000, INSTEAD_NS = 20000000 };

/* A process that waits at the keeper for a permit. */
struct waiter {
    int rank;
    uint8_t room, holds;
    long begin_ns;
    struct waiter *prev, *next;
};

/* A process, in the keeper's state. */
struct member {
    uint8_t has_permit, is_recalled;
};

struct proa_group_locks {
    uint8_t permit; /* the room that our permit is for */
    uint8_t asked;  /* the room for which a permit was requested and is not granted yet */
    uint8_t recalled;
    /* threads of this process; waiting: those in proa_group_lock_enter, by room */
    int inside, waiting[PROA_GROUP_LOCK_ROOMS];
    /* at the keeper */
    uint8_t room; /* the room that the processes with a permit are in */
    int permits;
    struct waiter *queue;
    struct member members[]; /* by rank; empty except at the keeper */
};

static void keeper_hears(struct proa_win *win, int rank, int flags, int room);
static void member_hears(struct proa_win *win, int flags, int room);

/* ---- messages ---- */

static struct proa_group_locks *rooms_of(const struct proa_win *win)
{
    return win->remote_window->rooms;
}

static int any_waits(const struct proa_group_locks *rooms)
{
    return rooms->waiting[PROA_GROUP_LOCK_EXCLUSIVE] || rooms->waiting[PROA_GROUP_LOCK_ALL];
}

static int is_to_keeper(int flags)
{
    return (flags & (PROA_WIRE_ROOM_ASK | PROA_WIRE_ROOM_BACK)) != 0;
}

/* Sends over the network to a neighbour as well, like all messages of the rooms. */
static void send(struct proa_win *win, int rank, const struct proa_wire_head *head)
{
    const struct proa_remote_process *process = proa_remote_know(win, rank);

    if (process) {
        proa_remote_message(PROA_TRACE_SENT, win, rank, head, sizeof *head);
        proa_progress_answer(process->peer, head, sizeof *head);
    } else {
        proa_log(PROA_LOG_WARN, "cannot tell rank %d of a lock: %s; it may hang", rank,
                 proa_failure());
    }
}

static void say(struct proa_win *win, int rank, int flags, int room)
{
    struct proa_wire_head head = proa_remote_window_head(win, PROA_WIRE_ROOM, (uint64_t)room);

    head.flags = (uint8_t)flags;
    if (rank != win->rank)
        send(win, rank, &head);
    else if (is_to_keeper(flags))
        keeper_hears(win, rank, flags, room);
    else
        member_hears(win, flags, room);
}

/* ---- the keeper ---- */

/* clang-tidy does not know that the elements of a list point to each other. So it assumes that an
 * element taken out is still in the list. */
/* NOLINTBEGIN(clang-analyzer-unix.Malloc) */
static void permit(struct proa_win *win, struct waiter *a)
{
    struct proa_group_locks *rooms = rooms_of(win);
    int rank = a->rank;

    rooms->room = a->room;
    rooms->permits++;
    rooms->members[rank].has_permit = 1;
    DL_DELETE(rooms->queue, a);
    free(a);
    say(win, rank, PROA_WIRE_ROOM_GRANT, rooms->room);
}

static void recall_all(struct proa_win *win)
{
    struct proa_group_locks *rooms = rooms_of(win);

    for (int rank = 0; rank < win->size; rank++)
        if (rooms->members[rank].has_permit && !rooms->members[rank].is_recalled) {
            rooms->members[rank].is_recalled = 1;
            say(win, rank, PROA_WIRE_ROOM_RECALL, rooms->room);
        }
}

/* Grants permits to all processes that wait for the room now, even if others are queued in between.
 */
static void permit_all(struct proa_win *win, int room)
{
    struct waiter *first = rooms_of(win)->queue, *last = first->prev, *a, *next;

    for (a = first; a; a = next) {
        next = a == last ? NULL : a->next;
        if (a->room == room)
            permit(win, a);
    }
}

/* Serves the first in the queue: its room is open, or is opened, or the permits of the other room
 * are recalled. */
static void keep(struct proa_win *win)
{
    struct proa_group_locks *rooms = rooms_of(win);

    while (rooms->queue) {
        int room = rooms->queue->room;

        if (rooms->permits && rooms->room != room) {
            recall_all(win); /* an unused permit may have been given back by now */
            if (rooms->permits)
                return;
        }
        permit_all(win, room);
    }
}

/* NOLINTEND(clang-analyzer-unix.Malloc) */

static void forget_permit(struct proa_group_locks *rooms, int rank)
{
    rooms->permits -= rooms->members[rank].has_permit;
    rooms->members[rank].has_permit = rooms->members[rank].is_recalled = 0;
}

static void ask(struct proa_group_locks *rooms, int rank, int flags, int room)
{
    struct waiter *a = malloc(sizeof *a);

    if (!a)
        return;
    *a = (struct waiter){.rank = rank,
                         .room = (uint8_t)room,
                         .holds = (flags & PROA_WIRE_HOLDS) != 0,
                         .begin_ns = proa_system->now_ns()};
    DL_APPEND(rooms->queue, a);
}

/* Removes entries from the queue. rank: rank of their process; -1 for all. */
static void queue_forget(struct proa_group_locks *rooms, int rank)
{
    struct waiter *a, *next;

    DL_FOREACH_SAFE(rooms->queue, a, next)
        if (rank < 0 || a->rank == rank) {
            DL_DELETE(rooms->queue, a);
            free(a);
        }
}

static void keeper_hears(struct proa_win *win, int rank, int flags, int room)
{
    forget_permit(rooms_of(win), rank);
    if (flags & PROA_WIRE_ROOM_ASK) {
        queue_forget(rooms_of(win), rank); /* see is_out_of_turn */
        ask(rooms_of(win), rank, flags, room);
    }
    keep(win);
}

/* A process inside may wait for a lock that the waiter holds. The waiter's permit is recalled at
 * once, so that the waiter cannot enter again without waiting. */
static int keeper_looks(struct proa_win *win)
{
    struct proa_group_locks *rooms = rooms_of(win);
    struct waiter *a, *next;
    int any = 0;

    DL_FOREACH_SAFE(rooms->queue, a, next) {
        if (!a->holds || a->room != rooms->room)
            continue;
        if (proa_system->now_ns() - a->begin_ns > HOLDERS_WAIT_NS) {
            permit(win, a);
            recall_all(win);
            return 1;
        }
        any = 1;
    }
    return any;
}

int proa_group_locks_look(void)
{
    struct proa_remote_window *remote_window;
    int any = 0;

    DL_FOREACH(proa_remote_windows, remote_window)
        any |= keeper_looks(remote_window->win);
    return any;
}

/* ---- every process ---- */

static void give_back(struct proa_win *win)
{
    struct proa_group_locks *rooms = rooms_of(win);
    int room = rooms->permit;

    proa_atomic_store(&rooms->permit, PROA_GROUP_LOCK_NONE, PROA_RELAXED);
    proa_atomic_store(&rooms->recalled, 0, PROA_RELAXED);
    say(win, KEEPER, PROA_WIRE_ROOM_BACK, room);
}

/* Gives back a recalled permit that no thread needs. */
static void give_back_recalled(struct proa_win *win)
{
    const struct proa_group_locks *rooms = rooms_of(win);

    if (rooms->recalled && !rooms->inside && !any_waits(rooms))
        give_back(win);
}

static void member_hears(struct proa_win *win, int flags, int room)
{
    struct proa_group_locks *rooms = rooms_of(win);

    if (flags & PROA_WIRE_ROOM_GRANT && rooms->asked == room) {
        proa_atomic_store(&rooms->permit, (uint8_t)room, PROA_RELAXED);
        proa_atomic_store(&rooms->asked, PROA_GROUP_LOCK_NONE, PROA_RELAXED);
        proa_doorbell_ring(&proa_self->ctl->bell);
    } else if (flags & PROA_WIRE_ROOM_RECALL && rooms->permit == room) {
        proa_atomic_store(&rooms->recalled, 1, PROA_RELAXED);
        give_back_recalled(win);
    } /* otherwise the permit has been given back already */
}

static int is_room(uint64_t number)
{
    return number == PROA_GROUP_LOCK_EXCLUSIVE || number == PROA_GROUP_LOCK_ALL;
}

/* A process that waits may not request more; but it may have got a lock_all without the room. */
static int is_out_of_turn(const struct proa_group_locks *rooms, int rank, int flags, int room)
{
    struct waiter *a;

    DL_SEARCH_SCALAR(rooms->queue, a, rank, rank);
    return a && !(flags & PROA_WIRE_ROOM_ASK && a->room == PROA_GROUP_LOCK_ALL &&
                  room == PROA_GROUP_LOCK_EXCLUSIVE);
}

void proa_group_lock_message(uint32_t peer, const struct proa_wire_head *head)
{
    struct proa_win *win = proa_remote_window_find(head->window);
    int rank = (int)head->rank, to_keeper = is_to_keeper(head->flags);

    if (!win)
        return;
    proa_remote_message(PROA_TRACE_RECEIVED, win, rank, head, sizeof *head);
    if (head->rank >= (uint32_t)win->size || rank == win->rank ||
        (to_keeper ? win->rank : rank) != KEEPER)
        proa_progress_drop(peer, "names another rank than its sender's");
    else if (!proa_remote_is_from(win, peer, rank))
        return;
    else if (!is_room(head->number))
        proa_progress_drop(peer, "names an unknown room");
    else if (to_keeper && proa_is_failed(win, rank)) /* it would never give a permit back */
        proa_progress_drop(peer, "comes after its sender was reported lost");
    else if (to_keeper && is_out_of_turn(rooms_of(win), rank, head->flags, (int)head->number))
        proa_progress_drop(peer, "requests or leaves a room while its sender waits for one");
    else if (to_keeper)
        keeper_hears(win, rank, head->flags, (int)head->number);
    else
        member_hears(win, head->flags, (int)head->number);
}

/* ---- entering and leaving ---- */

struct entering {
    struct proa_win *win;
    uint8_t room;
    proa_group_lock_instead *instead;
    struct proa_vigil vigil;
    long begin_ns, due_ns; /* begin of the wait; time of the next call of instead */
};

int proa_group_lock_is_unkept(const struct proa_win *win)
{
    return win->rank != KEEPER && proa_is_failed(win, KEEPER);
}

/* Returns whether no thread of this process is inside, or waits for a permit that was requested. */
static int can_ask(const struct proa_group_locks *rooms)
{
    uint8_t asked = proa_atomic_load(&rooms->asked, PROA_RELAXED);

    return !(asked && proa_atomic_load(&rooms->waiting[asked], PROA_RELAXED)) &&
           !(proa_atomic_load(&rooms->permit, PROA_RELAXED) &&
             proa_atomic_load(&rooms->inside, PROA_RELAXED));
}

static int may_enter(void *arg)
{
    const struct entering *e = arg;
    const struct proa_group_locks *rooms = rooms_of(e->win);

    /* relaxed: the thread checks again with the progress engine's mutex */
    return proa_atomic_load(&rooms->permit, PROA_RELAXED) == e->room || can_ask(rooms) ||
           proa_group_lock_is_unkept(e->win);
}

static void ask_keeper(struct proa_win *win, enum proa_room room, int holds)
{
    struct proa_group_locks *rooms = rooms_of(win);

    if (!can_ask(rooms))
        return;
    proa_atomic_store(&rooms->asked, (uint8_t)room, PROA_RELAXED);
    proa_atomic_store(&rooms->permit, PROA_GROUP_LOCK_NONE, PROA_RELAXED);
    proa_atomic_store(&rooms->recalled, 0, PROA_RELAXED);
    say(win, KEEPER, PROA_WIRE_ROOM_ASK | (holds ? PROA_WIRE_HOLDS : 0), (int)room);
}

static void count_waiting(struct proa_group_locks *rooms, enum proa_room room, int change)
{
    proa_atomic_store(&rooms->waiting[room], rooms->waiting[room] + change, PROA_RELAXED);
}

/* No thread rings for this: the wait checks from time to time. */
static int is_due(void *arg)
{
    struct entering *e = arg;

    (void)proa_vigil_looks(&e->vigil);
    return e->instead && proa_system->now_ns() > e->due_ns;
}

/* Returns 1 if the caller no longer needs the room; 0 if the room may be open. */
static int await_room(struct entering *e)
{
    if (!e->begin_ns) {
        e->begin_ns = proa_system->now_ns();
        e->due_ns = e->begin_ns + INSTEAD_NS;
    }
    if (!proa_wait_unless(may_enter, e, &proa_self->ctl->bell, is_due, e))
        return 0;
    e->due_ns = 2 * proa_system->now_ns() - e->begin_ns;
    return proa_held_any() && e->instead(e->win);
}

/* Called when a thread has left, or waits no more. */
static void let_others(struct proa_win *win)
{
    give_back_recalled(win);
    if (any_waits(rooms_of(win)))
        proa_doorbell_ring(&proa_self->ctl->bell);
}

int proa_group_lock_enter(struct proa_win *win, enum proa_room room,
                          proa_group_lock_instead *instead)
{
    struct proa_group_locks *rooms = rooms_of(win);
    struct entering e = {.win = win,
                         .room = (uint8_t)room,
                         .instead = instead,
                         .vigil = {.win = win, .from = KEEPER}};
    int holds = -1, is_apart = 0;

    proa_progress_enter();
    count_waiting(rooms, room, 1);
    while (!is_apart && rooms->permit != room && !proa_group_lock_is_unkept(win)) {
        if (holds >= 0)
            ask_keeper(win, room, holds);
        proa_progress_leave();
        if (holds < 0)
            holds = proa_held_any();
        else
            is_apart = await_room(&e);
        proa_progress_enter();
    }
    count_waiting(rooms, room, -1);
    if (is_apart)
        let_others(win);
    else
        proa_atomic_store(&rooms->inside, rooms->inside + 1, PROA_RELAXED);
    proa_progress_leave();
    return !is_apart;
}

void proa_group_lock_leave(struct proa_win *win)
{
    struct proa_group_locks *rooms = rooms_of(win);

    proa_progress_enter();
    proa_atomic_store(&rooms->inside, rooms->inside - 1, PROA_RELAXED);
    let_others(win);
    proa_progress_leave();
}

int proa_group_lock_is_wanted(const struct proa_win *win)
{
    const struct proa_group_locks *rooms = rooms_of(win);

    /* a writer that waits for single locks is not visible here */
    return proa_atomic_load(&win->remote_window->is_single, PROA_RELAXED) ||
           (proa_atomic_load(&rooms->inside, PROA_RELAXED) != 0 &&
            proa_atomic_load(&rooms->recalled, PROA_RELAXED));
}

/* ---- windows ---- */

int proa_group_lock_open(struct proa_win *win)
{
    int count = win->rank == KEEPER ? win->size : 0;
    struct proa_group_locks *rooms =
        calloc(1, sizeof *rooms + (size_t)count * sizeof *rooms->members);

    win->remote_window->rooms = rooms;
    if (!rooms)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the locks of a window");
    return PROA_OK;
}

void proa_group_lock_close(struct proa_win *win)
{
    struct proa_group_locks *rooms = rooms_of(win);

    if (rooms)
        queue_forget(rooms, -1);
    free(rooms);
    win->remote_window->rooms = NULL;
}

void proa_group_lock_lost(struct proa_win *win, int rank)
{
    struct proa_group_locks *rooms = rooms_of(win);

    if (win->rank != KEEPER)
        return;
    queue_forget(rooms, rank);
    forget_permit(rooms, rank);
    keep(win);
}
