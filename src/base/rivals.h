/* SPDX-License-Identifier: BSD-3-Clause */
/* Rivals: does anybody else want the processor that this thread keeps busy with looking? */
#ifndef PROA_BASE_RIVALS_H
#define PROA_BASE_RIVALS_H

/* Has somebody lately taken the processor from this thread? now_ns: proa_system's clock. A system
 * call: for now and then. Each time that it happens soon again this thread believes it for longer,
 * from 50 ms to a second. */
int proa_rivals_seen(long now_ns);

#endif
