/* SPDX-License-Identifier: BSD-3-Clause */
/* Permits for the rooms of a window over several nodes (remote/group_lock.c), as a process that is
 * not the keeper sees them: its threads, and the one that brings the keeper's messages. */
#include "network.h"
#include "window.h"
#include "remote/group_lock.c"

enum { MEMBER = 1 };

static struct shared {
    struct proa_remote_window remote_window;
    struct proa_remote_process keeper;
    int asks, backs; /* of messages to the keeper; inside */
    int data;        /* that processes in the room work on */
} * s;

/* ---- the network ---- */

/* To the keeper. */
static int said(const void *body, size_t bytes)
{
    const struct proa_wire_head *head = body;

    (void)bytes;
    s->asks += (head->flags & PROA_WIRE_ROOM_ASK) != 0;
    s->backs += (head->flags & PROA_WIRE_ROOM_BACK) != 0;
    return PROA_OK;
}

static const struct network keepers = {.send = said};

/* The keeper permits, then recalls. Processes of other nodes work in the room before it permits,
 * and once it has the permit back. */
static void keeper(void)
{
    int permitted = 0, over = 0;

    while (!over) {
        proa_progress_enter();
        if (s->asks) {
            s->asks = 0;
            s->data++;
            member_hears(window[MEMBER], PROA_WIRE_ROOM_GRANT, PROA_GROUP_LOCK_EXCLUSIVE);
            permitted = 1;
        } else if (permitted == 1) {
            member_hears(window[MEMBER], PROA_WIRE_ROOM_RECALL, PROA_GROUP_LOCK_EXCLUSIVE);
            permitted = 2;
        }
        over = s->backs;
        if (over)
            s->data++;
        proa_progress_leave();
        if (!over)
            explore_yield();
    }
}

/* ---- scenarios ---- */

static void setup(void)
{
    struct proa_win *win;

    window_make(2);
    network_make(&keepers);
    s = explore_new(sizeof *s, 64);
    win = window[MEMBER];
    win->remote_window = &s->remote_window;
    s->remote_window.win = win;
    win->targets[KEEPER].remote = &s->keeper;
    s->remote_window.rooms =
        explore_new(sizeof(struct proa_group_locks) + sizeof(struct member), 64);
}

static void work(void)
{
    proa_group_lock_enter(window[MEMBER], PROA_GROUP_LOCK_EXCLUSIVE, NULL);
    s->data++;
    proa_group_lock_leave(window[MEMBER]);
}

static void permitted(int thread)
{
    window_enter(MEMBER);
    thread ? keeper() : work();
}

/* Another thread looks whether the process is wanted, as that of a lock does (sync/bypass.c). */
static void looked_at(int thread)
{
    if (thread < 2)
        permitted(thread);
    else
        (void)proa_group_lock_is_wanted(window[MEMBER]);
}

static void worked(void)
{
    explore_check(s->data == 3);
}

const struct explore_scenario explore_permits[] = {
    {.name = "permits.permitted",
     .threads = 2,
     .prepare = window_prepare,
     .setup = setup,
     .body = permitted,
     .finish = worked},
    {.name = "permits.looked_at",
     .threads = 3,
     .prepare = window_prepare,
     .setup = setup,
     .body = looked_at,
     .finish = worked,
     .preemptions = 1,
     .stale = 1},
    {0},
};
