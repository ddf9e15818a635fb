/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The board of check mode: memory of a window of Proa's own over all processes, by which they learn
 * of one another what is ordered, and hand over their accesses.
 *
 * Each process has a part. It consists of rows, and of one queue of words for each origin. A row
 * holds a clock: one word for each process, and no word ever falls. So a row is raised by any
 * process at any time, by the larger of old and new. A queue has one writer, its origin, and one
 * reader, the part's process.
 *
 * On a node rows and queues are plain memory. Between nodes the same is done by operations on the
 * window; KNOWN and FLOOR are written by their own process alone, so they stay plain. The caller
 * excludes other threads of its process.
 */
#ifndef PROA_ORDER_BOARD_H
#define PROA_ORDER_BOARD_H

#include "base/hidden.h"
#include "window/win.h"

#include <stdint.h>

/* More processes have no board: rows would be long. */
enum { PROA_BOARD_MOST = 512 };

/* The rows of a process.
 *
 * KNOWN: what is ordered before its next access; only the process writes it.
 * TOLD: what others told it by messages. It may have heard of that once it has received any.
 * SEEN: what others had done before they last changed its memory, or its notification counters. It
 * may have polled there. What it has done itself KNOWN has.
 * FLOOR: every access that it has not handed over yet comes after this; only the process writes it.
 * COMPLETED: what others told it by MPI_Win_complete. MPI_Win_wait alone hears of that.
 * SHARED, EXCLUSIVE: what others had done when they gave back a lock of that kind on it.
 * DIRECT: no clock. A process's word is odd while it may load and store in the memory of a window
 * that both are in; the own word is 1 once there was any such process.
 * MEETING: two for each of PROA_BOARD_MEETINGS sets of collective calls, taken in turn: a process
 * that is ahead in the next call of that set raises the other. */
enum proa_board_row {
    PROA_ROW_KNOWN,
    PROA_ROW_TOLD,
    PROA_ROW_SEEN,
    PROA_ROW_FLOOR,
    PROA_ROW_COMPLETED,
    PROA_ROW_SHARED,
    PROA_ROW_EXCLUSIVE,
    PROA_ROW_DIRECT,
    PROA_ROW_MEETING
};
/* Sets of calls: on communicators, those that wait for all processes, and the others; on windows.
 */
enum {
    PROA_BOARD_SETS = 16,
    PROA_SETS_WAITING = 0,
    PROA_SETS_OTHER = PROA_BOARD_SETS,
    PROA_SETS_WINDOW = 2 * PROA_BOARD_SETS,
    PROA_BOARD_MEETINGS = 3 * PROA_BOARD_SETS,
    PROA_BOARD_ROWS = PROA_ROW_MEETING + 2 * PROA_BOARD_MEETINGS
};

/* Makes the board; collective over the group. threads: several threads of this process may call at
 * once. PROA_OK; on every process alike a negative code, or PROA_ELSEWHERE: there is none. */
int proa_board_begin(const struct proa_group *group, int threads);

/* Gives it back; collective. Without a board it does nothing. */
void proa_board_end(void);

/* How many processes have the board; 0: there is none. And the number of this one. */
int proa_board_size(void);
int proa_board_rank(void);

/* A row of this process. */
uint64_t *proa_board_mine(int row);

/* Is that process on this node? */
int proa_board_is_near(int process);

/* Raises a row of a process to the clock. It is done once proa_board_flush has returned. */
void proa_board_raise(int process, int row, const uint64_t *clock);
void proa_board_flush_now(void);

/* Has anything gone to another node since the last flush? */
extern PROA_HIDDEN int proa_board_flush_due;

static inline void proa_board_flush(void)
{
    if (proa_board_flush_due)
        proa_board_flush_now();
}

/* Raises the clock to `rows` rows of a process, from `row` on. 1 if that changed it. */
int proa_board_learn(int process, int row, int rows, uint64_t *clock);

/* Lowers the clock to the row of that process. */
void proa_board_lower(int process, int row, uint64_t *clock);

/* Waits for all processes. */
void proa_board_barrier(void);

/* ---- queues ---- */

/* The longest message, in words, and the most words that a queue has. */
enum { PROA_BOARD_MESSAGE = PROA_BOARD_MOST + 8, PROA_BOARD_QUEUE = 1 << 17 };

/* Where a message of up to `most` words may be written before it is appended, so that it need not
 * be copied: in the queue, or `space`. */
uint64_t *proa_board_place(int process, uint32_t most, uint64_t *space);

/* Appends a message of `count` words to this process's queue at that one. 0: there is no room. */
int proa_board_push(int process, const uint64_t *words, uint32_t count);

/* The oldest message of the origin's queue at this process, until it is taken out; space: for the
 * words of one that wraps. Returns how many they are; 0: there is none. All that the origin has
 * appended before another process learned so is seen. */
uint32_t proa_board_look(int origin, uint64_t *space, const uint64_t **words);

/* Takes that message, of `count` words, out. */
void proa_board_take(int origin, uint32_t count);

#endif
