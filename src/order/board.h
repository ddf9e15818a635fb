/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The board of check mode: memory of a window of Proa's own over all processes. Processes exchange
 * their clocks by it, and hand over their accesses.
 *
 * Each process has a part. It consists of rows, and of one queue of words for each origin. A row
 * holds a clock: one word for each process, and no word ever decreases. Any process may raise a row
 * at any time, to the maximum of old and new words. A queue has one writer, its origin, and one
 * reader, the part's process.
 *
 * On a node, rows and queues are plain memory. Between nodes they are accessed by operations on the
 * window. Only their own process writes KNOWN and FLOOR, so they stay plain. The caller excludes
 * other threads of its process.
 */
#ifndef PROA_ORDER_BOARD_H
#define PROA_ORDER_BOARD_H

#include "base/hidden.h"
#include "window/win.h"

#include <stdint.h>

/* With more processes there is no board: rows would be long. */
enum { PROA_BOARD_MOST = 512 };

/* The rows of a process.
 *
 * KNOWN: order before its next access; only the process writes it. TOLD: clocks that others
 * published to it by messages. It may know them once it has received any message. SEEN: clocks of
 * others at their last change of its memory, or of its notification counters. It may have polled
 * there. Its own accesses are in KNOWN. FLOOR: every access that it has not handed over yet is
 * after this; only the process writes it. COMPLETED: clocks that others published by
 * MPI_Win_complete. Only MPI_Win_wait learns from it. SHARED, EXCLUSIVE: clocks of others when they
 * released a lock of that kind on it. DIRECT: no clock. A process's word is odd while it may load
 * and store in the memory of a window that both are in. The own word is 1 once there was any such
 * process. MEETING: two rows for each of PROA_BOARD_MEETINGS sets of collective calls, used in
 * turn: a process that is ahead in the next call of that set raises the other row. */
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
/* Sets of calls: on communicators, calls that wait for all processes, and other calls; on
 * windows. */
enum {
    PROA_BOARD_SETS = 16,
    PROA_SETS_WAITING = 0,
    PROA_SETS_OTHER = PROA_BOARD_SETS,
    PROA_SETS_WINDOW = 2 * PROA_BOARD_SETS,
    PROA_BOARD_MEETINGS = 3 * PROA_BOARD_SETS,
    PROA_BOARD_ROWS = PROA_ROW_MEETING + 2 * PROA_BOARD_MEETINGS
};

/* Creates the board. Collective over the group. threads: true if several threads of this process
 * may call at once. Returns PROA_OK. Returns, equal on every process, a negative code or
 * PROA_ELSEWHERE if there is no board. */
int proa_board_begin(const struct proa_group *group, int threads);

/* Frees the board. Collective. No-op without a board. */
void proa_board_end(void);

/* Number of processes with the board, 0 without one; and the number of this process. */
int proa_board_size(void);
int proa_board_rank(void);

/* Returns a row of this process. */
uint64_t *proa_board_mine(int row);

/* Returns true if that process is on this node. */
int proa_board_is_near(int process);

/* Raises a row of a process to the clock. Complete when proa_board_flush returns. */
void proa_board_raise(int process, int row, const uint64_t *clock);
void proa_board_flush_now(void);

/* True if a message was sent to another node since the last flush. */
extern PROA_HIDDEN int proa_board_flush_due;

static inline void proa_board_flush(void)
{
    if (proa_board_flush_due)
        proa_board_flush_now();
}

/* Raises the clock to `rows` rows of a process, starting at `row`. Returns 1 if the clock
 * changed. */
int proa_board_learn(int process, int row, int rows, uint64_t *clock);

/* Lowers the clock to the row of that process. */
void proa_board_lower(int process, int row, uint64_t *clock);

/* Waits for all processes. */
void proa_board_barrier(void);

/* ---- queues ---- */

/* Longest message, and largest queue, in words. */
enum { PROA_BOARD_MESSAGE = PROA_BOARD_MOST + 8, PROA_BOARD_QUEUE = 1 << 17 };

/* Returns memory to write a message of up to `most` words before it is appended, so that it need
 * not be copied: a part of the queue, or `space`. */
uint64_t *proa_board_place(int process, uint32_t most, uint64_t *space);

/* Appends a message of `count` words to this process's queue at the given process. Returns 0 if
 * there is no room. */
int proa_board_push(int process, const uint64_t *words, uint32_t count);

/* Finds the oldest message of the origin's queue at this process; valid until it is taken. space:
 * buffer for a message that wraps. Returns its number of words; 0 if there is none. Messages that
 * the origin appended before another process learned of it are visible. */
uint32_t proa_board_look(int origin, uint64_t *space, const uint64_t **words);

/* Removes that message of `count` words. */
void proa_board_take(int origin, uint32_t count);

#endif
