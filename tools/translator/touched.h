/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What has touched watched bytes since the last drain. A site is an instruction with its callers;
 * it has, for each page that it touched, a bit for each byte. So a loop over a large window costs a
 * bit for each access, in any order, and no byte is told that was not touched.
 */
#ifndef PROA_TRANSLATOR_TOUCHED_H
#define PROA_TRANSLATOR_TOUCHED_H

#include "core.h"

/* An access of the running thread, at the instruction that its guest state names. Called by
 * translated code if the map says that the bytes may be watched. kind: of proa_touched_kind. */
void proa_touched_by_code(const VexGuestAMD64State *guest, Addr low, UWord kind) VG_REGPARM(3);

/* Beside it: the load polls (poll.h). */
enum { PROA_TOUCHED_POLLS = 4, PROA_TOUCHED_SHIFT = 3 };

static inline UWord proa_touched_kind(UWord bytes, UWord what)
{
    return bytes << PROA_TOUCHED_SHIFT | what;
}

/* The same of a system call that the thread makes. */
void proa_touched_by_call(ThreadId thread, Addr low, SizeT bytes, UWord what);

/* A word that is set to 1 as soon as there is something to drain; NULL: none. */
void proa_touched_tell(UInt *pending);

/* Takes out up to that many, and returns their number. */
UWord proa_touched_drain(struct proa_touched *into, UWord count);

/* Accesses so far. */
extern struct proa_touched_counts proa_touched_counts;

/* This process is a new one. */
void proa_touched_forked(void);

#endif
