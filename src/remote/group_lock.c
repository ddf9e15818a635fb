/* SPDX-License-Identifier: BSD-3-Clause */
/* See group_lock.h. */
#include "remote/group_lock.h"
#include "base/fail.h"
#include "base/system.h"
#include "base/wait.h"
#include "remote/progress.h"
#include "remote/ends.h"
#include "sync/peer_failure.h"
#include "sync/bypass.h"

#include <stdlib.h>
#include <utlist.h>

enum { KEEPER = 0, HOLDERS_WAIT_NS = 10000000 };

/* A process that waits at the keeper for a permit. */
struct asking {
    int rank;
    uint8_t room, holds;
    long begin_ns;
    struct asking *prev, *next;
};

/* State of a process's permit, by rank; at the keeper. */
enum { PERMIT = 1, RECALLED = 2 };

struct keeper {
    uint8_t room; /* the room that the processes with a permit are in */
    int permits;
    struct asking *queue;
    uint8_t *has;    /* by rank: PERMIT, RECALLED */
    uint32_t *peers; /* by rank */
};

struct proa_group_locks {
    uint32_t keeper_peer;
    uint8_t permit; /* the room that our permit is for */
    uint8_t asked;  /* the room for which a permit has been requested, and not granted */
    uint8_t recalled;
    int inside, waiting; /* threads of this process; waiting: in proa_group_lock_enter */
    struct keeper *keeper;
};

static void keeper_hears(struct proa_win *win, int rank, int what, int room, int holds);
static void member_hears(struct proa_win *win, int what, int room);

/* ---- messages ---- */

static struct proa_group_locks *rooms_of(const struct proa_win *win)
{
    return win->remote_window->rooms;
}

static uint32_t peer_of(const struct proa_win *win, int rank)
{
    const struct proa_group_locks *rooms = rooms_of(win);

    return rooms->keeper ? rooms->keeper->peers[rank] : rooms->keeper_peer;
}

static void say(struct proa_win *win, int rank, int what, int room, int holds)
{
    struct proa_wire_head head = proa_remote_window_head(win, PROA_WIRE_ROOM, (uint64_t)room);

    if (rank != win->rank) {
        head.flags = (uint8_t)(what | (holds ? PROA_WIRE_HOLDS : 0));
        proa_progress_answer(peer_of(win, rank), &head, sizeof head);
    } else if (what == PROA_WIRE_ROOM_ASK || what == PROA_WIRE_ROOM_BACK) {
        keeper_hears(win, rank, what, room, holds);
    } else {
        member_hears(win, what, room);
    }
}

/* ---- the keeper ---- */

/* clang-tidy does not know that the elements of a list point at each other. So it sees an element
 * in the list that was taken out. */
/* NOLINTBEGIN(clang-analyzer-unix.Malloc) */
static void permit(struct proa_win *win, struct asking *a)
{
    struct keeper *k = rooms_of(win)->keeper;
    int rank = a->rank, room = a->room;

    DL_DELETE(k->queue, a);
    free(a);
    k->room = (uint8_t)room;
    k->permits++;
    k->has[rank] = PERMIT;
    say(win, rank, PROA_WIRE_ROOM_GRANT, room, 0);
}

static void recall_all(struct proa_win *win)
{
    struct keeper *k = rooms_of(win)->keeper;

    for (int rank = 0; rank < win->size; rank++)
        if (k->has[rank] == PERMIT) {
            k->has[rank] |= RECALLED;
            say(win, rank, PROA_WIRE_ROOM_RECALL, k->room, 0);
        }
}

/* Permits all processes that wait for the room now, even if the turn of others is in between. */
static void permit_all(struct proa_win *win, int room)
{
    struct keeper *k = rooms_of(win)->keeper;
    struct asking *last = k->queue ? k->queue->prev : NULL, *a, *next;

    for (a = k->queue; a; a = next) {
        next = a == last ? NULL : a->next;
        if (a->room == room)
            permit(win, a);
    }
}

/* Serves the first in the queue: its room is open, or is opened, or the other room is cleared. */
static void keep(struct proa_win *win)
{
    struct keeper *k = rooms_of(win)->keeper;

    while (k->queue) {
        int room = k->queue->room;

        if (k->permits && k->room != room) {
            recall_all(win); /* a permit that was not used may have been given back by now */
            if (k->permits)
                return;
        }
        permit_all(win, room);
    }
}

/* NOLINTEND(clang-analyzer-unix.Malloc) */

static void forget_permit(struct keeper *k, int rank)
{
    k->permits -= (k->has[rank] & PERMIT) != 0;
    k->has[rank] = 0;
}

