/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and stop of the engine in this process. */
#ifndef PROA_CREATE_START_H
#define PROA_CREATE_START_H

/* Does the work that is best done when the library is loaded: registers handlers for fork before
 * other libraries do, and makes calls that take the kernel long once the process has threads. Costs
 * microseconds; core need not be started after it. */
void proa_core_load(void);

/* Finds out facts that core will need, in some 80 us, for which the first window would wait
 * otherwise. It holds nothing, does nothing the second time, and reads no settings. The caller
 * holds the same lock as for proa_core_start, which calls this function too. */
void proa_core_prepare(void);

/* Starts core: arena and our own peer. 0 or a negative code. Not thread-safe: the caller holds its
 * own start lock. */
int proa_core_start(void);
void proa_core_stop(void);

#endif
