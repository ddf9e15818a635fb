/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock of this process: the order before its next access, as far as check mode knows.
 *
 * An access has the clock of its issue, and a stamp: its own process's word when it was complete.
 * It is ordered before another access whose clock of issue has at least that stamp in its process's
 * word. A process's own word increases when accesses are complete, after they were handed over
 * (order/crossing.h). Others may read its clock at any time, and every access that they know of
 * must be handed over by then.
 *
 * A clock may include too much, such as a message that the process has not received yet. Then
 * unordered accesses count as ordered, and a conflict is missed. It must never include too little.
 * So it learns from every call that may bring order, and is published before every call that may
 * carry order to others.
 *
 * The caller excludes other threads. The clock requires a board (order/board.h).
 */
#ifndef PROA_ORDER_CLOCK_H
#define PROA_ORDER_CLOCK_H

#include "order/board.h"

#include <stdint.h>

/* A clock at some time, with a reference count: each access with this clock holds a reference. */
struct proa_moment {
    uint32_t holders;
    uint64_t clock[];
};

/* Returns 0, or a negative code. */
int proa_clock_begin(void);
void proa_clock_end(void);

/* Learns from memory that the program may have polled before a call. */
void proa_clock_listen(void);

/* Returns the clock of an access that is issued now, after proa_clock_listen; the caller holds a
 * reference. Returns NULL without memory, or if moments take 16 MiB. */
struct proa_moment *proa_clock_moment(void);
struct proa_moment *proa_moment_empty(void);       /* the moment at the start */
void proa_moment_free(struct proa_moment *moment); /* frees a moment without references */

/* Takes a reference; proa_moment_drop releases it. NULL is a no-op. */
static inline void proa_moment_hold(struct proa_moment *moment)
{
    if (moment)
        moment->holders++;
}

static inline void proa_moment_drop(struct proa_moment *moment)
{
    if (moment && --moment->holders == 0)
        proa_moment_free(moment);
}

/* Returns the stamp of accesses that are complete now. Others learn of none of them before
 * proa_clock_complete, which is called once all of them are handed over. */
uint64_t proa_clock_stamp(void);
void proa_clock_complete(void);

/* Publishes the clock to a row of that process, unless that row has it already. Complete when
 * proa_board_flush returns. */
void proa_clock_tell(int process, enum proa_board_row row);

/* Publishes the clock to a row of a meeting, of each of these processes. */
void proa_clock_tell_meeting(const int *processes, int count, int meeting);

/* Publishes the clock of a meeting that completes accesses, with the previous stamp. No process
 * returns from the meeting before all have called. proa_clock_complete follows; until then others
 * learn of the completion by the meeting only. */
void proa_clock_tell_completing(const int *processes, int count, int meeting);

/* Learns from a row of this process. Call it for PROA_ROW_TOLD right after the call that may bring
 * order: later the row may have clocks that no message brought yet. */
void proa_clock_hear(int row);

/* Learns from a row of another process, or from all rows that its memory may order. */
void proa_clock_learn(int process, enum proa_board_row row);
void proa_clock_learn_memory(int process);

/* The program may load and store in memory of that process, or of others that have a window with
 * both. Either of the two may thus learn from the other at any time. windows: change of the number
 * of such windows. The other process is notified; it is on this node. */
void proa_clock_share(int process, int windows);
int proa_clock_shares(void); /* with any process */

/* Every access from now on is handed over after this call. */
void proa_clock_raise_floor(void);

#endif
