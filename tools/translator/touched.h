/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses to watched bytes since the last drain. A site is an instruction with its callers. For
 * each page that it accessed it has one bit per byte. So a loop over a large window costs one bit
 * for each access, in any order, and only accessed bytes are reported.
 */
#ifndef PROA_TRANSLATOR_TOUCHED_H
#define PROA_TRANSLATOR_TOUCHED_H

#include "core.h"

/* An access of the running thread, at the instruction in its guest state. Called by translated code
 * if the map has bytes that may be watched. kind: as in proa_touched_kind. */
void proa_touched_by_code(const VexGuestAMD64State *guest, Addr low, UWord kind) VG_REGPARM(3);

/* Flag beside it: the load polls (poll.h). */
enum { PROA_TOUCHED_POLLS = 4, PROA_TOUCHED_SHIFT = 3 };

static inline UWord proa_touched_kind(UWord bytes, UWord what)
{
    return bytes << PROA_TOUCHED_SHIFT | what;
}

/* The same for a system call of the thread. */
void proa_touched_by_call(ThreadId thread, Addr low, SizeT bytes, UWord what);

/* Registers a word that is set to 1 as soon as there is an access to drain. pending: the word, or
 * NULL for none. */
void proa_touched_tell(UInt *pending);

/* Takes out up to `count` runs. Returns their number. */
UWord proa_touched_drain(struct proa_touched *into, UWord count);

/* Accesses so far. */
extern struct proa_touched_counts proa_touched_counts;

/* This process was forked. */
void proa_touched_forked(void);

#endif
