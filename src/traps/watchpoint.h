/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware watchpoints on memory of this process: the processor's debug registers, by
 * perf_event_open(2). The thread that touches a watched byte gets SIGTRAP right behind that
 * instruction, and its handler writes down the hit (traps/trap.h).
 *
 * Threads that begin after the start of the watchpoints are watched too. Accesses by the kernel (a
 * system call that reads a buffer) are not seen. One thread at a time starts and stops; the rest is
 * for any thread, but not for handlers of signals.
 */
#ifndef PROA_TRAPS_WATCHPOINT_H
#define PROA_TRAPS_WATCHPOINT_H

#include <stddef.h>
#include <stdint.h>

enum {
    PROA_WATCHPOINTS = 4,      /* as the processor has */
    PROA_WATCHPOINT_BYTES = 8, /* the most that one of them watches */
    PROA_WATCHPOINT_HITS = 256
};

/* Accesses that a watchpoint tells of. x86 has no watchpoint for loads alone. */
enum proa_watched_access { PROA_WATCHED_STORES, PROA_WATCHED_ALL };

/* Takes the debug registers, and the signal: hits that are not ours go to the handler before. 0, or
 * an errno: EACCES (kernel.perf_event_paranoid), ENOSYS, EPERM (a filter of system calls), ENOSPC
 * (a debugger has the registers), and so on. Then there are no watchpoints. */
int proa_watchpoint_start(void);
void proa_watchpoint_stop(void);

/* Watches up to PROA_WATCHPOINT_BYTES bytes from there on: those up to the next border that the
 * processor needs. Returns their number; 0: none is free, or the processor refuses. *watchpoint:
 * for proa_watchpoint_clear. cookie: told with each hit. */
size_t proa_watchpoint_set(const void *memory, size_t bytes, enum proa_watched_access accesses,
                           uint64_t cookie, int *watchpoint);
void proa_watchpoint_clear(int watchpoint);

/* Guards up to PROA_WATCHPOINT_BYTES bytes until further notice, by what watchpoints are left:
 * those that proa_watchpoint_set takes from it come back with their clearing. Loads are told from
 * stores while two watchpoints are there. steals: the oldest other guard goes where none is free.
 * cookie: one for each guard. Returns the number of bytes; 0: none is free. */
size_t proa_watchpoint_guard(const void *memory, size_t bytes, uint64_t cookie, int steals);
int proa_watchpoint_guards(uint64_t cookie);

/* Ends all guards with these cookies, end not included. */
void proa_watchpoint_unguard(uint64_t first, uint64_t end);

/* Guards tell of PROA_WATCHPOINT_HITS hits each, and then of none until this call: a loop over
 * guarded memory must come to its end. */
void proa_watchpoint_renew(void);

#endif
