/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks of the program's calls (struct proa_stack, base/calls.h), from a call of MPI down to main:
 * PROA_CHECK_STACK frames at most. Equal stacks are one, so their addresses can be compared.
 *
 * A call unwinds its stack when its return address comes at a new height of the stack. Later calls
 * read only the words that hold the other return addresses.
 */
#ifndef PROA_FINDINGS_STACK_H
#define PROA_FINDINGS_STACK_H

#include "base/calls.h"

/* The stack of this thread as a caller (proa_stack_of), from the first frame outside of Proa and
 * the libraries of an MPI; caller: the return address of the call to Proa, or NULL if it is not
 * known. Returns the caller itself where nothing can be unwound, or NULL. */
const void *proa_stack_here(const void *caller);

/* The stack with these frames as a caller. Returns the first frame where there is no memory. */
const void *proa_stack_keep(const void *const *frames, unsigned count, unsigned binding);

/* "Fortran" and so on, of enum proa_binding; "" for none. */
const char *proa_stack_binding_name(unsigned binding);

#endif
