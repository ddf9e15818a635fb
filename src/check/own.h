/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of operations that are memory of this process's own windows: operations of other
 * processes come there, too. So each is an access to that memory until it is locally complete, as a
 * load or a store of the program's would be.
 *
 * Of dynamic windows no memory is known, and of others that of the first PROA_OWN_MOST. All of this
 * is for callers inside (order/inside.h), and needs clocks.
 */
#ifndef PROA_CHECK_OWN_H
#define PROA_CHECK_OWN_H

#include "order/accesses.h"
#include "window/win.h"

#include <stdint.h>

enum { PROA_OWN_MOST = 256 };

/* Begins, for targets that are so many processes: PROA_OK, or PROA_ERR_NO_MEM; and ends. */
int proa_own_begin(int processes);
void proa_own_end(void);

/* A window is there, by that number of all processes; or it is no longer. */
void proa_own_open(const struct proa_win *win, uint64_t number);
void proa_own_close(uint64_t number);

/* Keeps the bytes [low, low + bytes) of a buffer, as far as they are a window's, of an operation on
 * that process; access: the operation's; stores: its result comes there. */
void proa_own_keep(int process, const struct proa_access *access, uint64_t low, uint64_t bytes,
                   int stores);

/* How many are kept. */
uint32_t proa_own_alive(void);

/* Drops those of operations on that process of which `goes` says so. */
void proa_own_drop(int process, proa_access_goes *goes, void *arg);

#endif
