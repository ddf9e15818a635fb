/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: what the program gets as the memory of a window that Proa allocates, with
 * PROA_CHECK=memory. A view is a second mapping of the same pages, and is protected
 * (traps/protection.h), so that each load and store by the program traps. The engine, and all other
 * processes, work through the first mapping.
 *
 * All functions are safe from any thread. Without check mode for memory there are no views, and
 * each function returns what it was given.
 */
#ifndef PROA_TRAPS_VIEW_H
#define PROA_TRAPS_VIEW_H

#include <stddef.h>

/* Makes the view of memory of the arena, and returns its address. NULL, or memory of which there
 * can be no view (it is not this process's, or there are too many): that memory. */
void *proa_view_open(void *memory, size_t bytes);

/* From now on the view that holds this address does not trap: other processes, or the kernel, work
 * on it. */
void proa_view_lend(const void *address);

/* Ends the view of the memory at that address, if there is one. */
void proa_view_close(const void *memory);

/* The address in the view of memory of the engine's. */
void *proa_view_of(void *memory);

/* The engine's address behind an address in a view. */
void *proa_view_behind(const void *address);

#endif
