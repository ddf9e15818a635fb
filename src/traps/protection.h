/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protected memory: pages whose loads and stores by the program trap. The handler writes down the
 * access (traps/trap.h), opens the page for that one instruction, and protects it again behind it.
 * The engine works through mappings of its own.
 *
 * A page that traps often is left open until proa_protection_renew, and counted: a loop over window
 * memory must come to its end. Meanwhile accesses of other threads to a page that is open for one
 * instruction are not seen either. A system call that gets a protected address fails with EFAULT,
 * so its buffer is lent to it before (traps/syscalls.h).
 *
 * One thread at a time starts, stops, adds and drops; the rest is for any thread.
 */
#ifndef PROA_TRAPS_PROTECTION_H
#define PROA_TRAPS_PROTECTION_H

#include <stddef.h>
#include <stdint.h>

enum {
    PROA_PROTECTIONS = 256,       /* ranges at one time */
    PROA_PROTECTION_TRAPS = 64,   /* of a page, until it is left open */
    PROA_PROTECTION_MOST = 1024,  /* of all pages, until each that traps is left open */
    PROA_PROTECTION_PAGES = 16384 /* of all pages, until all of a range is left open */
};

/* Takes the signals: faults and traps that are not ours go to the handlers before. 0, or an errno:
 * ENOSYS, where the processor's single step is not known. */
int proa_protection_start(void);
void proa_protection_stop(void);
int proa_protection_is_on(void);

/* Protects memory: whole pages, mapped for reading and writing, and in no other range. 0, or an
 * errno: ENOSPC: there are too many ranges. */
int proa_protection_add(void *memory, size_t bytes);

/* Do accesses to that byte trap? */
int proa_protection_has(const void *memory);

/* Opens the range that begins there, and forgets it. None: does nothing. Not for handlers of
 * signals: it waits for those of other threads. */
void proa_protection_drop(void *memory);

/* Leaves the pages of those bytes open until proa_protection_renew, such as for a system call. */
void proa_protection_open(const void *memory, size_t bytes);

/* Opens the pages of those bytes for as long as a system call takes: 1. 0: they are in no range,
 * and nothing is to be taken back. Safe in handlers of signals. */
int proa_protection_lend(const void *memory, size_t bytes);
void proa_protection_take_back(const void *memory, size_t bytes);

/* Protects all pages again that were left open, unless some are lent. */
void proa_protection_renew(void);

/* How often a page was left open since it had trapped so often. */
uint64_t proa_protection_left_open(void);

#endif
