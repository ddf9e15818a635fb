/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a window is created, for all; and declarations that the files of this folder share.
 *
 *   create.c   the steps, and the end of a window
 *   memory.c   its memory
 *   card.c     the cards by which its processes show each other their parts
 *   reach.c    how its processes reach each other
 *   agree.c    how they agree on an outcome: PROA_OK, PROA_ELSEWHERE or a negative code
 *
 * Functions that return an outcome set proa_failure() unless it is PROA_OK.
 */
#ifndef PROA_CREATE_CREATE_H
#define PROA_CREATE_CREATE_H

#include "rma/pages.h"
#include "shm/peer.h"
#include "window/win.h"

/* ---- create.c ---- */

/* PROA_OK and *win; PROA_ELSEWHERE, on every process of the group alike, if Proa does not serve
 * such a window (proa_failure() says why); or a negative code, on every process alike. Collective
 * over the group. */
int proa_win_create(const struct proa_create_args *args, const struct proa_group *group,
                    struct proa_win **win);

/* Frees the window. The caller has checked that no epoch is open (proa_win_may_free) and that all
 * processes are done with it (proa_barrier_last). */
void proa_win_release(struct proa_win *win);

/* ---- card.c ---- */

/* The place of a block of arena memory. */
struct proa_position {
    int32_t segment; /* -1: nowhere, private memory */
    uint64_t offset;
};

/* The card of a process: its part of the window, as the other processes need to know it. */
struct proa_card {
    uint64_t order; /* a number whose bytes show the order in which the processor has them */
    struct proa_hello hello;
    /* the process with the arena that holds memory, if that is not the sender; id 0: it is the
     * sender */
    struct proa_hello owner;
    struct proa_position ctl, memory;
    struct proa_pages_place pages; /* of private memory */
    int32_t counted;               /* PROA_COUNTED_* */
    uint32_t number;               /* windows that the process has begun to create before */
    uint64_t address, bytes;
    uint64_t align; /* of memory that is allocated */
    int64_t disp_unit;
    int32_t flavor;
    int32_t noncontig; /* PROA_FLAVOR_SHARED: memory of its own is wanted, and allocated */
    int32_t adopted;   /* all of the private memory is adopted */
    int32_t refused;   /* the kernel has refused private memory to the sender before */
    int32_t error;     /* preparing failed, with this outcome; the card has no hello then */
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

/* Returns an outcome that depends on the cards alone, so it is the same on every process.
 * Collective if a card has an error. */
int proa_cards_judge(const struct proa_card *cards, const struct proa_group *group,
                     enum proa_flavor flavor);

/* ---- memory.c ---- */

/* Takes the memory that a process can take alone: its block of shared words, and the memory that it
 * can allocate without the others' sizes. Holds memory that the program brings. PROA_OK,
 * PROA_ELSEWHERE or PROA_ERR_NO_MEM. proa_win_release gives all of it back. */
int proa_memory_prepare(struct proa_win *win, const struct proa_create_args *args);

/* Sets the memory of a target: it lies at `at` in the owner's arena, whose segment is mapped here
 * at `segment`. PROA_OK or PROA_ERR_NO_MEM. */
int proa_target_set_memory(struct proa_target *target, struct proa_peer *owner,
                           const struct proa_position *at, char *segment);

/* Decides win->contiguous by the cards, alike on all processes. */
void proa_contiguous_decide(struct proa_win *win, const struct proa_card *cards);

/* The leader allocates for all processes and stores the place in its shared words. The others read
 * that after the next collective, by proa_contiguous_locate. As proa_memory_prepare. */
int proa_contiguous_allocate(struct proa_win *win, const struct proa_card *cards);

/* Sets each target's memory in that block. PROA_OK, or as proa_memory_prepare. */
int proa_contiguous_locate(struct proa_win *win);

/* ---- reach.c ---- */

/* Reaches all targets, or the same outcome on all processes. Sets the targets, the leader, the
 * pairs, and the network of the window; does args->finish. Collective. */
int proa_reach(struct proa_win *win, const struct proa_create_args *args,
               const struct proa_group *group, const struct proa_card *cards);

/* Resets the targets, as if no process had been reached yet. */
void proa_targets_forget(struct proa_win *win);

/* ---- agree.c: collective over the window's group ---- */

/* All processes return the same outcome: the worst of theirs, by the host. */
int proa_agree(const struct proa_group *group, int outcome);

/* The same in a window whose targets were to be reached: where all processes are neighbours
 * (win->near), by their words, and by the host only after a failure. If a process of the window is
 * gone: PROA_ERR_OTHER, and the host is not asked. */
int proa_agree_on(struct proa_win *win, const struct proa_group *group, int outcome);

/* The process of that rank has failed alone with that outcome; all processes learn the reason.
 * Returns the outcome, or the code with which the host failed. */
int proa_reason_learn(const struct proa_group *group, int rank, int error);

#endif
