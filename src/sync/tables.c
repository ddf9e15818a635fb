/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of windows of one node (window/sync_ops.h). */
#include "sync/sync.h"
#include "sync/barrier.h"
#include "sync/fence.h"
#include "sync/peer_failure.h"
#include "sync/passive.h"
#include "sync/pscw.h"
#include "sync/completion.h"

static int complete_ops(struct proa_win *win, int target, enum proa_completion how)
{
    (void)target;
    proa_complete_ops_node(win, how, win->threads);
    return PROA_OK;
}

static uint64_t *word(const struct proa_win *win, int from, int number)
{
    return proa_word_in(win->ctl, from, (enum proa_word)number, 0);
}

/* The rows that both tables have. */
#define ROWS_OF_BOTH                                                                              \
    .fence = proa_fence_node, .start = proa_start_node, .post = proa_post_node,                   \
    .complete = proa_complete_node, .wait = proa_wait_node, .test = proa_test_node,               \
    .await = proa_await_node, .lock_all = proa_lock_all_node, .unlock_all = proa_unlock_all_node, \
    .barrier = proa_barrier_node, .disseminate = proa_barrier_disseminate, .word = word,          \
    .synchronize = proa_synchronize_node, .unite = proa_unite_node, .complete_ops = complete_ops, \
    .losses_enter = proa_losses_enter, .losses_leave = proa_losses_leave

const struct proa_sync_ops proa_sync_node = {
    ROWS_OF_BOTH,
    .lock = proa_lock_node,
    .unlock = proa_unlock_node,
    .flush = proa_flush_node,
    .flush_local = proa_flush_local_node,
};

const struct proa_sync_ops proa_sync_threads = {
    ROWS_OF_BOTH,
    .lock = proa_lock_threads,
    .unlock = proa_unlock_threads,
    .flush = proa_flush_slow,
    .flush_local = proa_flush_local_slow,
};