static void ask(struct proa_win *win, int rank, int room, int holds)
{
    struct keeper *k = rooms_of(win)->keeper;
    struct asking *a = calloc(1, sizeof *a);

    if (!a)
        return;
    *a = (struct asking){.rank = rank,
                         .room = (uint8_t)room,
                         .holds = (uint8_t)holds,
                         .begin_ns = proa_system->now_ns()};
    DL_APPEND(k->queue, a);
}

static void keeper_hears(struct proa_win *win, int rank, int what, int room, int holds)
{
    struct keeper *k = rooms_of(win)->keeper;

    if (!k || (room != PROA_GROUP_LOCK_EXCLUSIVE && room != PROA_GROUP_LOCK_ALL))
        return;
    forget_permit(k, rank);
    if (what == PROA_WIRE_ROOM_ASK)
        ask(win, rank, room, holds);
    keep(win);
}

/* A process inside may wait for a lock that the waiter holds. The waiter's permit is recalled at
 * once, so that it does not come back without waiting. */
static int keeper_looks(struct proa_win *win)
{
    struct keeper *k = rooms_of(win)->keeper;
    struct asking *a, *next;
    int any = 0;

    DL_FOREACH_SAFE(k->queue, a, next) {
        if (!a->holds || a->room != k->room)
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
        if (remote_window->rooms && remote_window->rooms->keeper &&
            remote_window->rooms->keeper->queue)
            any |= keeper_looks(remote_window->win);
    return any;
}

/* ---- every process ---- */

static void give_back(struct proa_win *win)
{
    struct proa_group_locks *rooms = rooms_of(win);
    int room = rooms->permit;

    __atomic_store_n(&rooms->permit, PROA_GROUP_LOCK_NONE, __ATOMIC_RELAXED);
    __atomic_store_n(&rooms->recalled, 0, __ATOMIC_RELAXED);
    say(win, KEEPER, PROA_WIRE_ROOM_BACK, room, 0);
}

static void member_hears(struct proa_win *win, int what, int room)
{
    struct proa_group_locks *rooms = rooms_of(win);

    if (what == PROA_WIRE_ROOM_GRANT && rooms->asked == room) {
        /* partner: may_enter */
        __atomic_store_n(&rooms->permit, (uint8_t)room, __ATOMIC_RELEASE);
        __atomic_store_n(&rooms->asked, PROA_GROUP_LOCK_NONE, __ATOMIC_RELEASE);
        proa_doorbell_ring(&proa_self->ctl->bell);
    } else if (what == PROA_WIRE_ROOM_RECALL && rooms->permit == room) {
        __atomic_store_n(&rooms->recalled, 1, __ATOMIC_RELAXED);
        if (!rooms->inside && !rooms->waiting)
            give_back(win);
    } /* else the permit has been given back already */
}

void proa_group_lock_message(uint32_t peer, const struct proa_wire_head *head)
{
    struct proa_win *win = proa_remote_window_find(head->window);
    int rank = (int)head->rank, what = head->flags & ~PROA_WIRE_HOLDS;
    int to_keeper = what == PROA_WIRE_ROOM_ASK || what == PROA_WIRE_ROOM_BACK;

    if (!win)
        return;
    if (head->rank >= (uint32_t)win->size || rank == win->rank ||
        (to_keeper ? win->rank != KEEPER : rank != KEEPER) || peer_of(win, rank) != peer)
        proa_progress_drop(peer, "names another rank than its sender's");
    else if (to_keeper)
        keeper_hears(win, rank, what, (int)head->number, head->flags & PROA_WIRE_HOLDS);
    else
        member_hears(win, what, (int)head->number);
}

/* ---- entering and leaving ---- */

struct entering {
    struct proa_win *win;
    uint8_t room;
};

int proa_group_lock_is_unkept(const struct proa_win *win)
{
    return win->rank != KEEPER && proa_is_failed(win, KEEPER);
}

/* No thread of this process has requested a permit, or is inside. */
static int can_ask(const struct proa_group_locks *rooms)
{
    return !__atomic_load_n(&rooms->asked, __ATOMIC_RELAXED) &&
           !(__atomic_load_n(&rooms->permit, __ATOMIC_RELAXED) &&
             __atomic_load_n(&rooms->inside, __ATOMIC_RELAXED));
}

static int may_enter(void *arg)
{
    const struct entering *e = arg;

    const struct proa_group_locks *rooms = rooms_of(e->win);

    /* partner: member_hears */
    return __atomic_load_n(&rooms->permit, __ATOMIC_ACQUIRE) == e->room || can_ask(rooms) ||
           proa_group_lock_is_unkept(e->win);
}

static void ask_keeper(struct proa_win *win, enum proa_room room, int holds)
{
    struct proa_group_locks *rooms = rooms_of(win);

    if (!can_ask(rooms))
        return;
    __atomic_store_n(&rooms->asked, (uint8_t)room, __ATOMIC_RELAXED);
    __atomic_store_n(&rooms->permit, PROA_GROUP_LOCK_NONE, __ATOMIC_RELAXED);
    __atomic_store_n(&rooms->recalled, 0, __ATOMIC_RELAXED);
    say(win, KEEPER, PROA_WIRE_ROOM_ASK, (int)room, holds);
}

void proa_group_lock_enter(struct proa_win *win, enum proa_room room)
{
    struct proa_group_locks *rooms = rooms_of(win);
    struct entering e = {win, (uint8_t)room};
    struct proa_vigil vigil = {.win = win, .from = KEEPER};
    int holds = -1;

    proa_progress_enter();
    rooms->waiting++;
    while (rooms->permit != room && !proa_group_lock_is_unkept(win)) {
        if (holds >= 0)
            ask_keeper(win, room, holds);
        proa_progress_leave();
        if (holds < 0)
            holds = proa_held_any();
        else
            proa_wait_unless(may_enter, &e, &proa_self->ctl->bell, proa_vigil_looks, &vigil);
        proa_progress_enter();
    }
    rooms->waiting--;
    __atomic_store_n(&rooms->inside, rooms->inside + 1, __ATOMIC_RELAXED);
    proa_progress_leave();
}

void proa_group_lock_leave(struct proa_win *win)
{
    struct proa_group_locks *rooms = rooms_of(win);

    proa_progress_enter();
    __atomic_store_n(&rooms->inside, rooms->inside - 1, __ATOMIC_RELAXED);
    if (!rooms->inside && !rooms->waiting && rooms->recalled)
        give_back(win);
    if (rooms->waiting)
        proa_doorbell_ring(&proa_self->ctl->bell);
    proa_progress_leave();
}

int proa_group_lock_is_wanted(const struct proa_win *win)
{
    const struct proa_group_locks *rooms = rooms_of(win);

    return __atomic_load_n(&rooms->inside, __ATOMIC_RELAXED) != 0 &&
           __atomic_load_n(&rooms->recalled, __ATOMIC_RELAXED);
}

/* ---- windows ---- */

/* The peer of a rank: of another node it has been reached already (remote/open.c). */
static int peer_find(struct proa_win *win, const struct proa_remote_card *cards, int rank,
                     uint32_t *peer)
{
    struct proa_remote_process *process = proa_remote_process_of(win, rank);

    if (!process)
        return proa_end_reach(win->remote_window->end, &cards[rank].address, peer);
    *peer = process->peer;
    return PROA_OK;
}

static int keeper_open(struct proa_win *win, const struct proa_remote_card *cards)
{
    struct keeper *k = rooms_of(win)->keeper = calloc(1, sizeof *k);
    int error = PROA_OK;

    if (!k)
        return PROA_ERR_NO_MEM;
    k->has = calloc((size_t)win->size, sizeof *k->has);
    k->peers = calloc((size_t)win->size, sizeof *k->peers);
    if (!k->has || !k->peers)
        return PROA_ERR_NO_MEM;
    for (int i = 1; i < win->size && !error; i++)
        error = peer_find(win, cards, i, &k->peers[i]);
    return error;
}

int proa_group_lock_open(struct proa_win *win, const struct proa_remote_card *cards)
{
    struct proa_group_locks *rooms = win->remote_window->rooms = calloc(1, sizeof *rooms);
    int error = PROA_ERR_NO_MEM;

    if (rooms && win->rank == KEEPER)
        error = keeper_open(win, cards);
    else if (rooms)
        error = peer_find(win, cards, KEEPER, &rooms->keeper_peer);
    return error == PROA_ERR_NO_MEM ? proa_fail(error, "out of memory for the locks of a window")
                                    : error;
}

static void keeper_close(struct keeper *k)
{
    struct asking *a;

    while ((a = k->queue)) {
        DL_DELETE(k->queue, a);
        free(a);
    }
    free(k->has);
    free(k->peers);
    free(k);
}

void proa_group_lock_close(struct proa_win *win)
{
    struct proa_group_locks *rooms = win->remote_window->rooms;

    if (rooms && rooms->keeper)
        keeper_close(rooms->keeper);
    free(rooms);
    win->remote_window->rooms = NULL;
}

void proa_group_lock_lost(struct proa_win *win, int rank)
{
    struct keeper *k = rooms_of(win)->keeper;
    struct asking *a, *next;

    if (!k)
        return;
    DL_FOREACH_SAFE(k->queue, a, next)
        if (a->rank == rank) {
            DL_DELETE(k->queue, a);
            free(a);
        }
    forget_permit(k, rank);
    keep(win);
}
