/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and stop of the engine in this process. */
#ifndef PROA_CREATE_START_H
#define PROA_CREATE_START_H

/* What is to be done as early as can be, best when the library is loaded: handlers for fork that
 * come before others, and what takes the kernel long once there are threads. Costs microseconds;
 * core need not be started after it. */
void proa_core_load(void);

/* Finds out what core will want to know: on which machine this process is, a random number, what
 * its processor can do, how the system promises memory. Some 80 us, for which the first window
 * would wait; nothing is held, and the second time nothing is done. No settings are read. Under the
 * same lock as proa_core_start, which does it otherwise. */
void proa_core_prepare(void);

/* Starts core: arena, fences, our own peer. 0 or a negative code. Not thread-safe: the caller holds
 * its own start lock. */
int proa_core_start(void);
void proa_core_stop(void);

#endif
