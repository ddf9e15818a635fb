/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIGSEGV and SIGTRAP, which traps need, in programs that use signals themselves. A program that
 * blocked them would end at its first trap, and a handler of its own would take ours away. Its
 * calls by which it does that go through functions of this file: the two signals stay unblocked,
 * and its own actions for them come behind ours (proa_trap_hand_on).
 */
#ifndef PROA_TRAPS_SIGNALS_H
#define PROA_TRAPS_SIGNALS_H

/* Diverts the calls of all files that are loaded (traps/divert.h); again for those that were loaded
 * since. */
void proa_signals_divert(void);

/* Unblocks the two for the calling thread, which may have blocked them before. */
void proa_signals_unblock(void);

#endif
