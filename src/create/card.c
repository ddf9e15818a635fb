/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cards: each process of a window that is being created shows one to all others, by one allgather.
 * A card is plain bytes, and all processes judge it alike, so a judgement needs no agreement.
 */
#include "create/create.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "shm/arena.h"
#include "shm/cma.h"
#include "sync/pair.h"

#include <string.h>

_Static_assert(sizeof(struct proa_card) % 8 == 0, "cards are gathered by words");

struct proa_position proa_position_of(const void *address, uint64_t bytes, struct proa_hello *owner)
{
    struct proa_position at = {.segment = -1};

    if (!proa_arena_find(address, bytes ? bytes : 1, &at.segment, &at.offset) && owner && bytes)
        (void)proa_peer_find(address, bytes, owner, &at.segment, &at.offset);
    return at;
}

size_t proa_memory_align(const struct proa_create_args *args)
{
    size_t natural =
        args->bytes >= 4096 || args->flavor == PROA_FLAVOR_SHARED ? 4096 : PROA_CACHE_LINE;

    return args->align > natural ? args->align : natural;
}

static uint32_t numbers; /* windows of this process so far */

void proa_card_fill(struct proa_card *card, const struct proa_win *win,
                    const struct proa_create_args *args, int error)
{
    memset(card, 0, sizeof *card);
    card->order = 0x0102030405060708;
    card->error = error;
    card->flavor = (int32_t)args->flavor;
    card->noncontig = args->noncontig;
    card->counted = args->counted;
    card->number = proa_atomic_fetch_add(&numbers, 1, PROA_RELAXED);
    card->align = proa_memory_align(args);
    card->memory.segment = -1;
    if (error)
        return;
    card->hello = proa_hello_of(proa_self);
    card->refused = proa_cma_is_refused();
    card->disp_unit = args->disp_unit;
    card->bytes = args->bytes;
    card->ctl = proa_position_of(win->ctl, proa_block_bytes(win->size), NULL);
    card->address = (uint64_t)(uintptr_t)win->base;
    card->memory = proa_position_of(win->base, args->bytes, &card->owner);
    card->pages = proa_pages_show(win, &card->adopted);
}

int proa_card_is_private(const struct proa_card *card)
{
    return !card->error && (card->flavor == PROA_FLAVOR_DYNAMIC ||
                            (card->flavor == PROA_FLAVOR_CREATE && card->memory.segment < 0 &&
                             card->bytes && !card->adopted));
}

int proa_cards_judge(const struct proa_card *cards, const struct proa_group *group,
                     enum proa_flavor flavor)
{
    for (int i = 1; i < group->size;
         i++) /* checked first: no other number can be read in another byte order */
        if (cards[i].order != cards[0].order)
            return proa_fail(PROA_ELSEWHERE,
                             "ranks 0 and %d have processors of different byte orders", i);
    for (int i = 0; i < group->size; i++)
        /* checked before any error: if the host serves the window, the host decides which uses are
         * errors */
        if (cards[i].error == PROA_ELSEWHERE)
            return proa_reason_learn(group, i, PROA_ELSEWHERE);
    for (int i = 0; i < group->size; i++)
        if (cards[i].error)
            return proa_reason_learn(group, i, cards[i].error);
    for (int i = 1; i < group->size; i++)
        if (cards[i].flavor != cards[0].flavor)
            return proa_fail(PROA_ERR_RMA_FLAVOR,
                             "ranks 0 and %d ask for windows of different flavors", i);
    for (int i = 1; i < group->size && flavor == PROA_FLAVOR_SHARED; i++)
        if (!proa_cards_share_node(&cards[i], &cards[0]))
            return proa_fail(PROA_ERR_RMA_SHARED,
                             "ranks 0 and %d are on different nodes, and cannot share memory", i);
    return PROA_OK;
}
