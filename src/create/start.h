/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and stop of the engine in this process. */
#ifndef PROA_CREATE_START_H
#define PROA_CREATE_START_H

/* Does the work that is best done when the library is loaded. It registers handlers for fork before
 * other libraries do, and makes calls that take the kernel long once the process has threads. Costs
 * microseconds; core need not be started afterwards. */
void proa_core_load(void);

/* Collects facts that core will need, in some 80 us, which the first window would otherwise spend.
 * It holds nothing, does nothing the second time, and reads no settings. The caller holds the same
 * lock as for proa_core_start, which calls this function too. */
void proa_core_prepare(void);

/* Starts core: the arena and our own peer. Returns 0 or a negative code. Not thread-safe: the
 * caller holds its own start lock. */
int proa_core_start(void);
void proa_core_stop(void);

#endif
