/* SPDX-License-Identifier: BSD-3-Clause */
/* See window.h. */
#include "window.h"
#include "shm/ctl.h"
#include "sync/pair.h"

struct proa_win *window[WINDOW_PROCESSES];
struct proa_peer *proa_self;
unsigned window_dead;
static struct proa_peer *peers[WINDOW_PROCESSES];

struct proa_peer *window_peer(int rank)
{
    return peers[rank];
}

void window_prepare(void)
{
    explore_private(&proa_self, sizeof proa_self);
}

/* The block, with the rounds before it and the claims behind, as proa_block_new lays it out. */
static struct proa_win_ctl *block_make(int processes)
{
    char *memory = explore_new(proa_rounds_bytes(processes) + proa_block_bytes(processes), 64);

    return (struct proa_win_ctl *)(void *)(memory + proa_rounds_bytes(processes));
}

static void process_make(int rank, int processes)
{
    struct proa_win *win = window[rank] = explore_new(sizeof *win, 64);

    peers[rank] = explore_new(sizeof *peers[rank], 64);
    peers[rank]->ctl = explore_new(sizeof *peers[rank]->ctl, 64);
    win->size = win->near = processes;
    win->rank = win->slot = rank;
    win->sync = &proa_sync_node;
    win->targets = explore_new((size_t)processes * sizeof *win->targets, 64);
    win->pairs = explore_new((size_t)processes * sizeof *win->pairs, 64);
    win->ctl = block_make(processes);
    win->ctl->slot = (uint32_t)rank;
    win->claims = proa_block_claims(win->ctl, processes);
    win->tests = (struct proa_vigil){.win = win, .from = -1};
    win->polls.left = 1000;
    win->started_group.rank = explore_new((size_t)processes * sizeof(int), 64);
    win->exposed_group.rank = explore_new((size_t)processes * sizeof(int), 64);
    win->started_group.room = win->exposed_group.room = processes;
}

void window_make(int processes)
{
    window_dead = 0;
    for (int i = 0; i < processes; i++)
        process_make(i, processes);
    for (int i = 0; i < processes; i++) {
        window[i]->leader = window[PROA_LEADER]->ctl;
        for (int j = 0; j < processes; j++) {
            window[i]->targets[j].ctl = window[j]->ctl;
            window[i]->targets[j].peer = peers[j];
        }
    }
}

void window_enter(int rank)
{
    proa_self = peers[rank];
}

/* ---- the life of processes (shm/peer.h) ---- */

int proa_peer_has_windows(const struct proa_peer *peer)
{
    (void)peer;
    return 1;
}

int proa_peer_has_ended(const struct proa_peer *peer)
{
    for (int i = 0; i < WINDOW_PROCESSES; i++)
        if (peers[i] == peer)
            return window_dead >> i & 1;
    return 0;
}

int proa_peer_is_nobody(const struct proa_peer *peer)
{
    return proa_peer_has_ended(peer);
}
