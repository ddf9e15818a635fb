/* SPDX-License-Identifier: BSD-3-Clause */
/* Rivals: does anybody else want the processor that this thread keeps busy with looking? Each
 * thread finds out for itself. Times are those of proa_system's clock. */
#ifndef PROA_BASE_RIVALS_H
#define PROA_BASE_RIVALS_H

/* From now on this thread does nothing but look. */
void proa_rivals_begin(void);

/* It has done so since begin_ns, for about as long as it meant to. Has somebody had the processor
 * for a slice of the scheduler meanwhile, or for a short one once more? Then rivals are there, for
 * 50 ms; each time that it happens soon again for longer, up to a second. What runs for an instant
 * only, or now and then for a millisecond, is no rival: the kernel's own threads do that. */
void proa_rivals_watch(long begin_ns, long now_ns);

int proa_rivals_are_there(long now_ns);

#endif
