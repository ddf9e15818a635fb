/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Window memory that is protected (traps/protection.h), with PROA_CHECK=memory, so that each load
 * and store by the program traps. The engine, and all other processes, work through a mapping of
 * their own. There are two kinds.
 *
 * A view is of memory that Proa allocates: the program gets a second mapping of the same pages, and
 * that is protected while there are windows over it.
 *
 * A place is of the program's own memory, which Proa has adopted (adopt/adopt.h): it is protected
 * where it is, and the engine has it by the blocks in which it maps adopted memory
 * (proa_pages_map). So addresses of a place are the program's, for the engine too, and only buffers
 * that lie in it have another address for the engine (proa_view_buffer).
 *
 * All functions are safe from any thread. Without check mode for memory there are no views and no
 * places, and each function returns what it was given.
 */
#ifndef PROA_TRAPS_VIEW_H
#define PROA_TRAPS_VIEW_H

#include "base/atomic.h"
#include "base/hidden.h"

#include <stddef.h>
#include <stdint.h>

/* Makes the view of memory of an arena, this process's or a neighbour's, and returns its address.
 * NULL, or memory of which there can be no view (such as where there are too many): that memory. */
void *proa_view_open(void *memory, size_t bytes);

/* Ends the view of the memory at that address, if there is one. */
void proa_view_close(const void *memory);

/* A window has come to be over the view that holds this memory, the engine's address; or goes. */
void proa_view_enter(const void *memory);
void proa_view_leave(const void *memory);

/* Protects the whole pages of adopted memory [first, end) in place; but for the bytes of malloc in
 * front of a large block, which are on its first page. Pages of another place are left out. owner:
 * whose they are, for proa_view_unplace. Memory that was lent before stays as it is. */
void proa_view_place(uintptr_t first, uintptr_t end, const void *owner);
void proa_view_unplace(const void *owner);

/* From now on the view, or place, that holds this address does not trap, nor does one that comes to
 * be there, but for the oldest of many such addresses: other processes, or the
 * kernel, work on it. */
void proa_view_lend(const void *address);

/* The same as long as a call takes. */
struct proa_view_loan {
    const void *memory;
    size_t bytes; /* 0: there is nothing to take back */
};
struct proa_view_loan proa_view_lend_to_call(const void *address);
void proa_view_take_back(const struct proa_view_loan *loan);

/* The address in the view of memory of the engine's. */
void *proa_view_of(void *memory);

/* Are there any? Most programs have none. A thread that uses a view knows of it by the call that
 * made it. */
extern PROA_HIDDEN int proa_view_count;

static inline int proa_view_are_any(void)
{
    return proa_atomic_load(&proa_view_count, PROA_RELAXED) > 0;
}

/* The engine's address behind an address in a view. */
void *proa_view_find_behind(const void *address);

static inline void *proa_view_behind(const void *address)
{
    return proa_view_are_any() ? proa_view_find_behind(address) : (void *)(uintptr_t)address;
}

/* The address by which the engine works on a buffer of an operation. bytes: from there on; 0: they
 * are not known. A buffer that lies in a place only in part is open until the next call on a window
 * is over; is_late: it is used after the operation's call, and the place does not trap any more. */
void *proa_view_buffer(const void *buffer, size_t bytes, int is_late);

#endif
