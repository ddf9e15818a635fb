/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a window that is created: the shared words of each process, the memory that it
 * allocates or brings, and the one block of a contiguous shared window, which lies in the arena of
 * the leader. Callers: create/create.c and, once the processes reach each other, create/reach.c.
 */
#ifndef PROA_CREATE_MEMORY_H
#define PROA_CREATE_MEMORY_H

#include "create/card.h"
#include "window/win.h"

/* Takes the memory that a process can take alone: its block of shared words, and the memory that it
 * can allocate without the others' sizes. Holds memory that the program brings. PROA_OK,
 * PROA_ELSEWHERE or PROA_ERR_NO_MEM, with proa_failure() set. proa_win_release gives all of it
 * back. */
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

#endif
