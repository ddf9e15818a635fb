/* SPDX-License-Identifier: BSD-3-Clause */
/* See pair.h. */
#include "sync/pair.h"
#include "base/fail.h"
#include "shm/arena.h"
#include "sync/notify.h"

#include <stdlib.h>
#include <string.h>

int proa_block_new(struct proa_win *win)
{
    size_t before = proa_rounds_bytes(win->size);
    char *memory = proa_arena_alloc(before + proa_block_bytes(win->size), PROA_CACHE_LINE);

    if (!memory)
        return -1;
    win->ctl = (struct proa_win_ctl *)(void *)(memory + before);
    memset(memory, 0, before + sizeof *win->ctl);
    return PROA_OK;
}

void proa_block_free(struct proa_win *win)
{
    if (win->ctl && !win->keeps_block)
        proa_arena_free((char *)win->ctl - proa_rounds_bytes(win->size));
    win->ctl = NULL;
}

/* The block was created for all processes, as the neighbours were not known yet. No neighbour
 * writes into it before the window's last agreement. */
int proa_pairs_make(struct proa_win *win, int slot, int near)
{
    struct proa_pair *pairs = calloc((size_t)near, sizeof *pairs);

    if (!pairs)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a window of %d processes", win->size);
    free(win->pairs);
    win->pairs = pairs;
    win->slot = slot;
    win->near = near;
    win->ctl->slot = (uint32_t)slot;
    proa_arena_shrink((char *)win->ctl - proa_rounds_bytes(win->size),
                      proa_rounds_bytes(win->size) + proa_block_bytes(near));
    memset(win->ctl->from, 0, proa_block_bytes(near) - sizeof *win->ctl);
    win->claims = proa_block_claims(win->ctl, near);
    return PROA_OK;
}
