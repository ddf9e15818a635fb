/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks of the program's calls (struct proa_stack, base/calls.h), from a call of MPI down to main,
 * at most PROA_CHECK_STACK frames. Equal stacks are stored once, so their addresses can be
 * compared.
 *
 * A call unwinds its stack when its return address occurs at a new stack height. Later calls only
 * read the words that hold the other return addresses.
 */
#ifndef PROA_FINDINGS_STACK_H
#define PROA_FINDINGS_STACK_H

#include "base/calls.h"

/* Returns the stack of this thread as a caller (proa_stack_of), from the first frame outside of
 * Proa and the libraries of an MPI. caller: return address of the call to Proa, or NULL if unknown.
 * Returns the caller itself if unwinding is impossible, or NULL. */
const void *proa_stack_here(const void *caller);

/* Returns the stack of these frames as a caller. Returns the first frame without memory. */
const void *proa_stack_keep(const void *const *frames, unsigned count, unsigned binding);

/* Returns the name of an enum proa_binding, such as "Fortran"; "" for none. */
const char *proa_stack_binding_name(unsigned binding);

#endif
