/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single steps: for some instructions after a call of MPI the processor traps before each of the
 * calling thread, and loads and stores to memory that matters are written down (traps/trap.h). So
 * accesses are seen to memory that cannot be protected, beyond the few bytes that watchpoints
 * guard.
 *
 * A step takes microseconds, so a thread makes PROA_STEPS at most between two calls, from each
 * place in the program PROA_STEPS_OF_PLACE times, of which one that ends early counts as
 * PROA_STEPS_EARLY, and PROA_STEPS_MOST in all. It makes none while SIGTRAP is blocked, and ends
 * before a system call that blocks signals or makes a process.
 *
 * Steps need protection (traps/protection.h), whose handler takes the trap. x86-64 alone.
 */
#ifndef PROA_TRAPS_STEPS_H
#define PROA_TRAPS_STEPS_H

#include <stddef.h>

enum {
    PROA_STEPS = 4096,
    PROA_STEPS_HITS = 128, /* between two calls; with more of them, steps end */
    PROA_STEPS_OF_PLACE = 16,
    PROA_STEPS_EARLY = 4,
    PROA_STEPS_MOST = 1 << 20
};

/* Does an access to that memory matter? Called by a handler of signals. */
typedef int proa_steps_matters(const void *memory, size_t bytes, int stores);

/* From here on this thread makes steps, until it ends them. place: the return address of its call.
 */
void proa_steps_begin(const void *place, proa_steps_matters *matters);

/* Ends this thread's steps. 1: each instruction since they began was looked at; 0: not all. */
int proa_steps_end(void);

/* For the handler of a trap behind an instruction: may the trap be a step's of this thread? */
int proa_steps_have_begun(void);

/* Looks at the instruction that comes next. context: the handler's. 1: the next trap is wanted. */
int proa_steps_go_on(const void *context);

#endif
