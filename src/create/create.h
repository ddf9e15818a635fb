/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a window is created, for other folders; and declarations that the files of this one share.
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

/* Creates a window. Collective over the group. win: result. Returns PROA_OK; PROA_ELSEWHERE, on
 * every process of the group, if Proa does not serve such a window (proa_failure() says why); or a
 * negative code, the same on every process. */
int proa_win_create(const struct proa_create_args *args, const struct proa_group *group,
                    struct proa_win **win);

/* Frees the window. The caller has checked that no epoch is open (proa_win_may_free) and that all
 * processes are done with it (proa_barrier_last). */
void proa_win_release(struct proa_win *win);

/* ---- card.c ---- */

/* The place of a block of arena memory. */
struct proa_position {
    int32_t segment; /* -1 for private memory, which has no segment */
    uint64_t offset;
};

/* The card of a process: its part of the window, as the other processes need to know it. */
struct proa_card {
    uint64_t order; /* a number whose bytes show the processor's byte order */
    struct proa_hello hello;
    /* the process whose arena holds memory, if that is not the sender; id is 0 if it is the sender
     */
    struct proa_hello owner;
    struct proa_position ctl, memory;
    struct proa_pages_place pages; /* of private memory */
    int32_t counted;               /* PROA_COUNTED_* */
    uint32_t number;               /* windows whose creation the process has begun before */
    uint64_t address, bytes;
    uint64_t align; /* of allocated memory, bytes */
    int64_t disp_unit;
    int32_t flavor;
    int32_t noncontig; /* for PROA_FLAVOR_SHARED: the process wants, and has allocated, memory of
                          its own */
    int32_t adopted;   /* all of the private memory is adopted */
    int32_t refused;   /* the kernel has refused the sender access to private memory before */
    int32_t error;     /* code of a failed preparation; the card has no hello then */
};

/* Returns whether the two processes are on one node. */
static inline int proa_cards_share_node(const struct proa_card *a, const struct proa_card *b)
{
    return a->hello.node == b->hello.node;
}

/* Finds [address, address + bytes) in the arena of this process or of a neighbour. owner: result,
 * the process whose arena it is; NULL to search only this process's. Returns the place. */
struct proa_position proa_position_of(const void *address, uint64_t bytes,
                                      struct proa_hello *owner);

/* Returns the alignment of memory that is allocated for such a window, bytes. */
size_t proa_memory_align(const struct proa_create_args *args);

/* Fills in the card of this process. error: the outcome of its preparation. After a failure win may
 * be NULL, and most of the card is empty. */
void proa_card_fill(struct proa_card *card, const struct proa_win *win,
                    const struct proa_create_args *args, int error);

/* Returns whether the other processes may have to reach this memory through the kernel. */
int proa_card_is_private(const struct proa_card *card);

/* Returns an outcome that depends on the cards alone, so it is the same on every process.
 * Collective if a card has an error. */
int proa_cards_judge(const struct proa_card *cards, const struct proa_group *group,
                     enum proa_flavor flavor);

/* ---- memory.c ---- */

/* Allocates what a process can allocate alone: its block of shared words, and memory that does not
 * depend on the others' sizes. Holds memory that the program brings. Returns PROA_OK,
 * PROA_ELSEWHERE or PROA_ERR_NO_MEM. proa_win_release gives all of it back. */
int proa_memory_prepare(struct proa_win *win, const struct proa_create_args *args);

/* Sets the memory of a target. at: its place in the owner's arena. segment: address at which that
 * segment is mapped here. Returns PROA_OK or PROA_ERR_NO_MEM. */
int proa_target_set_memory(struct proa_target *target, struct proa_peer *owner,
                           const struct proa_position *at, char *segment);

/* Decides win->contiguous by the cards, so alike on all processes. */
void proa_contiguous_decide(struct proa_win *win, const struct proa_card *cards);

/* The leader allocates for all processes and stores the place in its shared words. The others read
 * it by proa_contiguous_locate, after the next collective call. Returns the codes of
 * proa_memory_prepare. */
int proa_contiguous_allocate(struct proa_win *win, const struct proa_card *cards);

/* Sets each target's memory in that block. Returns the codes of proa_memory_prepare. */
int proa_contiguous_locate(struct proa_win *win);

/* ---- reach.c ---- */

/* Reaches all targets. Collective. Sets the targets, the leader, the pairs, and the network of the
 * window; does args->finish. Returns the same outcome on all processes. */
int proa_reach(struct proa_win *win, const struct proa_create_args *args,
               const struct proa_group *group, const struct proa_card *cards);

/* Resets the targets, as if no process had been reached yet. */
void proa_targets_forget(struct proa_win *win);

/* ---- agree.c: collective over the window's group ---- */

/* Agrees on an outcome by the host. Returns the worst outcome of all processes, the same on all. */
int proa_agree(const struct proa_group *group, int outcome);

/* The same in a window whose targets were to be reached. If all processes are neighbours
 * (win->near), they agree by their words, and by the host only after a failure. If a process of the
 * window is gone, returns PROA_ERR_OTHER without asking the host. */
int proa_agree_on(struct proa_win *win, const struct proa_group *group, int outcome);

/* Called after the process of that rank has failed alone with that outcome: all processes learn the
 * reason. Returns the outcome, or the code with which the host failed. */
int proa_reason_learn(const struct proa_group *group, int rank, int error);

#endif
