/* SPDX-License-Identifier: BSD-3-Clause */
/* See claims.h. */
#include "sync/claims.h"
#include "base/atomic.h"
#include "sync/peer_failure.h"
#include "sync/pair.h"
#include "sync/rwlock.h"
#include "sync/shared_words.h"

/* Rings for all processes that wait for a lock of the window on this node. */
static void ring_all(const struct proa_win *win)
{
    for (int i = 0; i < win->size; i++)
        if (win->targets[i].ctl)
            proa_doorbell_ring(&win->targets[i].ctl->lock.bell);
    proa_doorbell_ring(&win->leader->all.bell);
}

void proa_claims_break(struct proa_win *win)
{
    for (int i = 0; i < win->size; i++)
        if (win->targets[i].ctl)
            proa_rwlock_break(&win->targets[i].ctl->lock);
    proa_shared_all_meet(&win->leader->all);
    ring_all(win);
}

int proa_claims_are_broken(const struct proa_win *win)
{
    for (int i = 0; i < win->size; i++)
        if (win->targets[i].ctl && proa_rwlock_is_broken(&win->targets[i].ctl->lock))
            return 1;
    return 0;
}

static int is_alive(const struct proa_win *win, int rank)
{
    return win->targets[rank].ctl && !proa_is_failed(win, rank);
}

static int conflicts(enum proa_claim claim, enum proa_claim wanted)
{
    return claim == PROA_CLAIM_EXCLUSIVE ||
           (wanted == PROA_CLAIM_EXCLUSIVE && claim != PROA_CLAIM_NONE);
}

/* Returns whether a claim of that neighbour excludes such a lock on the target. */
static int keeps(const struct proa_win *win, int rank, int target, enum proa_claim wanted)
{
    struct proa_win_ctl *ctl = win->targets[rank].ctl;
    const uint8_t *claims = proa_block_claims(ctl, win->near);

    if (wanted == PROA_CLAIM_EXCLUSIVE && proa_atomic_load(&ctl->claims_all, PROA_SEQ_CST))
        return 1;
    return conflicts(proa_atomic_load(&claims[win->targets[target].ctl->slot], PROA_SEQ_CST),
                     wanted);
}

static int serves(const struct proa_win_ctl *target, enum proa_claim wanted)
{
    for (enum proa_claim claim = PROA_CLAIM_SHARED; claim <= PROA_CLAIM_EXCLUSIVE; claim++)
        if (proa_atomic_load(&target->served[claim], PROA_SEQ_CST) && conflicts(claim, wanted))
            return 1;
    return 0;
}

static int allow_one(const struct proa_win *win, int target, enum proa_claim wanted)
{
    if (serves(win->targets[target].ctl, wanted))
        return 0;
    for (int i = 0; i < win->size; i++)
        if (is_alive(win, i) && keeps(win, i, target, wanted))
            return 0;
    return 1;
}

/* Claims of a dead process count like any others until this process knows of its death. */
int proa_claims_allow(const struct proa_win *win, int target, enum proa_claim wanted)
{
    if (target >= 0)
        return is_alive(win, target) && allow_one(win, target, wanted);
    for (int i = 0; i < win->size; i++)
        if (is_alive(win, i) && !allow_one(win, i, wanted))
            return 0;
    return 1;
}

static int is_slot_of_failed(const struct proa_win *win, uint32_t slot)
{
    for (int i = 0; i < win->size; i++)
        if (win->targets[i].ctl && win->targets[i].ctl->slot == slot)
            return proa_is_failed(win, i);
    return 0;
}

static int is_free(const struct proa_win *win, uint32_t turn)
{
    return !turn || is_slot_of_failed(win, turn - 1);
}

int proa_claims_turn_is_free(const struct proa_win *win)
{
    return is_free(win, proa_atomic_load(&win->leader->turn, PROA_RELAXED));
}

int proa_claims_take_turn(const struct proa_win *win)
{
    uint32_t *turn = &win->leader->turn, before = proa_atomic_load(turn, PROA_RELAXED);

    return is_free(win, before) &&
           proa_atomic_compare_exchange(turn, &before, 1 + (uint32_t)win->slot, PROA_ACQUIRE,
                                        PROA_RELAXED);
}

void proa_claims_give_turn(const struct proa_win *win)
{
    proa_atomic_store(&win->leader->turn, 0, PROA_RELEASE);
    ring_all(win);
}
