/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cards: each process of a window that is created shows one to all others, by one allgather. A card
 * is plain bytes, and judged alike by all, so a judgement needs no agreement.
 * Callers: the files of this folder.
 */
#ifndef PROA_CREATE_CARD_H
#define PROA_CREATE_CARD_H

#include "rma/pages.h"
#include "shm/peer.h"
#include "window/win.h"

/* The place of a block of arena memory. */
struct proa_position {
    int32_t segment; /* -1: nowhere, private memory */
    uint64_t offset;
};

/* The card of a process: its part of the window, as the other processes need to know it. */
struct proa_card {
    struct proa_hello hello;
    /* the process with the arena that holds memory, if that is not the sender; id 0: it is the
     * sender */
    struct proa_hello owner;
    struct proa_position ctl, memory;
    struct proa_pages_place pages; /* of private memory */
    /* the process counts its operations on the window */
    int32_t counted;
    uint64_t address, bytes;
    uint64_t align; /* of memory that is allocated */
    int64_t disp_unit;
    int32_t flavor;
    int32_t noncontig; /* PROA_FLAVOR_SHARED: memory of its own is wanted, and allocated */
    int32_t adopted;   /* all of the private memory is adopted */
    int32_t refused;   /* the kernel has refused private memory to the sender before */
    /* preparing failed: a negative code, or PROA_ELSEWHERE; the card has no hello then */
    int32_t error;
};

/* Are the two processes on one node? */
static inline int proa_cards_share_node(const struct proa_card *a, const struct proa_card *b)
{
    return a->hello.node == b->hello.node;
}

/* The place of [address, address + bytes) in this process's arena, or in that of a neighbour:
 * *owner then says which. owner NULL: only this process's is looked at. */
struct proa_position proa_position_of(const void *address, uint64_t bytes,
                                      struct proa_hello *owner);

/* The alignment of memory that is allocated for such a window. */
size_t proa_memory_align(const struct proa_create_args *args);

/* Fills in the card of this process. error: the outcome of its preparation. After a failure win may
 * be NULL, and little is on the card. */
void proa_card_fill(struct proa_card *card, const struct proa_win *win,
                    const struct proa_create_args *args, int error);

/* Might the other processes have to reach this memory through the kernel? */
int proa_card_is_private(const struct proa_card *card);

/* Returns PROA_OK, PROA_ELSEWHERE or a code, with proa_failure() set. The result depends on the
 * cards alone, so it is the same on every process. Collective if a card has an error. */
int proa_cards_judge(const struct proa_card *cards, const struct proa_group *group,
                     enum proa_flavor flavor);

#endif
