/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock of this process: what is ordered before its next access, as far as check mode knows.
 *
 * An access has the clock of its issue, and a stamp: its own process's word when it was complete.
 * It is ordered before another one whose clock of issue has at least that stamp in its process's
 * word. A process's own word grows whenever accesses are complete, after they were handed over
 * (order/crossing.h): others may look at its clock at any time, and what they know of has to be
 * there.
 *
 * A clock may know too much, as of a message that the process has not received yet: then accesses
 * count as ordered that are not, and a conflict is missed. It must never know too little. So it
 * learns from every call by which news may come, and tells before every call by which they may go.
 *
 * The caller excludes other threads. All of this needs a board (order/board.h).
 */
#ifndef PROA_ORDER_CLOCK_H
#define PROA_ORDER_CLOCK_H

#include "order/board.h"

#include <stdint.h>

/* A clock as it was at some time. Counted: each access that has it holds it. */
struct proa_moment {
    uint32_t holders;
    uint64_t clock[];
};

/* 0, or a negative code. */
int proa_clock_begin(void);
void proa_clock_end(void);

/* Learns what the program may have polled before a call. */
void proa_clock_listen(void);

/* The clock of an access that is issued now, since that; held for the caller. NULL: there is no
 * memory, or moments have taken 16 MiB. */
struct proa_moment *proa_clock_moment(void);
struct proa_moment *proa_moment_empty(void);       /* of the beginning */
void proa_moment_free(struct proa_moment *moment); /* that is held no more */

/* NULL: does nothing; drop: the same. */
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

/* The stamp of accesses that are complete now. Others know none of them before proa_clock_complete,
 * which follows once all of them are handed over. */
uint64_t proa_clock_stamp(void);
void proa_clock_complete(void);

/* Tells the clock to a row of that process, unless it has been told there already. The row has it
 * once proa_board_flush has returned. */
void proa_clock_tell(int process, enum proa_board_row row);

/* The same to a row of a meeting, of each of these processes. */
void proa_clock_tell_meeting(const int *processes, int count, int meeting);

/* The same of a meeting that completes accesses, with the stamp of before, and from which none
 * returns before all have called: until proa_clock_complete, which follows it, others learn of
 * their completion by the meeting alone. */
void proa_clock_tell_completing(const int *processes, int count, int meeting);

/* Learns from a row of this process. That of PROA_ROW_TOLD is heard right after the call by which
 * news may have come: later it may have what no message has brought yet. */
void proa_clock_hear(int row);

/* Learns from a row of another one, or all that its memory may tell. */
void proa_clock_learn(int process, enum proa_board_row row);
void proa_clock_learn_memory(int process);

/* The program may load and store in memory of that process, or of others that have a window with
 * both: by so many windows more, or less. So either of the two may learn from the other at any
 * time. The other one is told; it is on this node. */
void proa_clock_share(int process, int windows);
int proa_clock_shares(void); /* with any */

/* All accesses that come from now on are handed over after this. */
void proa_clock_raise_floor(void);

#endif
